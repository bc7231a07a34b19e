package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Progress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Options for reading a file or folder.
///
/// @param format the format, not necessarily in [GraphFormat#all], or null to recognise it by its
///   content
/// @param directed true to keep arcs as in the file; false to store each in both directions; null
///   for the default of the format
/// @param splitIndex 0-based number of the split, for a file that has several
/// @param memoryLimit maximum bytes for building the graph; a larger graph is refused before memory
///   is allocated
/// @param progress notified of the progress of reading a long text
/// @param fitted schema of the tables that a model was trained on
///   ([dev.gossamer.graph.GraphData.Info#schema]), by which features are computed; null to fit them
///   to the data; not for formats with features of their own
public record ReadOptions(
    @Nullable GraphFormat format,
    @Nullable Boolean directed,
    int splitIndex,
    long memoryLimit,
    Progress progress,
    @Nullable String fitted) {
  /// Detects the format and uses its defaults; the first split; no limit; no progress listener.
  public static final ReadOptions DEFAULT =
      new ReadOptions(null, null, 0, Long.MAX_VALUE, Progress.SILENT, null);

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if a number is negative
  public ReadOptions {
    Objects.requireNonNull(progress, "progress");
    if (splitIndex < 0) {
      throw new InvalidSettingException("{splitIndex}: expected at least 0, found " + splitIndex);
    }
    if (memoryLimit < 0) {
      throw new InvalidSettingException(
          "{memoryLimit}: expected at least 0 bytes, found " + memoryLimit);
    }
  }

  /// {@return a copy with another format; null to recognise it}
  ///
  /// @param other the format, or null
  public ReadOptions withFormat(@Nullable GraphFormat other) {
    return new ReadOptions(other, directed, splitIndex, memoryLimit, progress, fitted);
  }

  /// {@return a copy with arcs as in the file (true), in both directions (false), or by the default
  /// of the format (null)}
  ///
  /// @param other true, false, or null
  public ReadOptions withDirected(@Nullable Boolean other) {
    return new ReadOptions(format, other, splitIndex, memoryLimit, progress, fitted);
  }

  /// {@return a copy with another split}
  ///
  /// @param other 0-based number
  public ReadOptions withSplitIndex(int other) {
    return new ReadOptions(format, directed, other, memoryLimit, progress, fitted);
  }

  /// {@return a copy with another limit}
  ///
  /// @param bytes maximum bytes for building a graph
  public ReadOptions withMemoryLimit(long bytes) {
    return new ReadOptions(format, directed, splitIndex, bytes, progress, fitted);
  }

  /// {@return a copy with a listener}
  ///
  /// @param listener notified of the progress of reading
  public ReadOptions withProgress(Progress listener) {
    return new ReadOptions(format, directed, splitIndex, memoryLimit, listener, fitted);
  }

  /// {@return a copy by which features are computed as those of a model}
  ///
  /// @param schema of the tables that it was trained on, or null
  public ReadOptions withFitted(@Nullable String schema) {
    return new ReadOptions(format, directed, splitIndex, memoryLimit, progress, schema);
  }

  boolean directedOr(boolean usual) {
    return directed == null ? usual : directed;
  }
}
