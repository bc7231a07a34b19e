package dev.gossamer.spark;

import dev.gossamer.base.TrainingFailedException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkThrowable;
import org.apache.spark.ml.param.Param;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/// Trains and predicts on tables, by `spark-submit`. Exit status: 0 done, 1 the job failed, 2 wrong
/// usage or input, 3 the training diverged.
public final class Main {
  private static final String USAGE =
      """
      Usage: spark-submit --class dev.gossamer.spark.Main JAR train --vertices TABLE --edges TABLE --out FOLDER [FLAGS]
             spark-submit --class dev.gossamer.spark.Main JAR predict MODEL --vertices TABLE --edges TABLE --out TABLE [FLAGS]
      Trains a graph network on tables, or predicts with a trained one.
            --vertices=TABLE  Folder or file with a row per vertex: .csv (with a header), .json, .orc, else Parquet.
            --edges=TABLE     Folder or file with a row per edge, likewise.
            --out=PATH        Of train, the folder of the model; of predict, the table of predictions, likewise.
            --force           Of train, replaces the model that is in the folder of --out.
            --task=TASK       Of train: classification, regression, links, or vectors, without labels (default: classification).
            --pairs=TABLE     Of predict, with a model of links: what is predicted, a row per pair of vertices.
      """;
  private static final int FAILED = 1;
  private static final int WRONG_USAGE = 2;
  private static final int DIVERGED = 3;

  private Main() {}

  /// Runs a command and ends the process with its exit status.
  ///
  /// @param arguments command, operand and flags
  public static void main(String[] arguments) {
    int status;
    try {
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
      status = run(out, System.err, arguments);
    } finally {
      // Executors that are lost to the end of this process would be started again.
      endSession();
    }
    System.exit(status);
  }

  /// Ends the session of this process, if it has one.
  static void endSession() {
    SparkSession.getDefaultSession()
        .foreach(session -> {
          session.stop();
          return null;
        });
  }

  /// Runs a command.
  ///
  /// @param out for the result of a training, and help
  /// @param err for what went wrong
  /// @param arguments command, operand and flags
  /// @return exit status
  static int run(PrintStream out, PrintStream err, String... arguments) {
    List<String> words = List.of(arguments);
    if (words.isEmpty() || words.contains("--help") || words.contains("-h")) {
      out.print(USAGE);
      out.println("Flags of both, and of train all settings of 'gossamer train':");
      for (Param<?> param : new GraphClassifier().params()) {
        out.printf("      --%s%n          %s%n", flag(param.name()), param.doc());
      }
      return words.isEmpty() ? WRONG_USAGE : 0;
    }
    try {
      switch (words.getFirst()) {
        case "train" -> train(out, flags(words.subList(1, words.size())));
        case "predict" -> predict(operand(words), flags(words.subList(2, words.size())));
        default ->
            throw new IllegalArgumentException(
                "expected train or predict, found " + words.getFirst());
      }
      return 0;
    } catch (IllegalArgumentException e) {
      err.println("gossamer: " + e.getMessage());
      return WRONG_USAGE;
    } catch (TrainingFailedException e) {
      err.println("gossamer: " + e.getMessage());
      return DIVERGED;
    } catch (IllegalStateException | IOException | UncheckedIOException e) {
      err.println("gossamer: " + e.getMessage());
      return FAILED;
    } catch (Exception e) { // those of Spark are not declared
      if (!(e instanceof SparkThrowable)) {
        throw e;
      }
      String message = String.valueOf(e.getMessage());
      err.println("gossamer: " + message.lines().findFirst().orElse(message));
      return e instanceof AnalysisException ? WRONG_USAGE : FAILED;
    }
  }

