package dev.gossamer.spark;

import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.planner.calibration.Calibration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/// A cluster of executors that are processes of this machine, and tables for it.
public final class Cluster {
  private static final int VERTICES = 300;

  /// Before Spark's own part in the end of a JVM, which replaces executors while it ends them.
  private static final int FIRST = 100;

  private Cluster() {}

  static {
    ShutdownHookManager.get().addShutdownHook(Main::endSession, FIRST);
    // Ranks that measured the machine in unoptimised code would take minutes. These rates are
    // invented, in the cache that the build gives its tests, and in no other.
    Path cache = DatasetCache.ofUser().folder().toAbsolutePath();
    if (cache.startsWith(Path.of("target").toAbsolutePath())) {
      try {
        Files.createDirectories(cache);
        // Of several JVMs, one may read while the other writes.
        Path own = Files.createTempFile(cache, "rates", null);
        Files.copy(Path.of("../config/cluster.yaml"), own, StandardCopyOption.REPLACE_EXISTING);
        Files.move(own, Calibration.keptFile(), StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// Returns the session with two executors that tests share: it costs more to start than most of
  /// them take. A test with settings of its own ends it first, as a JVM has one at a time.
  public static SparkSession start() {
    return builder().getOrCreate();
  }

  /// A session with two executors, to be started.
  static SparkSession.Builder builder() {
    try {
      // Spark looks for its jars there; executors get them by the class path.
      Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return SparkSession.builder()
        .master("local-cluster[2,1,1024]")
        .appName("gossamer")
        .config("spark.ui.enabled", false)
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.executor.memory", "512m")
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config("spark.executor.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
  }

  /// Vertices of three groups, with numbers that hint at the group; every fifth has no label.
  public static Dataset<Row> vertices(SparkSession spark) {
    Random random = new Random(1);
    List<Row> rows = new ArrayList<>();
    for (int v = 0; v < VERTICES; v++) {
      int group = v % 3;
      rows.add(
          RowFactory.create(
              "v" + v,
              group + random.nextGaussian(),
              random.nextGaussian() - group,
              "group" + (random.nextInt(3) == 0 ? random.nextInt(3) : group),
              v % 5 == 4 ? null : "class-" + "abc".charAt(group)));
    }
    return spark.createDataFrame(
        rows,
        new StructType()
            .add("id", DataTypes.StringType)
            .add("x", DataTypes.DoubleType)
            .add("y", DataTypes.DoubleType)
            .add("team", DataTypes.StringType)
            .add("label", DataTypes.StringType));
  }

  /// Edges, four of five within a group.
  public static Dataset<Row> edges(SparkSession spark) {
    Random random = new Random(2);
    List<Row> rows = new ArrayList<>();
    for (int e = 0; e < 5 * VERTICES; e++) {
      int from = random.nextInt(VERTICES);
      int to =
          random.nextInt(5) == 0
              ? random.nextInt(VERTICES)
              : random.nextInt(VERTICES / 3) * 3 + from % 3;
      rows.add(RowFactory.create("v" + from, "v" + to));
    }
    return spark.createDataFrame(
        rows, new StructType().add("src", DataTypes.StringType).add("dst", DataTypes.StringType));
  }
}
