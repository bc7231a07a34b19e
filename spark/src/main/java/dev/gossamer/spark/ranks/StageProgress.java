package dev.gossamer.spark.ranks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says on the driver once a second how far a training is, by the metrics that rank 0 copies to the
/// job's folder. Nothing is said of what has no metrics, such as predictions.
final class StageProgress implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StageProgress.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /// More than a line of metrics has.
  private static final int TAIL_BYTES = 1 << 16;

  private final String name;
  private final Path metrics;
  private final Configuration conf;
  private final Consumer<String> lines;
  private final ScheduledExecutorService clock;
  private @Nullable ScheduledFuture<?> looking;
  private long last;

  /// @param name of the job
  /// @param metrics lines of JSON, one for each epoch, which need not be there yet
  /// @param conf of Hadoop
  /// @param lines told how far it is
  StageProgress(String name, Path metrics, Configuration conf, Consumer<String> lines) {
    this.name = name;
    this.metrics = metrics;
    this.conf = conf;
    this.lines = lines;
    clock =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("gossamer-progress").factory());
  }

  /// Begins to look every second.
  void start() {
    looking = clock.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
  }

  /// Says how far it is, if it has come further.
  void look() {
    try {
      FileSystem files = unchecked(metrics.getFileSystem(conf));
      if (files.exists(metrics)) {
        say(JSON.readTree(lastLine(files)));
      }
    } catch (IOException e) {
      // It is being replaced.
      LOG.debug("{}: cannot be read", metrics, e);
    }
  }

  /// The checksum of a file that is being replaced is that of its predecessor, which Hadoop
  /// reports.
  private static FileSystem unchecked(FileSystem files) {
    return files instanceof ChecksumFileSystem sums ? sums.getRawFileSystem() : files;
  }

  private void say(JsonNode epoch) {
    long number = epoch.path("epoch").asLong();
    if (number > last) {
      last = number;
      lines.accept(
          String.format(
              Locale.ROOT,
              "%s: epoch %,d, loss %.4f",
              name,
              number,
              epoch.path("loss").asDouble()));
    }
  }

  private String lastLine(FileSystem files) throws IOException {
    long size = files.getFileStatus(metrics).getLen();
    long from = Math.max(0, size - TAIL_BYTES);
    byte[] tail = new byte[(int) (size - from)];
    try (var in = files.open(metrics)) {
      in.readFully(from, tail);
    }
    String[] all = new String(tail, StandardCharsets.UTF_8).split("\n", -1);
    // What follows the last line break is not whole.
    return all.length < 2 ? "{}" : all[all.length - 2];
  }

  @Override
  public void close() {
    if (looking != null) {
      looking.cancel(false);
    }
    clock.shutdownNow();
  }
}
