package dev.gossamer.comm;

/// How an all-reduce cuts `elements` elements into one slice for each of `ranks` ranks: as evenly
/// as possible, the first `elements mod ranks` slices one element longer. The meter and the link
/// model both count by it.
public final class Slices {
  private Slices() {}

  /// {@return elements of a slice}
  ///
  /// @param elements of all slices
  /// @param ranks number of slices
  /// @param slice 0-based
  public static long elements(long elements, int ranks, int slice) {
    return elements / ranks + (slice < elements % ranks ? 1 : 0);
  }
}
