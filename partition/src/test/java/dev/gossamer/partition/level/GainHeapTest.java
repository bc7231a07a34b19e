package dev.gossamer.partition.level;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The heap against a map that is sorted whenever it is asked.
class GainHeapTest {
  private static final int VERTICES = 150;

  /// Vertices by gain, the largest first, and by their ids.
  private static List<Integer> sorted(Map<Integer, Long> gains) {
    return gains.entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<Integer, Long> e) -> e.getValue())
                .reversed()
                .thenComparing(e -> e.getKey()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static void assertSame(GainHeap heap, Map<Integer, Long> expected) {
    assertThat(heap.isEmpty()).isEqualTo(expected.isEmpty());
    for (int v = 0; v < VERTICES; v++) {
      assertThat(heap.contains(v)).isEqualTo(expected.containsKey(v));
    }
    expected.forEach((v, gain) -> assertThat(heap.gain(v)).isEqualTo(gain));
    if (!expected.isEmpty()) {
      int first = sorted(expected).getFirst();
      assertThat(heap.top()).isEqualTo(first);
      assertThat(heap.topGain()).isEqualTo(expected.get(first));
    }
  }

  /// Few different gains make many ties, many make few.
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 20, 1_000_000})
  void theTopIsTheFirstOfASortedList(int gains) {
    Random random = new Random(gains);
    GainHeap heap = new GainHeap(VERTICES);
    Map<Integer, Long> expected = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      int v = random.nextInt(VERTICES);
      // Grows beyond its first size, and shrinks again.
      if (random.nextInt(10) < (i / 500 % 2 == 0 ? 8 : 3)) {
        long gain = (long) random.nextInt(gains) - gains / 2;
        heap.put(v, gain);
        expected.put(v, gain);
      } else {
        heap.remove(v);
        expected.remove(v);
      }
      assertSame(heap, expected);
    }
    for (int v : sorted(expected)) {
      assertThat(heap.top()).isEqualTo(v);
      heap.remove(v);
    }
    assertThat(heap.isEmpty()).isTrue();
  }

  @Test
  void gainsOfAnySizeAreCompared() {
    GainHeap heap = new GainHeap(VERTICES);
    heap.put(4, Long.MIN_VALUE);
    heap.put(3, Long.MAX_VALUE);
    heap.put(2, 0);
    assertThat(heap.top()).isEqualTo(3);
    heap.put(3, -1);
    assertThat(heap.top()).isEqualTo(2);
    heap.remove(2);
    heap.remove(3);
    assertThat(heap.top()).isEqualTo(4);
  }

  @Test
  void aClearedHeapIsEmptyAndRemembersGains() {
    GainHeap heap = new GainHeap(VERTICES);
    heap.put(7, 9);
    heap.put(8, 10);
    heap.clear();
    assertSame(heap, Map.of());
    assertThat(heap.gain(7)).isEqualTo(9);
    heap.put(7, -2);
    assertSame(heap, Map.of(7, -2L));
  }
}
