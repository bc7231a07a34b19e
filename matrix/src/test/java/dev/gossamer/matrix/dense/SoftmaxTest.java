package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SoftmaxTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void turnsRowsIntoProbabilitiesAndClasses() {
    Samples.widths()
        .forEach(classes -> {
          DenseMatrix z = Samples.logits(arena, 100, classes, 20f);
          float[][] before = z.toArray();
          int[] best = new int[100];
          try (Workers workers = new Workers(2)) {
            Softmax.argmax(z, best, workers);
            Softmax.softmax(z, workers);
          }
          for (int i = 0; i < 100; i++) {
            double[] p = Samples.probabilities(before[i]);
            for (int c = 0; c < classes; c++) {
              assertThat((double) z.get(i, c))
                  .isCloseTo(p[c], within((classes + 8) * 0x1p-23 * p[c] + 1e-36));
              assertThat(before[i][best[i]]).isGreaterThanOrEqualTo(before[i][c]);
            }
          }
        });
  }

  @Test
  void scalesEveryLogit() {
    Samples.widths()
        .forEach(classes -> {
          DenseMatrix z = Samples.logits(arena, 100, classes, 20f);
          float[][] before = z.toArray();
          try (Workers workers = new Workers(2)) {
            Softmax.scale(z, 0.3f, workers);
          }
          for (int i = 0; i < 100; i++) {
            for (int c = 0; c < classes; c++) {
              assertThat(z.get(i, c)).isEqualTo(0.3f * before[i][c]);
            }
          }
        });
  }

  /// Two units in the last place, over the whole range.
  @Test
  void exponentialIsAccurate() {
    int lanes = Samples.LANES;
    float[] x = new float[lanes];
    float[] y = new float[lanes];
    for (int block = 0; block < 4000; block++) {
      for (int l = 0; l < lanes; l++) {
        x[l] = -86f * (block * lanes + l) / (4000 * lanes);
      }
      Softmax.exp(FloatVector.fromArray(FloatVector.SPECIES_PREFERRED, x, 0)).intoArray(y, 0);
      for (int l = 0; l < lanes; l++) {
        double exact = Math.exp(x[l]);
        if (!(Math.abs(y[l] - exact) <= 2 * Math.ulp((float) exact))) {
          assertThat((double) y[l]).as("exp(%s)", x[l]).isEqualTo(exact);
        }
      }
    }
    Arrays.fill(x, -87f);
    x[0] = Float.NEGATIVE_INFINITY;
    Softmax.exp(FloatVector.fromArray(FloatVector.SPECIES_PREFERRED, x, 0)).intoArray(y, 0);
    assertThat(y).containsOnly(0f);
  }
}
