package dev.gossamer.cli.tensorboard;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import dev.gossamer.nn.state.WeightHistogram;
import java.util.List;
import java.util.Map;

/// The events of a run, as messages of TensorFlow's `event.proto` and `summary.proto` and of the
/// hyperparameter plugin of TensorBoard (`plugins/hparams/plugin_data.proto`).
///
/// There is no summary `_hparams_/experiment`: TensorBoard takes it from one run of a folder, and
/// would not show the settings that only other runs have. Without, it lists those of all runs.
final class Events {
  private static final String VERSION = "brain.Event:2";
  private static final String HPARAMS = "hparams";

  /// How a run ended, by the numbers of the plugin's `Status` (`plugins/hparams/api.proto`).
  enum Status {
    /// Not by itself: it was interrupted, and may be resumed.
    UNKNOWN(0),
    SUCCESS(1),
    FAILURE(2);

    private final int number;

    Status(int number) {
      this.number = number;
    }
  }

  private Events() {}

  /// An event at a time, of a step; what it says is added to it.
  private static ProtoMessage event(long step) {
    return new ProtoMessage().float64(1, seconds()).integer(2, step);
  }

  private static double seconds() {
    return System.currentTimeMillis() / 1e3;
  }

  /// Returns the first event of each file.
  static ProtoMessage version() {
    return event(0).text(3, VERSION);
  }

  /// Returns the event by which readers drop this step and later ones of earlier files.
  ///
  /// @param step that a run begins or continues with
  static ProtoMessage start(long step) {
    return event(step).message(7, new ProtoMessage().integer(1, 1));
  }

  /// Returns numbers of a step.
  ///
  /// @param values finite, by tag
  static ProtoMessage scalars(long step, Map<String, Double> values) {
    ProtoMessage summary = new ProtoMessage();
    values.forEach(
        (tag, value) -> summary.message(1, new ProtoMessage().text(1, tag).float32(2, value)));
    return event(step).message(5, summary);
  }

  /// Returns how weights are distributed after a step.
  ///
  /// @param histograms by tag; those of no weights are left out
  static ProtoMessage histograms(long step, Map<String, WeightHistogram> histograms) {
    ProtoMessage summary = new ProtoMessage();
    histograms.forEach((tag, histogram) -> {
      if (histogram.count() > 0) {
        summary.message(1, new ProtoMessage().text(1, tag).message(5, message(histogram)));
      }
    });
    return event(step).message(5, summary);
  }

  private static ProtoMessage message(WeightHistogram histogram) {
    List<WeightHistogram.Bucket> buckets = histogram.buckets();
    return new ProtoMessage()
        .float64(1, histogram.least())
        .float64(2, histogram.greatest())
        .float64(3, (double) histogram.count())
        .float64(4, histogram.sum())
        .float64(5, histogram.squares())
        .float64s(6, buckets.stream().mapToDouble(WeightHistogram.Bucket::limit).toArray())
        .float64s(7, buckets.stream().mapToDouble(WeightHistogram.Bucket::count).toArray());
  }

  /// Returns what a run was started with.
  ///
  /// @param settings by flag; numbers and truth values are recognised
  static ProtoMessage sessionStart(Map<String, String> settings) {
    ProtoMessage info = new ProtoMessage();
    settings.forEach((flag, value) ->
        info.message(1, new ProtoMessage().text(1, flag).bytes(2, value(value).toByteString())));
    return session("session_start_info", 3, info.float64(5, seconds()));
  }

  private static Value value(String text) {
    if (text.equals("true") || text.equals("false")) {
      return Value.newBuilder().setBoolValue(text.equals("true")).build();
    }
    try {
      double number = Double.parseDouble(text);
      if (Double.isFinite(number)) {
        return Value.newBuilder().setNumberValue(number).build();
      }
    } catch (NumberFormatException e) {
      // A word.
    }
    return Value.newBuilder().setStringValue(text).build();
  }

  /// Returns that a run has ended, now.
  static ProtoMessage sessionEnd(Status status) {
    ProtoMessage info = new ProtoMessage().integer(1, status.number).float64(2, seconds());
    return session("session_end_info", 4, info);
  }

  /// A summary of the plugin, whose data are in the metadata; the tensor stands for a value.
  private static ProtoMessage session(String name, int field, ProtoMessage info) {
    ByteString content = new ProtoMessage().message(field, info).written();
    ProtoMessage metadata =
        new ProtoMessage()
            .message(1, new ProtoMessage().text(1, HPARAMS).bytes(2, content))
            .integer(4, 2);
    ProtoMessage shape = new ProtoMessage().message(2, new ProtoMessage().integer(1, 1));
    ProtoMessage tensor = new ProtoMessage().integer(1, 1).message(2, shape).float32(5, 0);
    ProtoMessage value =
        new ProtoMessage().text(1, "_hparams_/" + name).message(8, tensor).message(9, metadata);
    return event(0).message(5, new ProtoMessage().message(1, value));
  }
}