  /// `label-col` of `labelCol`.
  private static String flag(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private static String operand(List<String> words) {
    if (words.size() < 2 || words.get(1).startsWith("--")) {
      throw new IllegalArgumentException("predict: expected the folder of a model, found none");
    }
    return words.get(1);
  }

  /// `--name=value` and `--name value`; a flag without a value is one that holds.
  private static Map<String, String> flags(List<String> words) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (!word.startsWith("--")) {
        throw new IllegalArgumentException("expected a flag, found " + word);
      }
      int equals = word.indexOf('=');
      if (equals > 0) {
        flags.put(word.substring(2, equals), word.substring(equals + 1));
      } else if (i + 1 < words.size() && !words.get(i + 1).startsWith("--")) {
        flags.put(word.substring(2), words.get(++i));
      } else {
        flags.put(word.substring(2), "true");
      }
    }
    return flags;
  }

  private static String take(Map<String, String> flags, String name) {
    String value = flags.remove(name);
    if (value == null) {
      throw new IllegalArgumentException("--%s: expected one, found none".formatted(name));
    }
    return value;
  }

  private static void train(PrintStream out, Map<String, String> flags) throws IOException {
    SparkSession spark = SparkSession.builder().getOrCreate();
    String model = take(flags, "out");
    boolean force =
        GraphParams.truth("--force", Objects.requireNonNullElse(flags.remove("force"), "false"));
    if (!force || !ModelFiles.isModel(spark, model)) {
      requireNew(spark, model, "choose another, or --force to replace a model");
    }
    String task = Objects.requireNonNullElse(flags.remove("task"), "classification");
    GraphEstimator<?, ?> estimator =
        switch (task) {
          case "classification" -> new GraphClassifier();
          case "regression" -> new GraphRegressor();
          case "links" -> new LinkPredictor();
          case "vectors" -> new GraphEmbedder();
          default ->
              throw new IllegalArgumentException(
                  "--task: expected classification, regression, links or vectors, found " + task);
        };
    Dataset<Row> vertices = table(spark, flags, "vertices");
    Dataset<Row> edges = table(spark, flags, "edges");
    flags.forEach(estimator::setting);
    GraphModel<?> trained =
        switch (estimator) {
          case VertexEstimator<?, ?> ofVertices -> ofVertices.setEdges(edges).fit(vertices);
          case LinkPredictor ofEdges -> ofEdges.setVertices(vertices).fit(edges);
        };
    (force ? trained.write().overwrite() : trained.write()).save(model);
    out.println(trained.summary());
  }

  /// Refuses, before anything is computed, a path that is taken.
  private static void requireNew(SparkSession spark, String path, String remedy) {
    if (new SmallFile(spark, new Path(path)).exists()) {
      throw new IllegalArgumentException(
          "--out: %s: expected a new path, found one that exists; %s".formatted(path, remedy));
    }
  }

  /// Refuses columns that a table of text has no form for.
  private static void requireAtomic(StructType columns) {
    for (StructField column : columns.fields()) {
      if (!(column.dataType() instanceof AtomicType)) {
        throw new IllegalArgumentException(
            "--out: a .csv table has no form for column %s, which is %s; choose .json or .parquet"
                .formatted(column.name(), column.dataType().simpleString()));
      }
    }
  }

  private static void predict(String folder, Map<String, String> flags) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    String table = take(flags, "out");
    requireNew(spark, table, "choose another");
    boolean isCsv = format(table).equals("csv");
    GraphModel<?> model = ModelFiles.load(folder);
    Dataset<Row> vertices = table(spark, flags, "vertices");
    model.setEdges(table(spark, flags, "edges"));
    Dataset<Row> rows = vertices;
    if (model instanceof LinkPredictionModel ofEdges) {
      rows = table(spark, flags, "pairs");
      ofEdges.setVertices(vertices);
    } else if (model instanceof GraphClassificationModel && isCsv) {
      // Vectors have no form there.
      model.params.set("probabilityCol", "");
    }
    flags.forEach(model.params::set);
    if (isCsv) {
      requireAtomic(model.transformSchema(rows.schema()));
    }
    Dataset<Row> predicted = model.transform(rows);
    predicted.write().format(format(table)).option("header", true).save(table);
  }

  /// Opens the table of a flag.
  private static Dataset<Row> table(SparkSession spark, Map<String, String> flags, String flag) {
    String path = take(flags, flag);
    try {
      return spark
          .read()
          .format(format(path))
          .option("header", true)
          .option("inferSchema", true)
          .load(path);
    } catch (Exception e) { // those of Spark are not declared
      if (e instanceof SparkThrowable) {
        throw new IllegalArgumentException("--%s: %s".formatted(flag, e.getMessage()), e);
      }
      throw e;
    }
  }

  private static String format(String path) {
    String ending = path.replaceFirst("/+$", "").replaceFirst(".*\\.", "");
    return switch (ending) {
      case "csv", "json", "orc" -> ending;
      default -> "parquet";
    };
  }
}
