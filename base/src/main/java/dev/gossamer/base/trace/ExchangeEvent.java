package dev.gossamer.base.trace;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/// An operation between ranks, for JDK Flight Recorder: `dev.gossamer.Exchange`. It ends when its
/// rank sees that it is complete, which may be later than its data arrive.
@Name("dev.gossamer.Exchange")
@Label("Exchange")
@Category("Gossamer")
@Description("An operation between ranks, from its start until its rank sees that it is complete")
@StackTrace(false)
@Threshold("20 us")
@SuppressWarnings({"UnusedVariable", "FieldCanBeLocal"}) // JDK Flight Recorder reads the fields.
public final class ExchangeEvent extends Event {
  @Label("Operation")
  private String operation = "";

  @Label("Bytes Sent")
  @DataAmount
  private long sent;

  @Label("Bytes Received")
  @DataAmount
  private long received;

  private ExchangeEvent() {}

  /// {@return an event that begins now}
  public static ExchangeEvent begun() {
    ExchangeEvent event = new ExchangeEvent();
    event.begin();
    return event;
  }

  /// Ends now, and is written if it is recorded.
  ///
  /// @param operation of the communicator: `all-to-all`
  /// @param sent bytes, as counted in the traffic of the rank
  /// @param received bytes from other ranks
  public void ended(String operation, long sent, long received) {
    end();
    if (shouldCommit()) {
      this.operation = operation;
      this.sent = sent;
      this.received = received;
      commit();
    }
  }
}
