package dev.gossamer.gnn.feature;

import dev.gossamer.run.CacheUse;

/// Counts of fetches.
///
/// @param own rows that this rank owns
/// @param cached remote rows that were in the cache
/// @param fetched remote rows that were received
/// @param bytes of received rows: `4 f` for a dense row, `4 + 8 nnz` for a sparse one (`4 + 4 nnz`
///   without values)
/// @param seconds of fetches, in any thread
public record FetchCounts(long own, long cached, long fetched, long bytes, double seconds) {
  /// No fetches.
  public static final FetchCounts NONE = new FetchCounts(0, 0, 0, 0, 0);

  /// {@return all rows}
  public long rows() {
    return own + cached + fetched;
  }

  /// {@return share of the remote rows that were in the cache; 0 if there were none}
  public double hitRate() {
    return cached == 0 ? 0 : (double) cached / (cached + fetched);
  }

  /// {@return how the cache was used}
  public CacheUse use() {
    return new CacheUse(cached, fetched, 0, 0);
  }

  /// {@return the sum of both counts}
  ///
  /// @param other count to add
  public FetchCounts plus(FetchCounts other) {
    return new FetchCounts(
        own + other.own,
        cached + other.cached,
        fetched + other.fetched,
        bytes + other.bytes,
        seconds + other.seconds);
  }

  /// {@return what was added since an earlier count}
  ///
  /// @param earlier count to subtract
  public FetchCounts minus(FetchCounts earlier) {
    return new FetchCounts(
        own - earlier.own,
        cached - earlier.cached,
        fetched - earlier.fetched,
        bytes - earlier.bytes,
        seconds - earlier.seconds);
  }
}
