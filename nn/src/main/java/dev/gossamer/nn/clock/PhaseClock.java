package dev.gossamer.nn.clock;

import dev.gossamer.base.trace.PhaseEvent;
import dev.gossamer.base.trace.Timeline;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/// Adds up the wall-clock time of each [Phase] on the calling thread of a rank, and records it on a
/// timeline and for JDK Flight Recorder. Phases do not nest. Adds no barrier.
public final class PhaseClock {
  private static final String STEP = "step";

  private final Map<Phase, Long> nanos = new EnumMap<>(Phase.class);
  private final Timeline timeline;

  /// Creates a clock without a timeline.
  public PhaseClock() {
    this(Timeline.OFF);
  }

  /// Creates a clock with a timeline.
  ///
  /// @param timeline to record on
  public PhaseClock(Timeline timeline) {
    this.timeline = timeline;
  }

  /// Runs `work` and adds its time to `phase`; recorded under the name of phase and step, `matmul
  /// layer 1 forward`.
  ///
  /// @param phase that the time belongs to
  /// @param work to measure
  public void measure(Phase phase, Runnable work) {
    measure(
        phase,
        timeline.isRecording()
            ? (phase.label() + " " + timeline.innermost()).strip()
            : phase.label(),
        work);
  }

  /// Runs `work` and adds its time to `phase`.
  ///
  /// @param phase that the time belongs to
  /// @param name on the timeline, also of communication that begins in it: `spmm stage 2`
  /// @param work to measure
  public void measure(Phase phase, String name, Runnable work) {
    PhaseEvent event = PhaseEvent.begun();
    long start = begin(phase, name);
    work.run();
    end(phase, start);
    event.ended(phase.label(), name);
  }

  /// Measures like [#measure(Phase, String, Runnable)], for work that returns a result.
  ///
  /// @param <T> type of the result
  /// @param phase that the time belongs to
  /// @param name on the timeline
  /// @param work to measure
  /// @return the result of the work
  public <T> T measured(Phase phase, String name, Supplier<T> work) {
    PhaseEvent event = PhaseEvent.begun();
    long start = begin(phase, name);
    T result = work.get();
    end(phase, start);
    event.ended(phase.label(), name);
    return result;
  }

  /// {@return the timeline}
  public Timeline timeline() {
    return timeline;
  }

  private long begin(Phase phase, String name) {
    long start = System.nanoTime();
    timeline.begin(phase.label(), name, start);
    return start;
  }

  private void end(Phase phase, long start) {
    long end = System.nanoTime();
    timeline.end(end);
    nanos.merge(phase, end - start, Long::sum);
  }

  /// Records a step, which contains phases and ends when it is closed.
  ///
  /// @param name such as `layer 1 forward`
  /// @return to be closed when the step ends
  public Timeline.Open step(String name) {
    return timeline.open(STEP, name);
  }

  /// Records an epoch as a step, and discards earlier measurements. When it is closed, the
  /// remaining time is that of [Phase#OTHER].
  ///
  /// @param number 1-based
  /// @return to be closed when the epoch ends
  public Timeline.Open epoch(int number) {
    timeline.beginEpoch(number);
    nanos.clear();
    long start = System.nanoTime();
    timeline.begin(STEP, "epoch " + number, start);
    return () -> {
      long end = System.nanoTime();
      timeline.end(end);
      long measured = nanos.values().stream().mapToLong(Long::longValue).sum();
      nanos.merge(Phase.OTHER, end - start - measured, Long::sum);
    };
  }

  /// {@return the seconds of each phase since the last call or the beginning of the epoch}
  public Map<Phase, Double> take() {
    Map<Phase, Double> seconds = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      seconds.put(phase, nanos.getOrDefault(phase, 0L) / 1e9);
    }
    nanos.clear();
    return seconds;
  }
}
