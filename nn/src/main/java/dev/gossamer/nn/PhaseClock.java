package dev.gossamer.nn;

import java.util.EnumMap;
import java.util.Map;

/// Adds up the wall-clock time of each [Phase] as the calling thread of a rank sees it. Phases do
/// not nest. It adds no barrier.
public final class PhaseClock {
  private final long[] nanos = new long[Phase.values().length];

  /// Runs `work` and adds its time to `phase`.
  public void measure(Phase phase, Runnable work) {
    long start = System.nanoTime();
    work.run();
    nanos[phase.ordinal()] += System.nanoTime() - start;
  }

  /// Seconds of each phase since the last call.
  public Map<Phase, Double> take() {
    Map<Phase, Double> seconds = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      seconds.put(phase, nanos[phase.ordinal()] / 1e9);
      nanos[phase.ordinal()] = 0;
    }
    return seconds;
  }
}
