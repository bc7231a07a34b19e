package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MatmulTest {
  private static final String LIBRARY = "libdnnl.so.2";

  /// An element of a product, in float64, and the sum of the magnitudes of its terms.
  private interface Term {
    double at(int i, int j, int p);
  }

  enum Backend {
    JAVA,
    ONE_DNN;

    /// The implementation; without the library the test is reported as skipped.
    Matmul matmul() {
      if (this == JAVA) {
        return Matmul.java();
      }
      try {
        return Matmul.oneDnn(LIBRARY);
      } catch (IllegalArgumentException e) {
        assumeTrue(false, "oneDNN is not installed (package libdnnl2)");
        throw e;
      }
    }
  }

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  /// m, k, n: every kind of tile, ragged edges, empty, one row, several chunks of the long sum.
  private static Stream<int[]> shapes() {
    Stream<int[]> widths =
        Samples.widths().boxed().flatMap(k -> Samples.widths().mapToObj(n -> new int[] {19, k, n}));
    return Stream.concat(
        widths,
        Stream.of(
            new int[] {0, 3, 5},
            new int[] {1, 16, 64},
            new int[] {1025, 16, 7},
            new int[] {4133, 1, 1},
            new int[] {9001, 3, 2},
            new int[] {2100, 40, 33},
            new int[] {270, 600, 40},
            new int[] {140, 130, 530},
            new int[] {17, 1433, 97}));
  }

  @ParameterizedTest
  @EnumSource
  void multiplies(Backend backend) {
    Matmul matmul = backend.matmul();
    try (Workers workers = new Workers(2)) {
      shapes()
          .forEach(s -> {
            DenseMatrix a = Samples.random(arena, s[0], s[1], 1);
            DenseMatrix b = Samples.random(arena, s[1], s[2], 2);
            DenseMatrix c = Samples.random(arena, s[0], s[2], 3);
            float[][] x = a.toArray();
            float[][] y = b.toArray();
            matmul.multiply(a, b, c, workers, RowEpilogue.NONE);
            check(c, s[1], (i, j, p) -> (double) x[i][p] * y[p][j]);
          });
    }
  }

  @ParameterizedTest
  @EnumSource
  void multipliesByATranspose(Backend backend) {
    Matmul matmul = backend.matmul();
    try (Workers workers = new Workers(2)) {
      shapes()
          .forEach(s -> {
            DenseMatrix a = Samples.random(arena, s[0], s[1], 4);
            DenseMatrix b = Samples.random(arena, s[2], s[1], 5);
            DenseMatrix c = Samples.random(arena, s[0], s[2], 6);
            float[][] x = a.toArray();
            float[][] y = b.toArray();
            matmul.multiplyTransposed(a, b, c, workers, RowEpilogue.NONE);
            check(c, s[1], (i, j, p) -> (double) x[i][p] * y[j][p]);
          });
    }
  }

  @ParameterizedTest
  @EnumSource
  void multipliesTheTranspose(Backend backend) {
    Matmul matmul = backend.matmul();
    try (Workers workers = new Workers(2)) {
      shapes()
          .forEach(s -> {
            DenseMatrix a = Samples.random(arena, s[0], s[1], 7);
            DenseMatrix b = Samples.random(arena, s[0], s[2], 8);
            DenseMatrix c = Samples.random(arena, s[1], s[2], 9);
            float[][] x = a.toArray();
            float[][] y = b.toArray();
            matmul.transposedMultiply(a, b, c, workers);
            check(c, s[0], (i, j, p) -> (double) x[p][i] * y[p][j]);
          });
    }
  }

  @ParameterizedTest
  @EnumSource
  void masksTheBackwardProduct(Backend backend) {
    Matmul matmul = backend.matmul();
    try (Workers workers = new Workers(2)) {
      shapes()
          .forEach(s -> {
            DenseMatrix a = Samples.random(arena, s[0], s[1], 10);
            DenseMatrix b = Samples.random(arena, s[2], s[1], 11);
            DenseMatrix h = Samples.random(arena, s[0], s[2], 12);
            float[][] before = h.toArray();
            float[][] x = a.toArray();
            float[][] y = b.toArray();
            matmul.multiplyTransposedMasked(a, b, h, 2f, workers);
            check(h, s[1], (i, j, p) -> before[i][j] > 0 ? 2.0 * x[i][p] * y[j][p] : 0);
          });
    }
  }

  @Test
  void multipliesWhatDoesNotFitThePackedPanels() {
    int k = 40_000;
    try (Workers workers = new Workers(2)) {
      DenseMatrix a = Samples.random(arena, 3, k, 1);
      DenseMatrix b = Samples.random(arena, 5, k, 2);
      DenseMatrix c = DenseMatrix.allocate(arena, 3, 5);
      Matmul.java().multiplyTransposed(a, b, c, workers, RowEpilogue.NONE);
      check(c, k, (i, j, p) -> (double) a.get(i, p) * b.get(j, p));
      c.fill(1f);
      Matmul.java().multiplyTransposedMasked(a, b, c, 1f, workers);
      check(c, k, (i, j, p) -> (double) a.get(i, p) * b.get(j, p));
      DenseMatrix wide = DenseMatrix.allocate(arena, 17, k);
      DenseMatrix narrow = Samples.random(arena, 17, 3, 3);
      DenseMatrix right = Samples.random(arena, 3, k, 4);
      Matmul.java().multiply(narrow, right, wide, workers, RowEpilogue.NONE);
      check(wide, 3, (i, j, p) -> (double) narrow.get(i, p) * right.get(p, j));
      wide.fill(1f);
      DenseMatrix tall = Samples.random(arena, k, 3, 5);
      Matmul.java().multiplyTransposedMasked(narrow, tall, wide, 1f, workers);
      check(wide, 3, (i, j, p) -> (double) narrow.get(i, p) * tall.get(j, p));
    }
  }

  @ParameterizedTest
  @EnumSource
  void givesTheSameBitsOnAnyNumberOfThreads(Backend backend) {
    Matmul matmul = backend.matmul();
    DenseMatrix a = Samples.random(arena, 5003, 37, 1);
    DenseMatrix b = Samples.random(arena, 5003, 70, 2);
    DenseMatrix weights = Samples.random(arena, 37, 70, 3);
    float[][][] first = null;
    for (int threads = 1; threads <= 4; threads++) {
      DenseMatrix product = DenseMatrix.allocate(arena, 5003, 70);
      DenseMatrix back = DenseMatrix.allocate(arena, 5003, 37);
      DenseMatrix masked = Samples.random(arena, 5003, 37, 4);
      DenseMatrix gradient = DenseMatrix.allocate(arena, 37, 70);
      try (Workers workers = new Workers(threads)) {
        matmul.multiply(a, weights, product, workers, RowEpilogue.NONE);
        matmul.multiplyTransposed(b, weights, back, workers, RowEpilogue.NONE);
        matmul.multiplyTransposedMasked(b, weights, masked, 1.5f, workers);
        matmul.transposedMultiply(a, b, gradient, workers);
      }
      float[][][] results = {
        product.toArray(), back.toArray(), masked.toArray(), gradient.toArray()
      };
      first = first == null ? results : first;
      assertThat(results).as("%d threads", threads).isDeepEqualTo(first);
    }
  }

  @ParameterizedTest
  @EnumSource
  void appliesTheEpilogueOnceToEveryFinishedRow(Backend backend) {
    Matmul matmul = backend.matmul();
    DenseMatrix a = Samples.random(arena, 2111, 5, 1);
    DenseMatrix b = Samples.random(arena, 5, 70, 2);
    DenseMatrix c = DenseMatrix.allocate(arena, 2111, 70);
    RowEpilogue shift =
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            y.set(i, 69, y.get(i, 69) + i);
          }
        };
    try (Workers workers = new Workers(3)) {
      matmul.multiply(a, b, c, workers, shift);
    }
    for (int i = 0; i < 2111; i++) {
      double sum = i;
      for (int p = 0; p < 5; p++) {
        sum += (double) a.get(i, p) * b.get(p, 69);
      }
      assertThat((double) c.get(i, 69)).isCloseTo(sum, within((i + 5) * 5 * 0x1p-23));
    }
  }

  @ParameterizedTest
  @EnumSource
  void carriesNotANumberOnlyToWhatItTouches(Backend backend) {
    Matmul matmul = backend.matmul();
    DenseMatrix a = Samples.random(arena, 21, 5, 1);
    DenseMatrix b = Samples.random(arena, 5, 18, 2);
    DenseMatrix c = DenseMatrix.allocate(arena, 21, 18);
    b.set(3, 17, Float.NaN);
    try (Workers workers = new Workers(1)) {
      matmul.multiply(a, b, c, workers, RowEpilogue.NONE);
    }
    for (int i = 0; i < 21; i++) {
      for (int j = 0; j < 18; j++) {
        assertThat(Float.isNaN(c.get(i, j))).isEqualTo(j == 17);
      }
    }
  }

  @Test
  void namesTheShapesThatDoNotFit() {
    Matmul matmul = Matmul.java();
    DenseMatrix a = DenseMatrix.allocate(arena, 2708, 1433);
    DenseMatrix b = DenseMatrix.allocate(arena, 1434, 16);
    DenseMatrix c = DenseMatrix.allocate(arena, 2708, 16);
    try (Workers workers = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> matmul.multiply(a, b, c, workers, RowEpilogue.NONE))
          .withMessage("matmul: a is 2708 x 1433 but b is 1434 x 16; b needs 1433 rows");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> matmul.multiplyTransposed(a, b, c, workers, RowEpilogue.NONE))
          .withMessage(
              "matmul transposed: a is 2708 x 1433 but b is 1434 x 16; b needs 1433 columns");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> matmul.transposedMultiply(a, b, c, workers))
          .withMessage("transposed matmul: a is 2708 x 1433 but b is 1434 x 16; b needs 2708 rows");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> matmul.transposedMultiply(a, c, b, workers))
          .withMessage(
              "transposed matmul: a is 2708 x 1433 and b is 2708 x 16 but the result is 1434 x 16;"
                  + " it needs to be 1433 x 16");
    }
  }

  @Test
  void saysThatALibraryCannotBeLoaded() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Matmul.oneDnn("libabsent.so.9"))
        .withMessageContaining("libabsent.so.9 cannot be loaded");
  }

  /// A library of Java itself, which loads; here under another name.
  @Test
  void looksForANameWhereTheSystemHasLibrariesOnly() throws IOException {
    Path there = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("verify"));
    Path here = Path.of("").toAbsolutePath().resolve("libother-verify.so");
    Files.copy(there, here);
    try {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Matmul.oneDnn("libother-verify.so"))
          .withMessageContaining("libother-verify.so cannot be loaded");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Matmul.oneDnn(here.toString()))
          .withMessageContaining("has no symbol dnnl_sgemm");
    } finally {
      Files.delete(here);
    }
  }

  /// Compares with the float64 sum; a float32 sum of `length` terms errs by at most `length` units
  /// of rounding of the sum of magnitudes.
  private static void check(DenseMatrix c, int length, Term term) {
    for (int i = 0; i < c.rows(); i++) {
      for (int j = 0; j < c.cols(); j++) {
        double sum = 0;
        double magnitude = 0;
        for (int p = 0; p < length; p++) {
          double t = term.at(i, j, p);
          sum += t;
          magnitude += Math.abs(t);
        }
        double tolerance = (length + 2) * 0x1p-24 * magnitude;
        if (!(Math.abs(c.get(i, j) - sum) <= tolerance)) {
          assertThat((double) c.get(i, j))
              .as("element (%d, %d) of %s, sum of %d", i, j, c, length)
              .isCloseTo(sum, within(tolerance));
        }
      }
    }
  }
}
