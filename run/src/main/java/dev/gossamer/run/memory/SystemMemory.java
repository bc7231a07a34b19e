package dev.gossamer.run.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// The memory of the operating system. On systems without `/proc` it is unknown, and no run is
/// refused.
public final class SystemMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path CGROUP_LIMIT = Path.of("/sys/fs/cgroup/memory.max");
  private static final Path CGROUP_STAT = Path.of("/sys/fs/cgroup/memory.stat");
  private static final Path CGROUP_USED = Path.of("/sys/fs/cgroup/memory.current");

  private SystemMemory() {}

  /// {@return bytes that this process may still allocate: available memory of the kernel, or the
  /// limit of a control group}
  public static OptionalLong available() {
    OptionalLong machine = kibibytes(MEMINFO, "MemAvailable:");
    OptionalLong limit = number(CGROUP_LIMIT);
    if (machine.isEmpty() || limit.isEmpty()) {
      return machine;
    }
    // Files that were read count as used, and give way.
    long files =
        number(CGROUP_STAT, "inactive_file ").orElse(0)
            + number(CGROUP_STAT, "active_file ").orElse(0);
    long left = limit.getAsLong() - number(CGROUP_USED).orElse(0) + files;
    return OptionalLong.of(Math.max(0, Math.min(machine.getAsLong(), left)));
  }

  /// {@return bytes of the machine}
  public static OptionalLong total() {
    return kibibytes(MEMINFO, "MemTotal:");
  }

  /// {@return peak resident bytes of this process, including mapped files; 0 if unknown}
  public static long peakResident() {
    return kibibytes(STATUS, "VmHWM:").orElse(0);
  }

  private static OptionalLong kibibytes(Path file, String key) {
    OptionalLong number = number(file, key);
    return number.isEmpty() ? number : OptionalLong.of(number.getAsLong() * 1024);
  }

  /// The number behind a key at the beginning of a line.
  private static OptionalLong number(Path file, String key) {
    if (!Files.isReadable(file)) {
      return OptionalLong.empty();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(key.length()).replace("kB", "").strip())
          .mapToLong(Long::parseLong)
          .findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A file that holds one number; empty if there is no such file or it says `max`.
  private static OptionalLong number(Path file) {
    if (!Files.isReadable(file)) {
      return OptionalLong.empty();
    }
    try {
      String text = Files.readString(file).strip();
      return text.equals("max") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
