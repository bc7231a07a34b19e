package dev.gossamer.graph.format;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How a file or folder is to be read.
///
/// @param format the format, of [GraphFormat#all] or not, or null to recognise it by its content
/// @param directed true: keep arcs as the file tells them; false: store each in both directions;
///   null: what is usual for the format (see each reader)
/// @param splitIndex which split, of a file that has several, counted from 0
/// @param memoryLimit bytes that the graph may take while it is built; a larger one is refused
///   before memory is taken
/// @param progress hears how far the reading of a long text has come
public record ReadOptions(
    @Nullable GraphFormat format,
    @Nullable Boolean directed,
    int splitIndex,
    long memoryLimit,
    Progress progress) {
  /// Recognise the format; what is usual for it; the first split; no limit; nobody listens.
  public static final ReadOptions DEFAULT =
      new ReadOptions(null, null, 0, Long.MAX_VALUE, Progress.SILENT);

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

  /// The same with another format; null to recognise it.
  public ReadOptions withFormat(@Nullable GraphFormat other) {
    return new ReadOptions(other, directed, splitIndex, memoryLimit, progress);
  }

  /// The same with arcs as the file tells them, in both directions, or (null) as is usual.
  public ReadOptions withDirected(@Nullable Boolean other) {
    return new ReadOptions(format, other, splitIndex, memoryLimit, progress);
  }

  /// The same with another split, counted from 0.
  public ReadOptions withSplitIndex(int other) {
    return new ReadOptions(format, directed, other, memoryLimit, progress);
  }

  /// The same with another limit.
  public ReadOptions withMemoryLimit(long bytes) {
    return new ReadOptions(format, directed, splitIndex, bytes, progress);
  }

  /// The same with a listener.
  public ReadOptions withProgress(Progress listener) {
    return new ReadOptions(format, directed, splitIndex, memoryLimit, listener);
  }

  boolean directedOr(boolean usual) {
    return directed == null ? usual : directed;
  }
}
