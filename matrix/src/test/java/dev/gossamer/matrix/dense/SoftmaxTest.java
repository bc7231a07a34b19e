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

  private static double[] probabilities(float[] z) {
    double max = Double.NEGATIVE_INFINITY;
    for (float v : z) {
      max = Math.max(max, v);
    }
    double sum = 0;
    double[] p = new double[z.length];
    for (int c = 0; c < z.length; c++) {
      p[c] = Math.exp(z[c] - max);
      sum += p[c];
    }
    for (int c = 0; c < z.length; c++) {
      p[c] /= sum;
    }
    return p;
  }

  /// Logits up to `range` in magnitude.
  private DenseMatrix logits(int n, int classes, float range) {
    DenseMatrix z = Samples.random(arena, n, classes, classes);
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < classes; c++) {
        z.set(i, c, z.get(i, c) * range);
      }
    }
    return z;
  }

  @Test
  void turnsRowsIntoProbabilitiesAndClasses() {
    Samples.widths()
        .forEach(classes -> {
          DenseMatrix z = logits(100, classes, 20f);
          float[][] before = z.toArray();
          int[] best = new int[100];
          try (Workers workers = new Workers(2)) {
            Softmax.argmax(z, best, workers);
            Softmax.softmax(z, workers);
          }
          for (int i = 0; i < 100; i++) {
            double[] p = probabilities(before[i]);
            for (int c = 0; c < classes; c++) {
              assertThat((double) z.get(i, c))
                  .isCloseTo(p[c], within((classes + 8) * 0x1p-23 * p[c] + 1e-36));
              assertThat(before[i][best[i]]).isGreaterThanOrEqualTo(before[i][c]);
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
