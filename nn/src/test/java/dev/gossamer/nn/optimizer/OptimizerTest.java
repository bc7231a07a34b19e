package dev.gossamer.nn.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OptimizerTest {
  private static final int STEPS = 20;
  private static final double RATE = 0.05;

  static List<OptimizerRule> rules() {
    return List.of(
        new OptimizerRule.Adam(0),
        new OptimizerRule.Adam(0.1),
        new OptimizerRule.AdamW(0.1),
        new OptimizerRule.Sgd(0, 0),
        new OptimizerRule.Sgd(0.1, 0.9));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void followsThePublishedFormula(OptimizerRule rule) {
    ParameterLayout layout =
        ParameterLayout.builder()
            .add("w", 3, 7, true)
            .add("b", 1, 5, false)
            .add("v", 2, 3, 0.25)
            .build();
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      DenseState state = new DenseState(arena, layout);
      Optimizer optimizer = new Optimizer(arena, rule, layout);
      Random random = new Random(11);
      int n = (int) layout.count();
      double[] w = new double[n];
      double[][] moments = new double[2][n];
      for (int i = 0; i < n; i++) {
        w[i] = random.nextFloat() - 0.5f;
        state.weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) w[i]);
      }
      for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < n; i++) {
          float g = (float) random.nextGaussian();
          state.gradients().setAtIndex(ValueLayout.JAVA_FLOAT, i, g);
          w[i] = reference(rule, w[i], g, i < 21 ? 1 : i < 26 ? 0 : 0.25, moments, i, t);
        }
        optimizer.step(state, RATE, workers);
      }
      for (int i = 0; i < n; i++) {
        // Each step rounds a handful of float32 operations on numbers of about 1.
        double tolerance = STEPS * 16 * Math.ulp(1f) * Math.max(1, Math.abs(w[i]));
        assertThat((double) state.weights().getAtIndex(ValueLayout.JAVA_FLOAT, i))
            .isCloseTo(w[i], within(tolerance));
      }
      assertThat(optimizer.steps()).isEqualTo(STEPS);
    }
  }

  private static double reference(
      OptimizerRule rule, double w, double g, double share, double[][] moments, int i, int t) {
    double decay = share * rule.weightDecay();
    if (rule instanceof OptimizerRule.Sgd sgd) {
      moments[0][i] = sgd.momentum() * moments[0][i] + g + decay * w;
      return w - RATE * moments[0][i];
    }
    boolean decoupled = rule instanceof OptimizerRule.AdamW;
    double gradient = decoupled ? g : g + decay * w;
    moments[0][i] = 0.9 * moments[0][i] + 0.1 * gradient;
    moments[1][i] = 0.999 * moments[1][i] + 0.001 * gradient * gradient;
    double mean = moments[0][i] / (1 - Math.pow(0.9, t));
    double square = moments[1][i] / (1 - Math.pow(0.999, t));
    double kept = decoupled ? w - RATE * decay * w : w;
    return kept - RATE * mean / (Math.sqrt(square) + 1e-8);
  }
}
