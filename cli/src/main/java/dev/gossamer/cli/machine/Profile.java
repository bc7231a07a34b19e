package dev.gossamer.cli.machine;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.terminal.ReportPart;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A recording of this process by JDK Flight Recorder.
public final class Profile implements AutoCloseable {
  private static final String FILE = "profile.jfr";
  private static final String SAMPLE = "jdk.ExecutionSample";

  /// Methods that are shown.
  private static final int SHOWN = 10;

  private final Recording recording;

  Profile(Recording recording) {
    this.recording = recording;
  }

  /// What was recorded.
  ///
  /// @param file the recording
  /// @param samples of threads that ran Java code
  /// @param methods those with most samples, most first
  public record Result(Path file, long samples, List<Method> methods) implements ReportPart {
    /// A method, and the samples in which it ran, inlined or not.
    ///
    /// @param name with that of its class
    /// @param samples of it
    public record Method(String name, long samples) {}

    /// Copies the list.
    public Result {
      methods = List.copyOf(methods);
    }

    @Override
    public String key() {
      return "profile";
    }

    /// Prints a table.
    @Override
    public void print(PrintWriter out) {
      out.printf("profile  %s, %,d samples%n%n", file, samples);
      Table table = new Table();
      table.row("share", "method");
      for (Method method : methods) {
        table.row(
            String.format(Locale.ROOT, "%.1f %%", 100.0 * method.samples / samples), method.name);
      }
      table.print(out);
    }

    @Override
    public void put(ObjectNode node) {
      node.put("file", file.toString());
      node.put("samples", samples);
      ArrayNode all = node.putArray("methods");
      for (Method method : methods) {
        all.addObject().put("method", method.name).put("samples", method.samples);
      }
    }
  }

  /// Stops, and writes the recording into the folder of a run.
  ///
  /// @throws InvalidInputException if it cannot be written
  public Result end(Path folder) {
    recording.stop();
    Path file = new RunFolder(folder).file(FILE);
    AtomicOutput.file(file, recording::dump);
    try {
      return result(file);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static Result result(Path file) throws IOException {
    Map<String, Long> counts = new HashMap<>();
    long samples = 0;
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        String method = running(events.readEvent());
        if (method != null) {
          samples++;
          counts.merge(method, 1L, Long::sum);
        }
      }
    }
    List<Result.Method> most =
        counts.entrySet().stream()
            .map(each -> new Result.Method(each.getKey(), each.getValue()))
            .sorted(
                Comparator.comparingLong((Result.Method method) -> -method.samples)
                    .thenComparing(Result.Method::name))
            .limit(SHOWN)
            .toList();
    return new Result(file, samples, most);
  }

  /// The innermost method of a sample; null of other events.
  private static @Nullable String running(RecordedEvent event) {
    if (!event.getEventType().getName().equals(SAMPLE) || event.getStackTrace() == null) {
      return null;
    }
    List<RecordedFrame> frames = event.getStackTrace().getFrames();
    if (frames.isEmpty()) {
      return null;
    }
    RecordedMethod method = frames.getFirst().getMethod();
    return method.getType().getName() + "." + method.getName();
  }

  @Override
  public void close() {
    recording.close();
  }
}
