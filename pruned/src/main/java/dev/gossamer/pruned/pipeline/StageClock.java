package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.trace.PhaseEvent;
import dev.gossamer.base.trace.Timeline;
import java.util.EnumMap;
import java.util.Map;

/// Adds up a rank's time by [StagePhase] and records it on a timeline. Phases do not nest. Adds no
/// barrier.
final class StageClock {
  private final Timeline timeline;
  private final Map<StagePhase, Long> nanos = new EnumMap<>(StagePhase.class);
  private long started;

  StageClock(Timeline timeline) {
    this.timeline = timeline;
  }

  /// Begins an iteration.
  ///
  /// @param number 1-based
  void begin(int number) {
    timeline.beginEpoch(number);
    nanos.clear();
    started = System.nanoTime();
  }

  /// Runs `work` and adds its time to `phase`.
  ///
  /// @param name on the timeline: `forward 3`
  /// @return the time, in nanoseconds
  long measure(StagePhase phase, String name, Runnable work) {
    PhaseEvent event = PhaseEvent.begun();
    long begin = System.nanoTime();
    timeline.begin(phase.label(), name, begin);
    work.run();
    long end = System.nanoTime();
    timeline.end(end);
    event.ended(phase.label(), name);
    add(phase, end - begin);
    return end - begin;
  }

  /// Moves time that was measured as part of one phase to another.
  void move(StagePhase from, StagePhase to, long amount) {
    add(from, -amount);
    add(to, amount);
  }

  private void add(StagePhase phase, long amount) {
    nanos.merge(phase, amount, Long::sum);
  }

  /// Returns the seconds of each phase in the iteration that ends now; [StagePhase#OTHER] is the
  /// remaining time.
  Map<StagePhase, Double> end() {
    long all = System.nanoTime() - started;
    long measured = nanos.values().stream().mapToLong(Long::longValue).sum();
    add(StagePhase.OTHER, all - measured);
    Map<StagePhase, Double> seconds = new EnumMap<>(StagePhase.class);
    for (StagePhase phase : StagePhase.values()) {
      seconds.put(phase, nanos.getOrDefault(phase, 0L) / 1e9);
    }
    return seconds;
  }
}
