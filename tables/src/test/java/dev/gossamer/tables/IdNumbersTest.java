package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdNumbersTest {
  private static int number(IdNumbers numbers, long id) {
    int[] found = new int[2];
    numbers.of(new long[] {id, id}, 2, found);
    assertThat(found[1]).isEqualTo(found[0]);
    return found[0];
  }

  /// Ids at equal distances, and random ones, beside a map of Java.
  @ParameterizedTest
  @ValueSource(longs = {0, 1, -3, 7919, 1L << 32, 1L << 58})
  void equalsAMap(long distance) {
    SplittableRandom random = new SplittableRandom(distance);
    Map<Long, Integer> oracle = new HashMap<>();
    try (IdNumbers numbers = new IdNumbers(3000)) {
      for (int i = 0; i < 3000; i++) {
        long id = distance == 0 ? random.nextLong() : distance * i;
        if (oracle.putIfAbsent(id, i) == null) {
          numbers.add(id, i);
        }
      }
      oracle.forEach((id, number) -> assertThat(number(numbers, id)).isEqualTo(number));
      for (int i = 0; i < 3000; i++) {
        long id = random.nextLong();
        assertThat(number(numbers, id)).isEqualTo(oracle.getOrDefault(id, -1));
      }
    }
  }

  @Test
  void theLargestAndTheSmallestIdAreIds() {
    try (IdNumbers numbers = new IdNumbers(3)) {
      assertThat(number(numbers, 0)).isEqualTo(-1);
      numbers.add(Long.MIN_VALUE, 0);
      numbers.add(Long.MAX_VALUE, Integer.MAX_VALUE - 1);
      numbers.add(0, 1);
      assertThat(number(numbers, Long.MIN_VALUE)).isZero();
      assertThat(number(numbers, Long.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE - 1);
      assertThat(number(numbers, 0)).isEqualTo(1);
      assertThat(number(numbers, -1)).isEqualTo(-1);
    }
  }

  @Test
  void thereMayBeNoIds() {
    try (IdNumbers numbers = new IdNumbers(0)) {
      assertThat(number(numbers, 0)).isEqualTo(-1);
    }
  }
}
