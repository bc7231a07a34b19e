package dev.gossamer.base.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private static Interval.Transfer transfer(int epoch) {
    return new Interval.Transfer("send", "rows", epoch, 5, 9, List.of(1), 40, 0);
  }

  @Test
  void knowsWhatHoldsAnInterval() {
    Timeline timeline = new Timeline(1, 10);
    timeline.beginEpoch(7);
    assertThat(timeline.innermost()).isEmpty();
    timeline.begin("step", "layer 1 forward", 10);
    timeline.begin("spmm", "spmm stage 0", 11);
    assertThat(timeline.innermost()).isEqualTo("spmm stage 0");
    timeline.end(12);
    assertThat(timeline.innermost()).isEqualTo("layer 1 forward");
    timeline.end(15);
    assertThat(timeline.intervals())
        .containsExactly(
            new Interval.Computation("spmm", "spmm stage 0", "layer 1 forward", 7, 11, 12),
            new Interval.Computation("step", "layer 1 forward", "", 7, 10, 15));
  }

  @Test
  void recordsTheFirstEpochsOnly() {
    Timeline timeline = new Timeline(2, 10);
    for (int epoch = 0; epoch <= 4; epoch++) {
      if (epoch > 0) {
        timeline.beginEpoch(epoch);
      }
      assertThat(timeline.isRecording()).isEqualTo(epoch == 1 || epoch == 2);
      try (var _ = timeline.open("step", "epoch " + epoch)) {
        timeline.begin("spmm", "spmm", epoch);
        timeline.end(epoch);
      }
    }
    assertThat(timeline.intervals().stream().map(Interval::epoch)).containsExactly(1, 1, 2, 2);
    timeline.add(transfer(2));
    assertThat(timeline.intervals()).hasSize(5);
  }

  @Test
  void keepsNoMoreThanItsCapacityAndCountsTheRest() {
    Timeline timeline = new Timeline(1, 3);
    timeline.beginEpoch(1);
    for (int i = 0; i < 8; i++) {
      timeline.add(transfer(1));
    }
    assertThat(timeline.intervals()).hasSize(3);
    assertThat(timeline.dropped()).isEqualTo(5);
  }

  @Test
  void isOffForNoEpochs() {
    assertThat(Timeline.ofEpochs(0)).isSameAs(Timeline.OFF);
    Timeline.OFF.beginEpoch(1);
    assertThat(Timeline.OFF.isRecording()).isFalse();
    assertThat(Timeline.OFF.epoch()).isZero();
    assertThat(Timeline.ofEpochs(1).isOn()).isTrue();
    assertThatThrownBy(() -> new Timeline(-1, 10)).isInstanceOf(IllegalArgumentException.class);
  }
}
