package dev.gossamer.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gossamer.spark.ranks.RankStage;
import dev.gossamer.spark.ranks.StageJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/// The folder of a training or a prediction in a file system that the driver and all executors
/// reach: tables on their way, and the run with its checkpoints.
final class RunHome {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN = "run";

  private final SparkSession spark;
  private final Path folder;
  private final boolean temporary;
  private final Configuration conf;

  private RunHome(SparkSession spark, Path folder, boolean temporary) {
    this.spark = spark;
    this.folder = folder;
    this.temporary = temporary;
    conf = spark.sessionState().newHadoopConf();
  }

  /// Names a new folder.
  ///
  /// @param spark session of the driver
  /// @param parent folder in which it is; empty for a temporary one, if all is on this machine
  /// @throws IllegalArgumentException if a folder is needed
  static RunHome create(SparkSession spark, String parent) {
    String name =
        TIME.format(LocalDateTime.now(ZoneId.systemDefault()))
            + "-"
            + UUID.randomUUID().toString().substring(0, 8);
    try {
      if (!parent.isEmpty()) {
        return new RunHome(spark, new Path(parent, name), false);
      }
      String master = spark.sparkContext().master();
      if (!master.startsWith("local")) {
        throw new IllegalArgumentException(
            "folder: expected a folder that the driver and all executors reach, as hdfs:///tmp/gossamer or s3a://bucket/runs, found none; the master is "
                + master);
      }
      return new RunHome(spark, new Path(Files.createTempDirectory("gossamer-").toUri()), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// {@return name of the data set}
  String name() {
    return "graph";
  }

  /// {@return a path in the folder}
  ///
  /// @param name of a file or folder
  String path(String name) {
    return new Path(folder, name).toString();
  }

  static String json(Map<String, Object> values) {
    try {
      return JSON.writeValueAsString(values);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  void write(String name, String text) {
    write(name, text.getBytes(StandardCharsets.UTF_8));
  }

  void write(String name, byte[] bytes) {
    new SmallFile(spark, new Path(folder, name)).write(bytes);
  }

  /// Trains on the tables.
  ///
  /// @param ranks number of ranks
  /// @return what the command printed
  String train(int ranks) {
    return RankStage.run(
        spark,
        "gossamer train, %d ranks".formatted(ranks),
        new StageJob(
            inputs("tables/vertices", "tables/edges", "schema.yaml", "settings.yaml"),
            List.of("dataset", "import", "--schema=schema.yaml", "--out=data"),
            List.of(
                "train", "--config=settings.yaml", "--run-folder=" + RUN, "--data=data", "--json"),
            List.of("train", "--resume=" + RUN, "--data=data", "--json"),
            RUN,
            folder.toString()),
        ranks);
  }

  /// Predicts on the tables.
  ///
  /// @param ranks number of ranks
  /// @param handling flags of rows that do not fit
  /// @param wanted flags of what is written beside the prediction
  /// @return path of the table
  String predict(int ranks, List<String> handling, List<String> wanted) {
    return predict(ranks, handling, wanted, List.of());
  }

  /// Predicts whether the pairs in `tables/pairs` have edges.
  ///
  /// @param ranks number of ranks
  /// @param handling flags of rows that do not fit
  /// @return path of the table
  String predictPairs(int ranks, List<String> handling) {
    return predict(ranks, handling, List.of("--pairs=pairs/"), List.of("tables/pairs"));
  }

  private String predict(int ranks, List<String> handling, List<String> flags, List<String> more) {
    List<String> prepare =
        new ArrayList<>(
            List.of(
                "dataset",
                "import",
                "--like=model.safetensors",
                "--vertices=vertices/",
                "--edges=edges/",
                "--out=data"));
    prepare.addAll(handling);
    List<String> command =
        new ArrayList<>(
            List.of(
                "predict",
                "model.safetensors",
                "--data=data",
                "--out=predictions.parquet",
                "--force",
                "--json"));
    command.addAll(flags);
    List<String> inputs =
        new ArrayList<>(inputs("tables/vertices", "tables/edges", "model.safetensors"));
    more.forEach(each -> inputs.add(path(each)));
    RankStage.run(
        spark,
        "gossamer predict, %d ranks".formatted(ranks),
        new StageJob(inputs, prepare, command, command, "predictions.parquet", folder.toString()),
        ranks);
    return path("predictions.parquet");
  }

  private List<String> inputs(String... names) {
    return List.of(names).stream().map(this::path).toList();
  }

  /// {@return the bytes of the trained model's file}
  byte[] model() {
    return new SmallFile(spark, new Path(new Path(folder, RUN), "model.safetensors")).read();
  }

  /// Deletes the folder when the driver ends: results are read when they are needed.
  void leaveAtExit() {
    try {
      FileSystem files = folder.getFileSystem(conf);
      // Of a folder that is not there yet, it would remember nothing.
      files.mkdirs(folder);
      files.deleteOnExit(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(folder + ": cannot be deleted", e);
    }
  }

  /// Deletes what nobody needs any more: the tables or, if it is temporary, the folder.
  void leave() {
    Path gone = temporary ? folder : new Path(folder, "tables");
    try {
      gone.getFileSystem(conf).delete(gone, true);
    } catch (IOException e) {
      throw new UncheckedIOException(gone + ": cannot be deleted", e);
    }
  }
}
