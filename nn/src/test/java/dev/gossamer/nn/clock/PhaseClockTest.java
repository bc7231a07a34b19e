package dev.gossamer.nn.clock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.trace.Interval;
import dev.gossamer.base.trace.Timeline;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PhaseClockTest {
  private static void epoch(PhaseClock clock, int number) {
    try (var _ = clock.epoch(number)) {
      try (var _ = clock.step("layer 1 forward")) {
        clock.measure(Phase.MATMUL, () -> {});
        clock.measure(Phase.SPMM, "spmm stage 2", () -> {});
      }
      assertThat(clock.measured(Phase.REDUCE, "allreduce loss", () -> 3)).isEqualTo(3);
    }
  }

  @Test
  void drawsExactlyWhatItMeasures() {
    Timeline timeline = Timeline.ofEpochs(1);
    PhaseClock clock = new PhaseClock(timeline);
    epoch(clock, 4);
    Map<Phase, Double> seconds = clock.take();
    epoch(clock, 5);
    List<Interval.Computation> drawn =
        timeline.intervals().stream().map(Interval.Computation.class::cast).toList();
    assertThat(drawn)
        .extracting(i -> i.category() + ": " + i.name() + " in " + i.within())
        .containsExactly(
            "matmul: matmul layer 1 forward in layer 1 forward",
            "spmm: spmm stage 2 in layer 1 forward",
            "step: layer 1 forward in epoch 4",
            "reduce: allreduce loss in epoch 4",
            "step: epoch 4 in ");
    for (Interval.Computation each : drawn) {
      assertThat(each.epoch()).isEqualTo(4);
    }
    assertThat(seconds.get(Phase.SPMM)).isEqualTo(nanos(drawn.get(1)) / 1e9);
    long measured = nanos(drawn.get(0)) + nanos(drawn.get(1)) + nanos(drawn.get(3));
    assertThat(seconds.get(Phase.OTHER)).isEqualTo((nanos(drawn.get(4)) - measured) / 1e9);
  }

  @Test
  void anEpochForgetsWhatWasMeasuredBefore() {
    PhaseClock clock = new PhaseClock();
    clock.measure(Phase.EXCHANGE, () -> {});
    epoch(clock, 1);
    Map<Phase, Double> seconds = clock.take();
    assertThat(seconds).containsOnlyKeys(Phase.values());
    assertThat(seconds.get(Phase.EXCHANGE)).isZero();
    assertThat(clock.take().values()).containsOnly(0.0);
  }

  private static long nanos(Interval interval) {
    return interval.endNanos() - interval.beginNanos();
  }
}
