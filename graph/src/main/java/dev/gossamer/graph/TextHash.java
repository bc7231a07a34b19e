package dev.gossamer.graph;

/// A hash of texts that is the same on every machine and in every language: Java's string hash `h`,
/// finished by `h ^= h >>> 16; h *= 0x85ebca6b; h ^= h >>> 13; h *= 0xc2b2ae35; h ^= h >>> 16` in
/// 32 bits (the finish of MurmurHash3, Appleby), so that similar texts have unrelated hashes.
public final class TextHash {
  private TextHash() {}

  /// {@return the hash of a text}
  ///
  /// @param text any text
  public static int of(String text) {
    int h = text.hashCode();
    h ^= h >>> 16;
    h *= 0x85ebca6b;
    h ^= h >>> 13;
    h *= 0xc2b2ae35;
    h ^= h >>> 16;
    return h;
  }

  /// {@return a number in `0..buckets-1` for a text}
  ///
  /// @param text any text
  /// @param buckets at least 1
  public static int bucket(String text, int buckets) {
    return Math.floorMod(of(text), buckets);
  }
}
