package dev.gossamer.run;

/// How often rows of other ranks were in a cache, and how old embeddings were that were used.
///
/// @param found rows of other ranks that were in a cache: features, or embeddings
/// @param missed rows that were not
/// @param embeddings that were used, which are some or all of the found rows
/// @param ages of these embeddings in batches, added up
public record CacheUse(long found, long missed, long embeddings, long ages) {
  /// Of a trainer that needs no rows of other ranks.
  public static final CacheUse NONE = new CacheUse(0, 0, 0, 0);

  /// {@return the sum of both counts}
  ///
  /// @param other counts to add
  public CacheUse plus(CacheUse other) {
    return new CacheUse(
        found + other.found,
        missed + other.missed,
        embeddings + other.embeddings,
        ages + other.ages);
  }

  /// {@return what was added since earlier counts}
  ///
  /// @param earlier counts to subtract
  public CacheUse minus(CacheUse earlier) {
    return new CacheUse(
        found - earlier.found,
        missed - earlier.missed,
        embeddings - earlier.embeddings,
        ages - earlier.ages);
  }
}
