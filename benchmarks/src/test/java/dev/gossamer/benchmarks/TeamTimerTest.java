package dev.gossamer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TeamTimerTest {
  /// A side that takes one, two, three, ... milliseconds by the clock of the test.
  @Test
  void sidesHaveTheMedianOfOneOfTheirRepetitions() {
    AtomicLong now = new AtomicLong();
    AtomicLong turns = new AtomicLong();
    Runnable slower = () -> now.addAndGet(turns.incrementAndGet() * 1_000_000);
    Runnable constant = () -> now.addAndGet(5_000_000);
    double[] medians = new TeamTimer(now::get, 5).medians(List.of(slower, constant), 2);
    // After three runs to warm up of two repetitions each: 7 and 8, 9 and 10, .., 15 and 16.
    assertThat(medians).containsExactly(11.5, 5);
  }

  @Test
  void ofAnEvenNumberTheMedianIsTheUpperOne() {
    double[] values = {4, 1, 3, 2};
    assertThat(TeamTimer.median(values)).isEqualTo(3);
    assertThat(values).containsExactly(4, 1, 3, 2);
  }
}
