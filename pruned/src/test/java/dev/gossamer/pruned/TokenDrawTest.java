package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenDrawTest {
  /// The definition, with boxed numbers and whole sorts.
  private static int expected(
      float[] logits, double temperature, int topK, double topP, double uniform) {
    List<Integer> order =
        IntStream.range(0, logits.length)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer t) -> -logits[t]))
            .toList();
    if (temperature == 0) {
      return order.getFirst();
    }
    if (topK > 0 && topK < order.size()) {
      order = order.subList(0, topK);
    }
    double[] p = order.stream().mapToDouble(t -> Math.exp(logits[t] / temperature)).toArray();
    double all = IntStream.range(0, p.length).mapToDouble(i -> p[i]).sum();
    double sum = 0;
    int count = 0;
    while (count < p.length && sum < topP * all) {
      sum += p[count++];
    }
    double before = 0;
    for (int i = 0; i < count; i++) {
      before += p[i];
      if (before > uniform * sum) {
        return order.get(i);
      }
    }
    return order.get(count - 1);
  }

  @ParameterizedTest
  @CsvSource({
    "5, 1, 0, 1",
    "5, 0.5, 3, 1",
    "5, 1, 9, 0.6",
    "3000, 0.8, 40, 1",
    "3000, 1, 0, 0.5",
    "3000, 0, 0, 1",
    "3000, 2, 2000, 0.9",
    "1, 1, 0, 0.1"
  })
  void drawsAsDefined(int vocabulary, double temperature, int topK, double topP) {
    Random random = new Random(1);
    TokenDraw draw = new TokenDraw(temperature, topK, topP);
    try (Arena arena = Arena.ofConfined()) {
      for (int round = 0; round < 50; round++) {
        float[] logits = new float[vocabulary];
        for (int i = 0; i < vocabulary; i++) {
          // Some are equally likely.
          logits[i] = Math.round(40 * random.nextGaussian()) / 16f;
        }
        double uniform = random.nextDouble();
        DenseMatrix row = DenseMatrix.of(arena, new float[][] {logits});
        assertThat(draw.from(row, uniform))
            .isEqualTo(expected(logits, temperature, topK, topP, uniform));
      }
    }
  }

  @Test
  void theFewestTokensThatHaveTheShareAreDrawnAmong() {
    try (Arena arena = Arena.ofConfined()) {
      float[] logits = {(float) Math.log(0.2), (float) Math.log(0.5), (float) Math.log(0.3)};
      DenseMatrix row = DenseMatrix.of(arena, new float[][] {logits});
      assertThat(new TokenDraw(1, 0, 0.49).from(row, 0.999)).isEqualTo(1);
      assertThat(new TokenDraw(1, 0, 0.79).from(row, 0.999)).isEqualTo(2);
      assertThat(new TokenDraw(1, 0, 0.9).from(row, 0.999)).isEqualTo(0);
      assertThat(new TokenDraw(1, 2, 1).from(row, 0.999)).isEqualTo(2);
      assertThat(new TokenDraw(1, 0, 1).from(row, 0)).isEqualTo(1);
    }
  }
}
