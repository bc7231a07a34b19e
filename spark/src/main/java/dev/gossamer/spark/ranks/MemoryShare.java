package dev.gossamer.spark.ranks;

import java.util.OptionalLong;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.ByteUnit;

/// The memory that an executor has for processes beside its own.
final class MemoryShare {
  /// The setting that holds it.
  static final String SETTING = "spark.executor.memoryOverhead";

  private static final long LEAST_MIB = 384;
  private static final double USUAL_FACTOR = 0.1;

  private MemoryShare() {}

  /// Returns the bytes of each rank of an executor: what the setting grants beyond what Spark
  /// itself takes for the executor's JVM. Without the setting, a cluster manager that enforces
  /// limits (YARN, Kubernetes) grants nothing; any other does not count what processes take, and
  /// ranks divide what the machine has.
  ///
  /// @param conf of the application
  /// @param ranks of the executor
  /// @return bytes of a rank, perhaps none; empty for what the machine has
  static OptionalLong of(SparkConf conf, int ranks) {
    boolean given = conf.contains(SETTING);
    String master = conf.get("spark.master", "");
    if (!given && !master.startsWith("yarn") && !master.startsWith("k8s")) {
      return OptionalLong.empty();
    }
    long heap = conf.getSizeAsMb("spark.executor.memory", "1g");
    double factor = conf.getDouble("spark.executor.memoryOverheadFactor", USUAL_FACTOR);
    long own = Math.max(LEAST_MIB, Math.round(factor * heap));
    long granted = given ? conf.getSizeAsMb(SETTING) : own;
    return OptionalLong.of(ByteUnit.MiB.toBytes(Math.max(0, granted - own)) / ranks);
  }
}
