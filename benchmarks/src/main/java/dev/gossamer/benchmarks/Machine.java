package dev.gossamer.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// What a measurement ran on.
///
/// @param cpu the processor's name
/// @param processors that the JVM may use
/// @param jdk version of the JVM
/// @param flags of the JVM
/// @param tunables `GLIBC_TUNABLES`, which decides on huge pages
/// @param command main class and arguments
record Machine(
    String cpu, int processors, String jdk, List<String> flags, String tunables, String command) {
  Machine {
    flags = List.copyOf(flags);
  }

  static Machine here() {
    return new Machine(
        cpuName(),
        Runtime.getRuntime().availableProcessors(),
        Runtime.version() + " (" + System.getProperty("java.vm.vendor") + ")",
        ManagementFactory.getRuntimeMXBean().getInputArguments(),
        Objects.requireNonNullElse(System.getenv("GLIBC_TUNABLES"), ""),
        System.getProperty("sun.java.command", ""));
  }

  /// As lines of text, each ended.
  String text() {
    return """
    cpu         %s, %d processors
    jdk         %s
    flags       %s
    tunables    %s
    command     %s
    """
        .formatted(cpu, processors, jdk, String.join(" ", flags), tunables, command);
  }

  private static String cpuName() {
    Path info = Path.of("/proc/cpuinfo");
    if (!Files.exists(info)) {
      return System.getProperty("os.arch");
    }
    try (Stream<String> lines = Files.lines(info)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 2))
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
