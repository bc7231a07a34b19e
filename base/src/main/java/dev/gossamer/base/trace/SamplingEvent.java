package dev.gossamer.base.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/// A step of drawing minibatches, perhaps beside the computation, for JDK Flight Recorder:
/// `dev.gossamer.Sampling`.
@Name("dev.gossamer.Sampling")
@Label("Sampling")
@Category("Gossamer")
@Description("A step of drawing minibatches")
@StackTrace(false)
@Threshold("20 us")
@SuppressWarnings({"UnusedVariable", "FieldCanBeLocal"}) // JDK Flight Recorder reads the fields.
public final class SamplingEvent extends Event {
  @Label("Step")
  private String step = "";

  private SamplingEvent() {}

  /// {@return an event that begins now}
  public static SamplingEvent begun() {
    SamplingEvent event = new SamplingEvent();
    event.begin();
    return event;
  }

  /// Ends now, and is written if it is recorded.
  ///
  /// @param step of drawing: `extraction`
  public void ended(String step) {
    end();
    if (shouldCommit()) {
      this.step = step;
      commit();
    }
  }
}
