package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;

/// The rows that a network reads in place of the features, where those of all hops are computed
/// before the first epoch: `Â^K X`, or `[X | Â X | .. | Â^K X]`. Its layers then need no graph.
///
/// @param count `K`, how often `Â` multiplies; 0 for the features themselves
/// @param kept which products are read
public record Hops(int count, Kept kept) {
  /// The features themselves.
  public static final Hops NONE = new Hops(0, Kept.LAST);

  /// Which products are read.
  public enum Kept {
    /// `Â^K X`.
    LAST,
    /// `[X | Â X | .. | Â^K X]`, side by side in each row.
    ALL
  }

  /// {@return whether the features are read as they are}
  public boolean isNone() {
    return equals(NONE);
  }

  /// {@return how many products are side by side in a row}
  public int blocks() {
    return kept == Kept.ALL ? count + 1 : 1;
  }

  /// {@return columns of the rows}
  ///
  /// @param features columns of `X`
  /// @throws InvalidSettingException if there are more than `2^31 - 1`
  public int width(int features) {
    long width = (long) blocks() * features;
    if (width > Integer.MAX_VALUE) {
      throw new InvalidSettingException(
          "{hops}: expected at most %d for %d features, found %d"
              .formatted(Integer.MAX_VALUE / features - 1, features, count));
    }
    return (int) width;
  }

  /// Refuses numbers of hops that no network has.
  ///
  /// @param count `K`
  /// @throws InvalidSettingException if there is no hop, or there are too many
  static void requireCount(int count) {
    InvalidSettingException.requireAtLeast("hops", count, 1);
    if (count > NetworkSettings.MOST_LAYERS) {
      throw new InvalidSettingException(
          "{hops}: expected at most %d, found %d".formatted(NetworkSettings.MOST_LAYERS, count));
    }
  }
}
