package dev.gossamer.matrix.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import jdk.incubator.vector.LongVector;
import org.junit.jupiter.api.Test;

class PhiloxTest {
  @Test
  void shufflesAndOrdersAreOnePermutationEach() {
    Philox random = Philox.keyed(5, 1, 0);
    int[] values = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    int[] shuffled = values.clone();
    random.shuffle(shuffled);
    assertThat(shuffled).containsExactlyInAnyOrder(values).isNotEqualTo(values);
    int[] first = random.order(50, 0);
    int[] second = random.order(50, 1);
    assertThat(first)
        .containsExactlyInAnyOrder(IntStream.range(0, 50).toArray())
        .isNotEqualTo(second);
    assertThat(random.order(50, 0)).isEqualTo(first);
  }

  @Test
  void boundedDrawsReachEveryNumberAndNoOther() {
    Philox random = Philox.keyed(5, 1, 0);
    boolean[] seen = new boolean[7];
    for (int c = 0; c < 200; c++) {
      seen[random.below(7, c, 0)] = true;
    }
    assertThat(seen).doesNotContain(false);
  }

  /// The known answers that the authors publish with their library (kat_vectors).
  @Test
  void givesTheKnownAnswers() {
    assertThat(words(new Philox(0, 0), 0, 0, 0, 0))
        .isEqualTo("6627e8d5 e169c58d bc57ac4c 9b00dbd8");
    assertThat(words(new Philox(-1, -1), -1, -1, -1, -1))
        .isEqualTo("408f276d 41c83b0e a20bc7c6 6d5451fd");
    assertThat(
            words(
                new Philox(0xa4093822, 0x299f31d0), 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344))
        .isEqualTo("d16cfe09 94fdcceb 5001e420 24126ea1");
  }

  @Test
  void aSequenceTakesOneCounterAfterTheOther() {
    Philox philox = Philox.keyed(5, 1, 2);
    RandomGenerator sequence = philox.sequence();
    for (int counter = 0; counter < 1000; counter++) {
      assertThat(sequence.nextLong()).isEqualTo(philox.low(counter, 0, 0, 0));
      assertThat(sequence.nextLong()).isEqualTo(philox.high(counter, 0, 0, 0));
    }
  }

  @Test
  void drawsTheSameBitsInVectors() {
    Philox philox = Philox.keyed(0x123456789ABCDEFL, 3, 7);
    int lanes = Philox.SPECIES.length();
    long[] drawn = new long[2 * lanes];
    for (long first : new long[] {0, 1, 0xFFFFFFFEL, Long.MAX_VALUE - lanes, -lanes}) {
      philox.draw(LongVector.zero(Philox.SPECIES).addIndex(1).add(first), drawn, 0, lanes);
      for (int l = 0; l < lanes; l++) {
        int c0 = (int) (first + l);
        int c1 = (int) ((first + l) >>> 32);
        assertThat(drawn[l]).isEqualTo(philox.low(c0, c1, 0, 0));
        assertThat(drawn[lanes + l]).isEqualTo(philox.high(c0, c1, 0, 0));
      }
    }
  }

  @Test
  void keysDifferByEveryArgument() {
    assertThat(
            new long[] {
              Philox.keyed(1, 2, 3).low(0, 0, 0, 0),
              Philox.keyed(2, 2, 3).low(0, 0, 0, 0),
              Philox.keyed(1, 3, 3).low(0, 0, 0, 0),
              Philox.keyed(1, 2, 4).low(0, 0, 0, 0),
              Philox.keyed(1, 2, 3L << 32).low(0, 0, 0, 0)
            })
        .doesNotHaveDuplicates();
  }

  private static String words(Philox philox, int c0, int c1, int c2, int c3) {
    long low = philox.low(c0, c1, c2, c3);
    long high = philox.high(c0, c1, c2, c3);
    return "%08x %08x %08x %08x"
        .formatted((int) low, (int) (low >>> 32), (int) high, (int) (high >>> 32));
  }
}
