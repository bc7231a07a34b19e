package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.Traffic;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IterationRecordTest {
  private static IterationRecord of(double gradientNorm) {
    return new IterationRecord(
        1,
        1e-3,
        new RankGrid(1, 1),
        new IterationResult(
            2,
            new IterationResult.Update(gradientNorm, 4, !Double.isFinite(gradientNorm)),
            false,
            new IterationResult.Times(1, Map.of(), 0, 0),
            new IterationResult.Sent(new Traffic(1).snapshot(), 0)),
        10,
        null);
  }

  /// JSON has no number for it, and readers expect numbers.
  @Test
  void aStepThatIsSkippedHasNoGradientNorm() {
    assertThat(of(Double.POSITIVE_INFINITY).line(10).toString())
        .contains("\"skipped\":true")
        .doesNotContain("gradient_norm", "Infinity");
    assertThat(of(Double.NaN).line(10).has("gradient_norm")).isFalse();
    assertThat(of(3).step(10).number("gradient_norm")).isEqualTo(3);
  }
}
