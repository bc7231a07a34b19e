package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.Traffic;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class IterationRecordTest {
  private static IterationRecord of(double gradientNorm) {
    return of(gradientNorm, null);
  }

  private static IterationRecord of(double gradientNorm, @Nullable Score validation) {
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
        validation);
  }

  /// JSON has no number for it, and readers expect numbers.
  @Test
  void aStepThatIsSkippedHasNoGradientNorm() {
    assertThat(of(Double.POSITIVE_INFINITY).line(10).toString())
        .contains("\"skipped\":true")
        .doesNotContain("gradient_norm", "Infinity");
    assertThat(of(Double.NaN).line(10).has("gradient_norm")).isFalse();
    JsonNode validation = of(3, Score.of(1, 800, 0)).line(10).get("validation");
    assertThat(validation.get("loss").asDouble()).isEqualTo(800);
    assertThat(validation.has("perplexity")).isFalse();
    assertThat(of(3, Score.of(1, 0, 1)).step(10).score("validation", "perplexity")).isEqualTo(1);
    assertThat(of(3).step(10).number("gradient_norm")).isEqualTo(3);
  }
}
