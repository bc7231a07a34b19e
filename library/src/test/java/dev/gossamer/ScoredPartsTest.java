package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.graph.Split;
import dev.gossamer.run.Evaluation;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which part is scored.
class ScoredPartsTest {
  private static Evaluation.Scores scores(long count) {
    return new Evaluation.Scores(count, Map.of());
  }

  @ParameterizedTest
  @CsvSource({"3, 2, 1, TEST", "3, 2, 0, VALIDATION", "3, 0, 1, TEST", "3, 0, 0, TRAIN"})
  void theLastWithVerticesIs(long train, long validation, long test, Split expected) {
    Evaluation scores = new Evaluation(scores(train), scores(validation), scores(test));
    assertThat(ScoredParts.last(scores)).isEqualTo(expected);
  }

  @Test
  void whatBelongsToAPartIsGiven() {
    assertThat(ScoredParts.of(Split.TRAIN, "a", "b", "c")).isEqualTo("a");
    assertThat(ScoredParts.of(Split.VALIDATION, "a", "b", "c")).isEqualTo("b");
    assertThat(ScoredParts.of(Split.TEST, "a", "b", "c")).isEqualTo("c");
    assertThatThrownBy(() -> ScoredParts.of(Split.NONE, "a", "b", "c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected one of three");
  }
}
