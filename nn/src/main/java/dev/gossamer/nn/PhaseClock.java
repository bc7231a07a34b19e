package dev.gossamer.nn;

import java.util.EnumMap;
import java.util.Map;

/// Adds up the wall-clock time of each [Phase] as the calling thread of a rank sees it. Phases do
/// not nest. It adds no barrier.
public final class PhaseClock {
  private final Map<Phase, Long> nanos = new EnumMap<>(Phase.class);

  /// Runs `work` and adds its time to `phase`.
  public void measure(Phase phase, Runnable work) {
    long start = System.nanoTime();
    work.run();
    nanos.merge(phase, System.nanoTime() - start, Long::sum);
  }

  /// Seconds of each phase since the last call.
  public Map<Phase, Double> take() {
    Map<Phase, Double> seconds = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      seconds.put(phase, nanos.getOrDefault(phase, 0L) / 1e9);
    }
    nanos.clear();
    return seconds;
  }
}
