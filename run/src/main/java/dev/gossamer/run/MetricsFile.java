package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.run.memory.SystemMemory;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
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

  /// Times that a lock is tried, for a second: [#isOpen] of other processes holds it for moments.
  private static final int TRIES = 50;

  private static final long PAUSE_NANOS = 20_000_000;

  /// The files that trainings of this process have open. Locks belong to the process: on some
  /// systems, it gives up its lock of a file as soon as it closes any channel of that file.
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final Path key;
  private final Writer out;
  private boolean closed;

  private MetricsFile(Path file, Path key, Writer out) {
    this.file = file;
    this.key = key;
    this.out = out;
  }

  /// Opens the file for appending after the lines of its first steps; later lines, of steps that a
  /// resumed run repeats, are dropped, and so is what cannot be read, as a last line that is cut
  /// off where the machine failed. The remaining lines are copied to a new file, so that hard links
  /// in copies of the run do not change.
  ///
  /// The file is locked until it is closed, so that only one process resumes a run at a time.
  ///
  /// @param file to write
  /// @param steps number of the last epoch or iteration whose line is kept
  /// @return the open file
  /// @throws InvalidInputException if it cannot be written, or another training has it open
  public static MetricsFile open(Path file, int steps) {
    return open(file, steps, () -> LockSupport.parkNanos(PAUSE_NANOS));
  }

  /// @param pause between two tries to lock the file
  static MetricsFile open(Path file, int steps, Runnable pause) {
    try {
      Path key = key(file);
      synchronized (OPEN) {
        if (!OPEN.add(key)) {
          throw otherTraining(file);
        }
      }
      try {
        return new MetricsFile(file, key, writer(file, steps, pause));
      } catch (IOException | RuntimeException | Error e) {
        OPEN.remove(key);
        throw e;
      }
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  /// The same for all names of the folder.
  private static Path key(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = Objects.requireNonNull(absolute.getParent(), "folder");
    return folder.toRealPath().resolve(Objects.requireNonNull(absolute.getFileName(), "name"));
  }

  private static Writer writer(Path file, int steps, Runnable pause) throws IOException {
    try (FileChannel earlier = earlier(file, pause)) {
      AtomicOutput.file(file, temporary -> copyLines(earlier, steps, temporary));
      FileChannel channel =
          locked(
              file,
              FileChannel.open(file, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS),
              pause);
      return new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8));
    }
  }

  /// {@return whether a training has the file open}
  ///
  /// @param file that a training writes, has written, or will write
  /// @throws InvalidInputException if it cannot be read
  public static boolean isOpen(Path file) {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try {
      Path key = key(file);
      // A training that began in between would lose its lock with the channel that is closed here.
      synchronized (OPEN) {
        return OPEN.contains(key) || isLockedElsewhere(file);
      }
    } catch (OverlappingFileLockException e) {
      return true;
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static boolean isLockedElsewhere(Path file) throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock == null;
    }
  }

  /// The file as it is, locked while it is copied; null if there is none.
  private static @Nullable FileChannel earlier(Path file, Runnable pause) throws IOException {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        ? locked(
            file,
            FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            pause)
        : null;
  }

  private static FileChannel locked(Path file, FileChannel channel, Runnable pause)
      throws IOException {
    boolean locked = false;
    try {
      for (int tries = 1; !isLocked(channel); tries++) {
        if (tries == TRIES) {
          throw otherTraining(file);
        }
        pause.run();
      }
      locked = true;
      return channel;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
  }

  private static InvalidInputException otherTraining(Path file) {
    return new InvalidInputException(
        "%s: expected a run that nothing else writes to, found another training that writes to it; wait"
                .formatted(file)
            + " for its end, or resume a copy of the folder");
  }

  /// Whether no other owner, in this process or another, holds the lock that is taken.
  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static void copyLines(@Nullable FileChannel from, int steps, Path to) throws IOException {
    try (Writer out = Files.newBufferedWriter(to)) {
      if (from == null) {
        return;
      }
      // Left open: closing any stream of the file would give up the lock.
      Reader in =
          new BufferedReader(
              new InputStreamReader(Channels.newInputStream(from), StandardCharsets.UTF_8));
      int last = 0;
      for (String line = line(in); line != null; line = line(in)) {
        int number = number(line);
        if (number > last && number <= steps) {
          out.write(line);
          out.write('\n');
          last = number;
        }
      }
    }
  }

  /// The next line, of which no more is kept than a line may have; null at the end.
  private static @Nullable String line(Reader in) throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    if (next < 0) {
      return null;
    }
    for (; next >= 0 && next != '\n'; next = in.read()) {
      if (line.length() < LONGEST_LINE) {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  /// The number of the step of a line; 0 of a line that cannot be read.
  private static int number(String line) {
    RunMetrics.Step step = RunMetrics.step(line);
    return step == null ? 0 : step.number();
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
    if (closed) {
      return;
    }
    closed = true;
    try {
      out.close();
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    } finally {
      OPEN.remove(key);
    }
  }
}
