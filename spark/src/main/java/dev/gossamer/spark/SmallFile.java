package dev.gossamer.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/// A file of any Hadoop file system that fits in memory.
///
/// @param spark session of the driver
/// @param path of the file
record SmallFile(SparkSession spark, Path path) {
  /// {@return whether there is such a file, or a folder}
  boolean exists() {
    try {
      return path.getFileSystem(spark.sessionState().newHadoopConf()).exists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": cannot be read", e);
    }
  }

  /// Writes a new file.
  void write(byte[] bytes) {
    try (var out = path.getFileSystem(spark.sessionState().newHadoopConf()).create(path, false)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": cannot be written", e);
    }
  }

  /// {@return all bytes}
  byte[] read() {
    try (var in = path.getFileSystem(spark.sessionState().newHadoopConf()).open(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": cannot be read", e);
    }
  }
}
