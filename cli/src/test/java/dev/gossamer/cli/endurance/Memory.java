package dev.gossamer.cli.endurance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What this process holds of the machine's memory, as Linux and the virtual machine count it.
final class Memory {
  private static final Path STATUS = Path.of("/proc/self/status");

  /// The pools of the Java heap in which a large object can be.
  private static final List<MemoryPoolMXBean> HEAP =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .toList();

  private Memory() {}

  /// {@return bytes resident}
  static long resident() {
    return kibibytes("VmRSS") << 10;
  }

  /// {@return most bytes that were resident since [#mark]}
  static long peakResident() {
    return kibibytes("VmHWM") << 10;
  }

  /// {@return bytes of the Java heap in use, garbage included}
  static long heap() {
    return HEAP.stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
  }

  /// {@return most bytes of the Java heap that were in use since [#mark], garbage included}
  static long peakHeap() {
    return HEAP.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
  }

  /// Lets peaks begin anew.
  static void mark() {
    HEAP.forEach(MemoryPoolMXBean::resetPeakUsage);
    try {
      Files.writeString(Path.of("/proc/self/clear_refs"), "5");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long kibibytes(String name) {
    try {
      Matcher found = Pattern.compile(name + ":\\s+([0-9]+) kB").matcher(Files.readString(STATUS));
      if (!found.find()) {
        throw new IOException(STATUS + " without " + name);
      }
      return Long.parseLong(found.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
