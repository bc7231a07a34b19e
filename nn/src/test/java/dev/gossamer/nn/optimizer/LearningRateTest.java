package dev.gossamer.nn.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearningRateTest {
  @Test
  void constantStaysTheSame() {
    assertThat(new LearningRate.Constant(0.3).at(1000)).isEqualTo(0.3);
  }

  @Test
  void stepFallsAtEachMultiple() {
    LearningRate step = new LearningRate.Step(1, 10, 0.5);
    assertThat(step.at(9)).isEqualTo(1);
    assertThat(step.at(10)).isEqualTo(0.5);
    assertThat(step.at(39)).isEqualTo(0.125);
  }

  @Test
  void cosineGoesFromTheRateToZero() {
    LearningRate cosine = new LearningRate.Cosine(2, 100);
    assertThat(cosine.at(0)).isEqualTo(2);
    assertThat(cosine.at(50)).isCloseTo(1, within(1e-12));
    assertThat(cosine.at(100)).isCloseTo(0, within(1e-12));
  }

  @Test
  void anyScheduleIsWarmedUp() {
    LearningRate step = new LearningRate.Step(2, 2, 0.5);
    LearningRate schedule = new LearningRate.Warmup(4, step);
    assertThat(new double[] {schedule.at(0), schedule.at(1), schedule.at(2), schedule.at(3)})
        .containsExactly(0.5, 1, 0.75, 1);
    assertThat(schedule.at(4)).isEqualTo(step.at(4));
    assertThatIllegalArgumentException().isThrownBy(() -> new LearningRate.Warmup(0, step));
  }

  @Test
  void warmUpRisesEvenlyAndTheCosineFallsToTheFloor() {
    LearningRate schedule = new LearningRate.WarmupCosine(2, 4, 104, 0.2);
    assertThat(schedule.at(0)).isEqualTo(0.5);
    assertThat(schedule.at(3)).isEqualTo(2);
    assertThat(schedule.at(4)).isEqualTo(2);
    assertThat(schedule.at(54)).isCloseTo(1.1, within(1e-12));
    assertThat(schedule.at(104)).isCloseTo(0.2, within(1e-12));
    assertThat(schedule.at(5000)).isCloseTo(0.2, within(1e-12));
    assertThat(new LearningRate.WarmupCosine(2, 0, 10, 0).at(0)).isEqualTo(2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LearningRate.WarmupCosine(2, 4, 4, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LearningRate.WarmupCosine(2, 4, 9, 3));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesARateThatIsNotPositive(double rate) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LearningRate.Constant(rate))
        .withMessageContaining("learning rate");
  }
}
