package dev.gossamer.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// The most memory of its own, mapped files not counted, that this process has resident between two
/// moments: asked of the system every few milliseconds.
final class PeakMemory implements AutoCloseable {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final long INTERVAL_MILLIS = 5;

  private final long before = resident();
  private final Thread watch = Thread.ofPlatform().daemon().name("peak-memory").start(this::watch);
  private volatile long peak = before;
  private volatile boolean ended;

  private void watch() {
    while (!ended) {
      peak = Math.max(peak, resident());
      try {
        Thread.sleep(INTERVAL_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static long resident() {
    if (!Files.isReadable(STATUS)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith("RssAnon:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Bytes more than at the beginning, the Java heap included; 0 where the system does not say.
  long addedBytes() {
    return Math.max(peak, resident()) - before;
  }

  @Override
  public void close() {
    ended = true;
    watch.interrupt();
  }
}
