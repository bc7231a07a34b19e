package dev.gossamer.matrix.sparse;

/// The form in which a [SurvivorIndex] stores positions of survivors.
public enum IndexKind {
  /// The positions of the survivors in the flattened parameter, in ascending order, 4 bytes each
  /// (SAMO, section III-B), and the number of survivors before every 512th element.
  INT32,

  /// One bit for each element, and the number of survivors before every 512th: smaller if more than
  /// 1/32 of the elements survive.
  BITMAP,

  /// Whichever of the two takes fewer bytes.
  AUTO;

  /// {@return the bytes of an index}
  ///
  /// @param elements number of elements of the parameter
  /// @param survivors number of survivors among them
  public long bytes(long elements, long survivors) {
    return switch (this) {
      case INT32 -> PositionIndex.bytes(elements, survivors);
      case BITMAP -> BitmapIndex.bytes(elements);
      case AUTO -> Math.min(PositionIndex.bytes(elements, survivors), BitmapIndex.bytes(elements));
    };
  }
}
