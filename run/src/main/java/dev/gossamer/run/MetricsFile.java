package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.run.memory.SystemMemory;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// `metrics.jsonl`: one JSON object per line for each epoch or iteration, appended during the run.
public final class MetricsFile implements AutoCloseable {
  /// Phases and scores of an epoch take less than a thousandth of this.
  static final int LONGEST_LINE = 1 << 20;

  /// Key of the peak of the resident bytes of the process that writes.
  public static final String PEAK = "peak_rss_bytes";

  /// Key of the bytes that all ranks sent in the training of an epoch.
  public static final String SENT = "bytes_sent";

  /// Key of the share of the rows of other ranks that were in a cache.
  public static final String HIT_RATE = "cache_hit_rate";

  /// Key of the mean age in batches of the embeddings that were used.
  public static final String STALENESS = "staleness";

  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;
  private final Writer out;

  private MetricsFile(Path file, Writer out) {
    this.file = file;
    this.out = out;
  }

  /// Opens the file for appending after its first `epochs` lines; later lines, of epochs that a
  /// resumed run repeats, are dropped. The remaining lines are copied to a new file, so that hard
  /// links in copies of the run do not change.
  ///
  /// The file is locked until it is closed, so that only one process resumes a run at a time.
  ///
  /// @param file to write
  /// @param epochs number of lines to keep
  /// @return the open file
  /// @throws InvalidInputException if it cannot be written, another training has it open, or it has
  ///   invalid lines
  public static MetricsFile open(Path file, int epochs) {
    try (FileChannel earlier = earlier(file)) {
      AtomicOutput.file(file, temporary -> copyLines(file, earlier, epochs, temporary));
      FileChannel channel =
          locked(
              file, FileChannel.open(file, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS));
      return new MetricsFile(
          file, new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  /// {@return whether a training of another process has the file open}
  ///
  /// @param file that a training writes, has written, or will write
  /// @throws InvalidInputException if it cannot be read
  public static boolean isOpen(Path file) {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock == null;
    } catch (OverlappingFileLockException e) {
      return true;
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// The file as it is, locked while it is copied; null if there is none.
  private static @Nullable FileChannel earlier(Path file) throws IOException {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        ? locked(
            file,
            FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))
        : null;
  }

  private static FileChannel locked(Path file, FileChannel channel) throws IOException {
    if (!isLocked(channel)) {
      channel.close();
      throw new InvalidInputException(
          "%s: expected a run that nothing else writes to, found another training that writes to it; wait"
                  .formatted(file)
              + " for its end, or resume a copy of the folder");
    }
    return channel;
  }

  /// Whether no other owner, in this process or another, holds the lock that is taken.
  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static void copyLines(Path file, @Nullable FileChannel from, int count, Path to)
      throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(to))) {
      if (from == null) {
        return;
      }
      // Left open: closing any stream of the file would give up the lock.
      InputStream in = new BufferedInputStream(Channels.newInputStream(from));
      int line = 1;
      while (line <= count && copyLine(file, line, in, out)) {
        line++;
      }
    }
  }

  /// @return whether there was one
  private static boolean copyLine(Path file, int line, InputStream in, OutputStream out)
      throws IOException {
    int next = in.read();
    if (next < 0) {
      return false;
    }
    for (int length = 1; next >= 0 && next != '\n'; length++) {
      if (length > LONGEST_LINE) {
        throw new InvalidInputException(
            "%s: line %d: expected at most %d bytes, found more"
                .formatted(file, line, LONGEST_LINE));
      }
      out.write(next);
      next = in.read();
    }
    out.write('\n');
    return true;
  }

  void append(EpochRecord record) {
    append(line(record));
  }

  /// Returns the line of an epoch.
  static ObjectNode line(EpochRecord record) {
    ObjectNode line = JSON.createObjectNode();
    line.put("epoch", record.epoch());
    line.put("loss", record.loss());
    line.put("learning_rate", record.learningRate());
    line.put("seconds", record.seconds());
    line.put(PEAK, SystemMemory.peakResident());
    EpochCosts costs = record.costs();
    line.put(SENT, Math.round(costs.bytes()));
    if (Double.isFinite(costs.hitRate())) {
      line.put(HIT_RATE, costs.hitRate());
    }
    if (Double.isFinite(costs.staleness())) {
      line.put(STALENESS, costs.staleness());
    }
    ObjectNode phases = line.putObject("phase_seconds");
    costs.phases().forEach((phase, seconds) -> phases.put(phase.label(), seconds));
    if (record.evaluation() != null) {
      putScores(line.putObject("train"), record.evaluation().train());
      putScores(line.putObject("validation"), record.evaluation().validation());
      putScores(line.putObject("test"), record.evaluation().test());
    }
    return line;
  }

  /// Appends a line.
  ///
  /// @param line one JSON object
  public void append(ObjectNode line) {
    try {
      out.write(JSON.writeValueAsString(line));
      out.write('\n');
      out.flush();
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  private static void putScores(ObjectNode node, Evaluation.Scores scores) {
    scores.values().forEach((metric, score) -> node.put(metric.key(), score));
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }
}
