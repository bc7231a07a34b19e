package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Follows `metrics.jsonl` of a training of this process, step by step.
///
/// Close it after the training: on some systems, a process gives up its lock of a file
/// ([MetricsFile]) as soon as it closes any channel of that file.
public final class MetricsTail implements AutoCloseable {
  private final Path file;
  private final InputStream in;
  private int lines;

  private MetricsTail(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  /// Opens the file at its beginning. A training that is resumed writes it again before its first
  /// step: open it after that.
  ///
  /// @param file `metrics.jsonl`
  /// @return the open file
  /// @throws InvalidInputException if it cannot be read
  public static MetricsTail open(Path file) {
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      return new MetricsTail(file, Channels.newInputStream(channel));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// {@return the steps that were written since the last call} Lines are written whole.
  ///
  /// @throws InvalidInputException if there is something else
  public List<RunMetrics.Step> next() {
    List<RunMetrics.Step> steps = new ArrayList<>();
    try {
      // A new reader each time: one that has met the end of a file may stay there.
      Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8);
      @Nullable String line = RunMetrics.line(file, lines + 1, reader);
      while (line != null) {
        lines++;
        steps.add(RunMetrics.step(file, lines, line));
        line = RunMetrics.line(file, lines + 1, reader);
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
    return steps;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }
}
