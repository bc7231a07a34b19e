package dev.gossamer.graph.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitsTest {
  private static final BigInteger WORD = BigInteger.ONE.shiftLeft(32);

  private static GraphData dataset(int[] labels, boolean nested, List<String> names) {
    Arena arena = Arena.ofShared();
    int n = names.size();
    return GraphData.of(
            arena,
            new GraphData.Info("d", false, List.of("a", "b"), nested, Map.of(), null),
            CsrMatrix.of(arena, n, new long[n + 1], new int[0], null))
        .withLabels(labels)
        .withVertexNames(names);
  }

  /// The rule of the documentation in numbers without end.
  private static double oracle(String text) {
    BigInteger h = BigInteger.ZERO;
    for (int i = 0; i < text.length(); i++) {
      h = h.multiply(BigInteger.valueOf(31)).add(BigInteger.valueOf(text.charAt(i))).mod(WORD);
    }
    h = h.xor(h.shiftRight(16)).multiply(BigInteger.valueOf(0x85ebca6bL)).mod(WORD);
    h = h.xor(h.shiftRight(13)).multiply(BigInteger.valueOf(0xc2b2ae35L)).mod(WORD);
    h = h.xor(h.shiftRight(16));
    return h.shiftRight(8).doubleValue() / 16777216.0;
  }

  @Test
  void followsTheRule() {
    int n = 5000;
    List<String> names = DatasetDraft.numbered("x", n);
    int[] labels = new int[n];
    labels[17] = GraphData.UNLABELLED;
    try (GraphData d = dataset(labels, false, names)) {
      byte[] split = Splits.draw(d, Splits.Fractions.parse("10/15.5/74.5"), -3);
      int[] parts = new int[4];
      for (int v = 0; v < n; v++) {
        double u = oracle("-3:" + v);
        int expected = v == 17 ? 0 : u < 0.1 ? 1 : u < 0.255 ? 2 : 3;
        assertThat(split[v]).isEqualTo((byte) expected);
        parts[split[v]]++;
      }
      assertThat(parts[0]).isEqualTo(1);
      // Within five standard deviations of a binomial draw.
      assertThat(parts[1]).isBetween(500 - 106, 500 + 106);
      assertThat(Splits.draw(d, Splits.Fractions.parse("10/15.5/74.5"), 4)).isNotEqualTo(split);
    }
  }

  @Test
  void nestedClassesFollowTheOutermost() {
    List<String> names = List.of("p/A", "p/A$B", "p/A$B$1", "p/C", "p/D$E", "p/F", "p/G", "p/H");
    try (GraphData d = dataset(new int[8], true, names)) {
      for (long seed = 0; seed < 20; seed++) {
        byte[] split = Splits.draw(d, new Splits.Fractions(0.4, 0.3, 0.3), seed);
        for (int v = 0; v < names.size(); v++) {
          double u = oracle(seed + ":" + names.get(v).replaceFirst("\\$.*", ""));
          assertThat(split[v]).isEqualTo((byte) (u < 0.4 ? 1 : u < 0.7 ? 2 : 3));
        }
      }
    }
  }

  @Test
  void needsLabels() {
    try (GraphData d = dataset(new int[0], false, List.of("a"))) {
      assertThatThrownBy(() -> Splits.draw(d, new Splits.Fractions(1, 0, 0), 0))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage("d: split: expected labelled vertices, found a data set without labels");
    }
  }

  @Test
  void sharesMayBeGivenOnAnyScale() {
    Splits.Fractions shares = new Splits.Fractions(0.6, 0.2, 0.2);
    assertThat(shares.train()).isEqualTo(0.6);
    assertThat(new Splits.Fractions(60, 20, 20))
        .isEqualTo(shares)
        .isEqualTo(Splits.Fractions.DEFAULT);
    assertThat(Splits.Fractions.parse("60/20/20")).isEqualTo(shares);
    assertThat(Splits.Fractions.parse("0.6/0.2/0.2")).isEqualTo(shares);
    Splits.Fractions thirds = new Splits.Fractions(1, 1, 1);
    assertThat(thirds.train() + thirds.validation() + thirds.test()).isEqualTo(1);
    assertThat(new Splits.Fractions(3, 0, 0)).isEqualTo(new Splits.Fractions(1, 0, 0));
  }

  @Test
  void refusesSharesThatAreNone() {
    for (double bad : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new Splits.Fractions(1, bad, 1))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "split: expected shares of at least 0, and one above 0, found 1.0, %s and 1.0"
                  .formatted(bad));
    }
    assertThatThrownBy(() -> new Splits.Fractions(0, 0, 0))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("one above 0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/10",
        "10/10/81",
        "a/b/c",
        "-10/10/100",
        "10/10/80/0",
        "",
        "1e1/10/80",
        "6/2/2",
        "0/0/0"
      })
  void refusesOtherFractions(String text) {
    assertThatThrownBy(() -> Splits.Fractions.parse(text))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected train/validation/test in percent, together 100")
        .hasMessageEndingWith("found " + text);
  }
}
