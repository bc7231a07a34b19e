package dev.gossamer.gnn.historical;

import java.util.stream.LongStream;

/// What historical embeddings have done so far on one rank.
public final class HistoricalCounts {
  private final long[] hits;
  private final long[] misses;
  private final long[] ages;
  long pushedBytes;
  long mapNanos;
  long searchNanos;
  long copyNanos;
  long waitNanos;

  /// @param layers caches
  /// @param life `ls`
  HistoricalCounts(int layers, int life) {
    hits = new long[layers];
    misses = new long[layers];
    ages = new long[life + 1];
  }

  void hit(int layer, int age) {
    hits[layer]++;
    ages[age]++;
  }

  void miss(int layer) {
    misses[layer]++;
  }

  /// {@return layers that have a cache, the input features' included}
  public int layers() {
    return hits.length;
  }

  /// {@return vertices of other ranks that the cache of a layer had}
  ///
  /// @param layer 0 for the input features
  public long hits(int layer) {
    return hits[layer];
  }

  /// {@return vertices of other ranks that the cache of a layer did not have}
  ///
  /// @param layer 0 for the input features
  public long misses(int layer) {
    return misses[layer];
  }

  /// {@return largest age of a row that is used}
  public int oldest() {
    return ages.length - 1;
  }

  /// {@return hits of rows that were a number of batches old}
  ///
  /// @param age in batches
  public long hitsOfAge(int age) {
    return ages[age];
  }

  /// {@return bytes of the rows that were sent to other ranks, and of their tags}
  public long pushedBytes() {
    return pushedBytes;
  }

  /// {@return seconds spent on finding out which rows to push to whom: MB's Map}
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
