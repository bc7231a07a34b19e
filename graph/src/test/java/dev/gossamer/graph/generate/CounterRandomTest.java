package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CounterRandomTest {
  @Test
  void aPositionGivesTheSameDrawsWhateverCameBefore() {
    CounterRandom one = new CounterRandom(1, Purpose.ARCS);
    CounterRandom two = new CounterRandom(1, Purpose.ARCS);
    two.at(99).nextDouble();
    for (long position = 0; position < 10; position++) {
      one.at(position);
      two.at(9);
      two.at(position);
      assertThat(two.nextLong()).isEqualTo(one.nextLong());
      assertThat(two.nextInt(17)).isEqualTo(one.nextInt(17));
    }
  }

  @Test
  void seedsPurposesAndPositionsAreKeptApart() {
    Set<Long> draws = new HashSet<>();
    for (long seed = 0; seed < 10; seed++) {
      for (Purpose purpose : Purpose.values()) {
        CounterRandom random = new CounterRandom(seed, purpose);
        for (long position = -50; position < 50; position++) {
          draws.add(random.at(position).nextLong());
        }
      }
    }
    assertThat(draws).hasSize(10 * Purpose.values().length * 100);
  }

  /// Each bit of the first draws at successive positions is set half of the time, and follows its
  /// predecessor's half of the time: five standard deviations of 20 000 draws, `2.5 sqrt(20 000)`.
  @Test
  void everyBitOfSuccessivePositionsIsFair() {
    CounterRandom random = new CounterRandom(7, Purpose.FEATURES);
    int[] set = new int[64];
    int[] equal = new int[64];
    long before = random.at(-1).nextLong();
    for (long position = 0; position < 20_000; position++) {
      long draw = random.at(position).nextLong();
      for (int bit = 0; bit < 64; bit++) {
        set[bit] += (int) (draw >>> bit & 1);
        equal[bit] += (int) (~(draw ^ before) >>> bit & 1);
      }
      before = draw;
    }
    for (int bit = 0; bit < 64; bit++) {
      assertThat((double) set[bit]).isBetween(10_000 - 354.0, 10_000 + 354.0);
      assertThat((double) equal[bit]).isBetween(10_000 - 354.0, 10_000 + 354.0);
    }
  }
}
