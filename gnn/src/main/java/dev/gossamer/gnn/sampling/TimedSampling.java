package dev.gossamer.gnn.sampling;

import dev.gossamer.base.trace.Timeline;

/// A sampling that measures the steps of drawing.
abstract class TimedSampling implements Sampling {
  /// Measures this sampling's steps.
  final SamplingClock clock = new SamplingClock();

  @Override
  public final void drawOn(Timeline timeline) {
    clock.drawOn(timeline);
  }

  @Override
  public final SamplingSeconds seconds() {
    return clock.seconds();
  }
}
