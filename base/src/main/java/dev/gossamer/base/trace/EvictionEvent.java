package dev.gossamer.base.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// Rows that a cache has lost, for JDK Flight Recorder: `dev.gossamer.Eviction`.
@Name("dev.gossamer.Eviction")
@Label("Eviction")
@Category("Gossamer")
@Description("Rows that a cache of embeddings lost before a batch")
@StackTrace(false)
@SuppressWarnings({"UnusedVariable", "FieldCanBeLocal"}) // JDK Flight Recorder reads the fields.
public final class EvictionEvent extends Event {
  @Label("Layer")
  private int layer;

  @Label("Expired")
  private long expired;

  @Label("Replaced")
  private long replaced;

  @Label("Kept")
  private long kept;

  private EvictionEvent() {}

  /// Is written if it is recorded, and rows were lost.
  ///
  /// @param layer whose inputs are cached, 1-based
  /// @param expired rows that were too old
  /// @param replaced rows that gave way to newer ones of other vertices
  /// @param kept rows that are in the cache now
  public static void happened(int layer, long expired, long replaced, long kept) {
    if (expired + replaced == 0) {
      return;
    }
    EvictionEvent event = new EvictionEvent();
    if (event.shouldCommit()) {
      event.layer = layer;
      event.expired = expired;
      event.replaced = replaced;
      event.kept = kept;
      event.commit();
    }
  }
}
