package dev.gossamer.run.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.matrix.io.InvalidSettingException;
import org.junit.jupiter.api.Test;

class MemoryEstimateTest {
  private static MemoryEstimate of(int width) {
    return MemoryEstimate.builder()
        .add("base", 1000)
        .add("none", 0)
        .add("rows", 100L * width)
        .build();
  }

  @Test
  void addsUpAndLeavesOutWhatTakesNothing() {
    assertThat(of(5).bytes()).isEqualTo(1500);
    assertThat(of(5).items()).hasSize(2);
  }

  @Test
  void letsPassWhatFits() {
    assertThatCode(() -> of(5).requireFits(1500, "hidden", 5, MemoryEstimateTest::of))
        .doesNotThrowAnyException();
  }

  @Test
  void namesTheNearestSettingThatFits() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(64).requireFits(3999, "hidden", 64, MemoryEstimateTest::of))
        .withMessage(
            "memory: the run needs 7.23 KiB but 3.91 KiB may be used; hidden 29 fits (3.81 KiB)");
  }

  @Test
  void saysWhenNoSettingFits() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(64).requireFits(1000, "hidden", 64, MemoryEstimateTest::of))
        .withMessageEndingWith("no hidden fits; use a smaller graph or more memory");
  }
}
