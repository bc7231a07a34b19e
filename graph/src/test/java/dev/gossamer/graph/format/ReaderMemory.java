package dev.gossamer.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/// Memory outside of the Java heap that a reader took in several readings of a file, as the virtual
/// machine counted what it had given and got back. A virtual machine of its own: nothing else takes
/// or frees any there.
///
/// @param left bytes that the reader never gave back
/// @param most bytes that it had at the same time
record ReaderMemory(long left, long most) {
  private static final int TIMES = 2;

  /// What Java code has allocated, in native memory tracking; the peak is absent as long as it is
  /// the present size.
  private static final Pattern ALLOCATED =
      Pattern.compile("malloc=(\\d+) \\w+=Other #\\d+\\) \\((?:at peak|peak=(\\d+) #\\d+)\\)");

  private static final Pattern WRITTEN = Pattern.compile("left (-?\\d+) most (\\d+)\\R");

  private record Allocated(long now, long peak) {
    static Allocated look() throws JMException {
      Object summary =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "vmNativeMemory",
                  new Object[] {new String[] {"summary", "scale=B"}},
                  new String[] {String[].class.getName()});
      Matcher matcher = ALLOCATED.matcher(String.valueOf(summary));
      if (!matcher.find()) {
        throw new IllegalStateException("no memory of Java code in: " + summary);
      }
      long now = Long.parseLong(matcher.group(1));
      return new Allocated(now, matcher.group(2) == null ? now : Long.parseLong(matcher.group(2)));
    }
  }

  /// Has a file refused [#TIMES] times.
  ///
  /// @param as `data set`, `array` or `archive`
  static ReaderMemory ofRefused(String as, Path file) throws IOException, InterruptedException {
    return measured(as, file.toString());
  }

  /// Has a data set converted [#TIMES] times.
  static ReaderMemory ofConversion(Path data, Path target)
      throws IOException, InterruptedException {
    return measured("conversion", data.toString(), target.toString());
  }

  private static ReaderMemory measured(String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:NativeMemoryTracking=summary");
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-modules=jdk.incubator.vector");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(ReaderMemory.class.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
    Matcher written = WRITTEN.matcher(text);
    assertThat(written.find()).as(text).isTrue();
    return new ReaderMemory(Long.parseLong(written.group(1)), Long.parseLong(written.group(2)));
  }

  public static void main(String[] arguments) throws JMException {
    // Once before counting: the buffers that a thread reads files by stay with it.
    run(arguments);
    Allocated before = Allocated.look();
    for (int i = 0; i < TIMES; i++) {
      run(arguments);
    }
    Allocated after = Allocated.look();
    System.out.printf("left %d most %d%n", after.now - before.now, after.peak - before.now);
  }

  private static void run(String... arguments) {
    Path file = Path.of(arguments[1]);
    if (arguments[0].equals("conversion")) {
      convert(file, Path.of(arguments[2]));
      return;
    }
    try {
      read(arguments[0], file);
    } catch (InvalidInputException e) {
      return;
    }
    throw new IllegalStateException(file + " was not refused");
  }

  private static void convert(Path data, Path target) {
    try (StreamedData read = Datasets.stream(data, ReadOptions.DEFAULT)) {
      read.write(target)
          .ifPresent(reason -> {
            throw new IllegalStateException(reason);
          });
    }
  }

  private static void read(String as, Path file) {
    switch (as) {
      case "data set" -> Datasets.open(file).close();
      case "array" -> {
        try (Arena arena = Arena.ofConfined()) {
          List<Long> _ = NpyArray.read(arena, file).shape();
        }
      }
      case "archive" -> {
        try (NpzFile npz = NpzFile.open(file)) {
          List<Long> _ = npz.array("x").shape();
        }
      }
      default -> throw new IllegalArgumentException(as);
    }
  }
}
