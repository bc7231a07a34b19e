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

  /// Layers that have a cache, the input features' included.
  public int layers() {
    return hits.length;
  }

  /// Vertices of other ranks that the cache of a layer had.
  public long hits(int layer) {
    return hits[layer];
  }

  /// Vertices of other ranks that the cache of a layer did not have.
  public long misses(int layer) {
    return misses[layer];
  }

  /// Largest age of a row that is used.
  public int oldest() {
    return ages.length - 1;
  }

  /// Hits of rows that were so many batches old.
  public long hitsOfAge(int age) {
    return ages[age];
  }

  /// Bytes of the rows that were sent to other ranks, and of their tags.
  public long pushedBytes() {
    return pushedBytes;
  }

  /// Seconds that finding out which rows to push to whom took: MB's Map.
  public double mapSeconds() {
    return mapNanos / 1e9;
  }

  /// Seconds that searching the caches took.
  public double searchSeconds() {
    return searchNanos / 1e9;
  }

  /// Seconds that copying rows into messages, into caches and out of them took.
  public double copySeconds() {
    return copyNanos / 1e9;
  }

  /// Seconds that the rank waited for pushed rows.
  public double waitSeconds() {
    return waitNanos / 1e9;
  }

  /// All hits.
  public long hits() {
    return LongStream.of(hits).sum();
  }

  /// All misses.
  public long misses() {
    return LongStream.of(misses).sum();
  }
}
