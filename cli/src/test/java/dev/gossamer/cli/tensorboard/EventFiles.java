package dev.gossamer.cli.tensorboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import dev.gossamer.run.RunMetrics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.tensorflow.proto.Event;
import org.tensorflow.proto.HistogramProto;
import org.tensorflow.proto.SessionLog;
import org.tensorflow.proto.Summary;

/// What readers see of the event files of a folder: records as TensorFlow writes them, messages by
/// TensorFlow's own classes, and the rule by which a start drops earlier events.
///
/// @param events of all files, without those that were dropped
/// @param dropped events
public record EventFiles(List<Event> events, List<Event> dropped) {
  /// Reads the files in the order of their names.
  public static EventFiles read(Path folder) throws IOException {
    List<Event> events = new ArrayList<>();
    List<Event> dropped = new ArrayList<>();
    for (Path file : files(folder)) {
      List<Event> read = records(file);
      assertThat(read.getFirst().getFileVersion()).isEqualTo("brain.Event:2");
      for (Event event : read) {
        if (event.getSessionLog().getStatus() == SessionLog.SessionStatus.START) {
          List<Event> later =
              events.stream().filter(each -> each.getStep() >= event.getStep()).toList();
          dropped.addAll(later);
          events.removeAll(later);
        }
        events.add(event);
      }
    }
    return new EventFiles(events, dropped);
  }

  static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.getFileName().toString().contains("tfevents"))
          .sorted()
          .toList();
    }
  }

  private static List<Event> records(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    List<Event> events = new ArrayList<>();
    while (bytes.hasRemaining()) {
      byte[] length = new byte[Long.BYTES];
      bytes.get(bytes.position(), length);
      byte[] data = new byte[Math.toIntExact(bytes.getLong())];
      assertThat(bytes.getInt()).isEqualTo(masked(length));
      bytes.get(data);
      assertThat(bytes.getInt()).isEqualTo(masked(data));
      Event event = Event.parseFrom(data);
      assertThat(event.getUnknownFields().asMap()).isEmpty();
      assertThat(event.getWallTime()).isPositive();
      events.add(event);
    }
    return events;
  }

  /// CRC-32C bit by bit, polynomial 0x1edc6f41 reflected, masked as TensorFlow's records are.
  static int masked(byte... data) {
    int crc = -1;
    for (byte each : data) {
      crc ^= each & 0xff;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x82f63b78;
      }
    }
    crc = ~crc;
    return (crc >>> 15 | crc << 17) + 0xa282ead8;
  }

  private Stream<Summary.Value> values() {
    return events.stream().flatMap(event -> event.getSummary().getValueList().stream());
  }

  /// The numbers of each step by tag.
  Map<Long, Map<String, Float>> scalars() {
    Map<Long, Map<String, Float>> scalars = new TreeMap<>();
    for (Event event : events) {
      for (Summary.Value value : event.getSummary().getValueList()) {
        if (value.getValueCase() == Summary.Value.ValueCase.SIMPLE_VALUE) {
          Float before =
              scalars
                  .computeIfAbsent(event.getStep(), _ -> new TreeMap<>())
                  .put(value.getTag(), value.getSimpleValue());
          assertThat(before).as("%s of step %d", value.getTag(), event.getStep()).isNull();
        }
      }
    }
    return scalars;
  }

  /// The histograms of each step by tag.
  Map<Long, Map<String, HistogramProto>> histograms() {
    Map<Long, Map<String, HistogramProto>> histograms = new TreeMap<>();
    for (Event event : events) {
      for (Summary.Value value : event.getSummary().getValueList()) {
        if (value.hasHisto()) {
          assertThat(
                  histograms
                      .computeIfAbsent(event.getStep(), _ -> new TreeMap<>())
                      .put(value.getTag(), value.getHisto()))
              .isNull();
        }
      }
    }
    return histograms;
  }

  /// The numbers of a step by tag; none if there is no such step.
  Map<String, Float> scalarsOf(long step) {
    return scalars().getOrDefault(step, Map.of());
  }

  /// The histograms of a step by tag; none if there are none.
  Map<String, HistogramProto> histogramsOf(long step) {
    return histograms().getOrDefault(step, Map.of());
  }

  /// The value of a setting; of no kind if there is none.
  Value hparam(String flag) throws IOException {
    return hparams().getOrDefault(flag, Value.getDefaultInstance());
  }

  /// The settings of the hyperparameter plugin, by its `SessionStartInfo`.
  Map<String, Value> hparams() throws IOException {
    UnknownFieldSet data = plugin("_hparams_/session_start_info").getFirst();
    Map<String, Value> hparams = new TreeMap<>();
    UnknownFieldSet info =
        UnknownFieldSet.parseFrom(data.getField(3).getLengthDelimitedList().getFirst());
    for (ByteString bytes : info.getField(1).getLengthDelimitedList()) {
      UnknownFieldSet entry = UnknownFieldSet.parseFrom(bytes);
      hparams.put(
          entry.getField(1).getLengthDelimitedList().getFirst().toStringUtf8(),
          Value.parseFrom(entry.getField(2).getLengthDelimitedList().getFirst()));
    }
    return hparams;
  }

  /// How the run ended, by `SessionEndInfo`: 1 for success, 2 for failure, 0 for neither.
  public List<Long> ends() throws IOException {
    List<Long> ends = new ArrayList<>();
    for (UnknownFieldSet data : plugin("_hparams_/session_end_info")) {
      ends.add(
          UnknownFieldSet.parseFrom(data.getField(4).getLengthDelimitedList().getFirst())
              .getField(1)
              .getVarintList()
              .getFirst());
    }
    return ends;
  }

  private List<UnknownFieldSet> plugin(String tag) throws IOException {
    List<UnknownFieldSet> contents = new ArrayList<>();
    for (Summary.Value value : values().filter(each -> each.getTag().equals(tag)).toList()) {
      assertThat(value.getMetadata().getPluginData().getPluginName()).isEqualTo("hparams");
      assertThat(value.getTensor().getTensorShape().getDim(0).getSize()).isEqualTo(1);
      contents.add(UnknownFieldSet.parseFrom(value.getMetadata().getPluginData().getContent()));
    }
    return contents;
  }

  /// Compares with what a run has left.
  ///
  /// @param metrics `metrics.jsonl`
  public void assertAsIn(Path metrics) {
    Map<Long, Map<String, Float>> found = scalars();
    Set<Long> steps = new TreeSet<>();
    for (RunMetrics.Step step : RunMetrics.read(metrics).steps()) {
      Map<String, Float> expected = new TreeMap<>();
      step.numbers().forEach((key, value) -> expected.put("training/" + key, value.floatValue()));
      expected.remove("training/" + step.unit());
      step.phases()
          .forEach((phase, value) -> expected.put("phase_seconds/" + phase, value.floatValue()));
      step.scores()
          .forEach((part, scores) ->
              scores.forEach(
                  (metric, value) -> expected.put(metric + "/" + part, value.floatValue())));
      Map<String, Float> values = new TreeMap<>(scalarsOf(step.number()));
      values.keySet().removeIf(tag -> tag.startsWith("final/"));
      assertThat(values).as("step %d", step.number()).isEqualTo(expected);
      assertThat(expected).containsKeys("training/loss", "training/seconds");
      steps.add((long) step.number());
    }
    assertThat(found.keySet()).isEqualTo(steps);
  }
}
