package dev.gossamer.base.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/// A phase of a rank's own work, for JDK Flight Recorder: `dev.gossamer.Phase`. Phases of less than
/// 20 microseconds are left out unless its settings say otherwise. Without a recording, an event
/// costs an allocation that the compiler removes.
@Name("dev.gossamer.Phase")
@Label("Phase")
@Category("Gossamer")
@Description("Work of a rank by phase")
@StackTrace(false)
@Threshold("20 us")
@SuppressWarnings({"UnusedVariable", "FieldCanBeLocal"}) // JDK Flight Recorder reads the fields.
public final class PhaseEvent extends Event {
  @Label("Phase")
  private String phase = "";

  @Label("Work")
  private String work = "";

  private PhaseEvent() {}

  /// {@return an event that begins now}
  public static PhaseEvent begun() {
    PhaseEvent event = new PhaseEvent();
    event.begin();
    return event;
  }

  /// Ends now, and is written if it is recorded.
  ///
  /// @param phase kind of work: `spmm`
  /// @param work readable name: `spmm layer 1 forward`
  public void ended(String phase, String work) {
    end();
    if (shouldCommit()) {
      this.phase = phase;
      this.work = work;
      commit();
    }
  }
}
