package dev.gossamer.gnn.sampling;

import dev.gossamer.base.trace.Interval;
import dev.gossamer.base.trace.SamplingEvent;
import dev.gossamer.base.trace.Timeline;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/// Adds up the time of the steps of drawing and records them on a timeline; may be read
/// concurrently.
final class SamplingClock {
  private final LongAdder probability = new LongAdder();
  private final LongAdder sampling = new LongAdder();
  private final LongAdder extraction = new LongAdder();
  private final LongAdder communication = new LongAdder();
  private Timeline timeline = Timeline.OFF;

  /// Records on a timeline from now on.
  void drawOn(Timeline where) {
    timeline = where;
  }

  <T> T probability(Supplier<T> work) {
    return measured("probability", probability, work);
  }

  <T> T sampling(Supplier<T> work) {
    return measured("sampling", sampling, work);
  }

  <T> T extraction(Supplier<T> work) {
    return measured("extraction", extraction, work);
  }

  <T> T communication(Supplier<T> work) {
    return measured("communication", communication, work);
  }

  private <T> T measured(String name, LongAdder nanos, Supplier<T> work) {
    boolean drawn = timeline.isRecording();
    SamplingEvent event = SamplingEvent.begun();
    long start = System.nanoTime();
    T result = work.get();
    long end = System.nanoTime();
    event.ended(name);
    nanos.add(end - start);
    if (drawn) {
      timeline.add(new Interval.Beside(name, timeline.epoch(), start, end));
    }
    return result;
  }

  SamplingSeconds seconds() {
    return new SamplingSeconds(
        probability.sum() / 1e9,
        sampling.sum() / 1e9,
        extraction.sum() / 1e9,
        communication.sum() / 1e9);
  }
}
