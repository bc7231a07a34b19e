package dev.gossamer.nn.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GradientNormTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(3);

  @AfterEach
  void free() {
    workers.close();
    arena.close();
  }

  private MemorySegment random(int n, long seed) {
    Random random = new Random(seed);
    MemorySegment floats = arena.allocate(4L * n, 64);
    for (int i = 0; i < n; i++) {
      floats.setAtIndex(FLOAT, i, (float) random.nextGaussian());
    }
    return floats;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 16, 33, 16384, 50021})
  void sumsSquaresInAnOrderThatDoesNotDependOnThreads(int n) {
    MemorySegment floats = random(n, n);
    double expected = 0;
    for (int i = 0; i < n; i++) {
      double x = floats.getAtIndex(FLOAT, i);
      expected += x * x;
    }
    GradientNorm norm = GradientNorm.of(floats, workers);
    assertThat(norm.sumOfSquares()).isCloseTo(expected, within((n + 1) * 0x1p-52 * expected));
    try (Workers single = new Workers(1)) {
      assertThat(GradientNorm.of(floats, single)).isEqualTo(norm);
    }
  }

  @ParameterizedTest
  @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
  void findsWhatIsNotFinite(float bad) {
    MemorySegment floats = random(20_001, 1);
    floats.setAtIndex(FLOAT, 0, Float.MAX_VALUE);
    assertThat(GradientNorm.of(floats, workers).finite()).isTrue();
    for (int at : new int[] {0, 9999, 20_000}) {
      float before = floats.getAtIndex(FLOAT, at);
      floats.setAtIndex(FLOAT, at, bad);
      assertThat(GradientNorm.of(floats, workers).finite()).isFalse();
      floats.setAtIndex(FLOAT, at, before);
    }
  }

  @Test
  void theFactorUndoesTheScaleAndClips() {
    GradientNorm norm = new GradientNorm(64 * 64 * 9);
    assertThat(norm.length(64)).isEqualTo(3);
    assertThat(norm.factor(64, Double.POSITIVE_INFINITY)).isEqualTo(1 / 64f);
    assertThat(norm.factor(64, 3)).isEqualTo(1 / 64f);
    assertThat(norm.factor(64, 1.5)).isEqualTo(1 / 128f);
  }

  @Test
  void aStepWithAFactorIsAStepOnScaledGradients() {
    ParameterLayout layout = ParameterLayout.builder().add("w", 7, 13, true).build();
    for (OptimizerRule rule :
        new OptimizerRule[] {
          new OptimizerRule.AdamW(0.1), new OptimizerRule.Adam(0.1), new OptimizerRule.Sgd(0.1, 0.9)
        }) {
      DenseState one = new DenseState(arena, layout);
      DenseState two = new DenseState(arena, layout);
      one.weights().copyFrom(random(91, 3));
      two.weights().copyFrom(one.weights());
      Optimizer first = new Optimizer(arena, rule, layout);
      Optimizer second = new Optimizer(arena, rule, layout);
      for (int step = 0; step < 3; step++) {
        one.gradients().copyFrom(random(91, 4L + step));
        two.gradients().copyFrom(one.gradients());
        for (int i = 0; i < 91; i++) {
          two.gradients().setAtIndex(FLOAT, i, 0.3f * two.gradients().getAtIndex(FLOAT, i));
        }
        first.step(one, 0.01, 0.3f, workers);
        second.step(two, 0.01, workers);
      }
      assertThat(one.weights().mismatch(two.weights())).isEqualTo(-1);
    }
  }

  @Test
  void theLossScaleHalvesSkipsAndDoubles() {
    LossScale scale = new LossScale(8, 3);
    assertThat(scale.advance(true)).isTrue();
    assertThat(scale.advance(true)).isTrue();
    assertThat(scale.value()).isEqualTo(8);
    assertThat(scale.advance(false)).isFalse();
    assertThat(scale.value()).isEqualTo(4);
    for (int i = 0; i < 3; i++) {
      assertThat(scale.value()).isEqualTo(4);
      assertThat(scale.advance(true)).isTrue();
    }
    assertThat(scale.value()).isEqualTo(8);
    for (int i = 0; i < 5; i++) {
      scale.advance(false);
    }
    assertThat(scale.value()).isEqualTo(1);
    assertThat(scale.skipped()).isEqualTo(6);
    assertThat(new LossScale().value()).isEqualTo(65536);
    scale.restore(32, 2, 9);
    scale.advance(true);
    assertThat(scale.value()).isEqualTo(64);
    assertThat(scale.good()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> new LossScale(0.5, 3));
  }
}
