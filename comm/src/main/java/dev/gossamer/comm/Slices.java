package dev.gossamer.comm;

/// The division of `elements` elements of an all-reduce into one slice for each of `ranks` ranks:
/// as evenly as possible, with the first `elements mod ranks` slices one element longer. Used by
/// [Traffic] and [Link].
public final class Slices {
  private Slices() {}

  /// {@return the number of elements of a slice}
  ///
  /// @param elements total number of elements
  /// @param ranks number of slices
  /// @param slice 0-based
  public static long elements(long elements, int ranks, int slice) {
    return elements / ranks + (slice < elements % ranks ? 1 : 0);
  }
}
