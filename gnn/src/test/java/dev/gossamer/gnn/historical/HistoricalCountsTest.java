package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.run.CacheUse;
import org.junit.jupiter.api.Test;

/// Hits, misses and ages of a few rows.
class HistoricalCountsTest {
  private final HistoricalCounts counts = new HistoricalCounts(3);

  /// Features are in the cache of the first layer, for good: they say nothing of embeddings.
  @Test
  void useIsThatOfEmbeddings() {
    counts.hit(0);
    counts.hit(0);
    counts.miss(0);
    counts.hit(1, 0);
    counts.hit(1, 2);
    counts.hit(2, 5);
    counts.miss(1);
    counts.miss(2);
    counts.miss(2);
    counts.miss(2);
    assertThat(counts.use()).isEqualTo(new CacheUse(3, 4, 3, 7));
    assertThat(counts.hits()).isEqualTo(5);
    assertThat(counts.misses()).isEqualTo(5);
  }

  @Test
  void agesAreCounted() {
    assertThat(counts.oldest()).isZero();
    counts.hit(1, 3);
    counts.hit(2, 3);
    counts.hit(2, 1);
    assertThat(counts.oldest()).isEqualTo(3);
    assertThat(counts.hitsOfAge(3)).isEqualTo(2);
    assertThat(counts.hitsOfAge(2)).isZero();
    assertThat(counts.hitsOfAge(40)).isZero();
  }
}
