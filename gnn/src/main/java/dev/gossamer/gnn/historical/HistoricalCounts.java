package dev.gossamer.gnn.historical;

import dev.gossamer.run.CacheUse;
import java.util.Arrays;
import java.util.stream.LongStream;

/// Measurements of historical embeddings on one rank.
public final class HistoricalCounts {
  private final long[] hits;
  private final long[] misses;
  private long[] ages = new long[1];
  long pushedBytes;
  long featureBytes;
  long mapNanos;
  long searchNanos;
  long copyNanos;
  long waitNanos;

  /// @param layers of the network
  HistoricalCounts(int layers) {
    hits = new long[layers];
    misses = new long[layers];
  }

  /// Counts a hit of a row without an age.
  void hit(int layer) {
    hits[layer]++;
  }

  void hit(int layer, int age) {
    hits[layer]++;
    if (age >= ages.length) {
      ages = Arrays.copyOf(ages, Math.max(age + 1, 2 * ages.length));
    }
    ages[age]++;
  }

  void miss(int layer) {
    misses[layer]++;
  }

  /// {@return layers of the network: the first reads features, the others embeddings}
  public int layers() {
    return hits.length;
  }

  /// {@return hits of remote vertices in the cache of a layer}
  ///
  /// @param layer 0 for the input features
  public long hits(int layer) {
    return hits[layer];
  }

  /// {@return misses of remote vertices in the cache of a layer}
  ///
  /// @param layer 0 for the input features
  public long misses(int layer) {
    return misses[layer];
  }

  /// {@return largest age of an embedding that was used; 0 if none was}
  public int oldest() {
    int age = ages.length - 1;
    while (age > 0 && ages[age] == 0) {
      age--;
    }
    return age;
  }

  /// {@return hits of embeddings of an age}
  ///
  /// @param age in batches
  public long hitsOfAge(int age) {
    return age < ages.length ? ages[age] : 0;
  }

  /// {@return how the caches of embeddings were used; those of features have all rows}
  public CacheUse use() {
    long embeddings = 0;
    long sum = 0;
    for (int age = 0; age < ages.length; age++) {
      embeddings += ages[age];
      sum += age * ages[age];
    }
    return new CacheUse(hits() - hits[0], misses() - misses[0], embeddings, sum);
  }

  /// {@return bytes of the features that were received before the first batch}
  public long featureBytes() {
    return featureBytes;
  }

  /// {@return bytes that were pushed to other ranks: rows, their tags, and their announcements}
  public long pushedBytes() {
    return pushedBytes;
  }

  /// {@return seconds spent on determining which rows to push to which rank: MB's Map}
  public double mapSeconds() {
    return mapNanos / 1e9;
  }

  /// {@return seconds spent on searching the caches}
  public double searchSeconds() {
    return searchNanos / 1e9;
  }

  /// {@return seconds spent on copying rows into messages, into caches and out of them}
  public double copySeconds() {
    return copyNanos / 1e9;
  }

  /// {@return seconds that the rank waited for pushed rows}
  public double waitSeconds() {
    return waitNanos / 1e9;
  }

  /// {@return all hits}
  public long hits() {
    return LongStream.of(hits).sum();
  }

  /// {@return all misses}
  public long misses() {
    return LongStream.of(misses).sum();
  }
}
