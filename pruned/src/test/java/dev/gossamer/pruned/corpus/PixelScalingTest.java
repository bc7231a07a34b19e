package dev.gossamer.pruned.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PixelScalingTest {
  private static void refused(List<Double> means, List<Double> deviations) {
    assertThatIllegalArgumentException().isThrownBy(() -> new PixelScaling(means, deviations));
  }

  @Test
  void channelsHaveAMeanAndADeviation() {
    PixelScaling scaling = new PixelScaling(List.of(0.0, 255.0), List.of(1.0, 64.5));
    assertThat(PixelScaling.of("file", scaling.description(), 2)).isEqualTo(scaling);
    refused(List.of(1.0), List.of(1.0, 2.0));
    refused(List.of(256.0), List.of(1.0));
    refused(List.of(Double.NaN), List.of(1.0));
    refused(List.of(1.0), List.of(0.0));
    refused(List.of(1.0), List.of(Double.POSITIVE_INFINITY));
  }

  @Test
  void aFileWithOtherMeansIsRefused() {
    Map<String, String> description = Map.of("means", "256.0", "deviations", "1.0");
    assertThatThrownBy(() -> PixelScaling.of("file", description, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("file: means: expected at most 255, found 256.0");
  }
}
