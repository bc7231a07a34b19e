package dev.gossamer.matrix.sparse;

/// How a [SurvivorIndex] says which elements survive.
public enum IndexKind {
  /// The positions of the survivors in ascending order, 4 bytes each: the paper's, in the flattened
  /// parameter (SAMO, section III-B), and the number of survivors before every 512th element.
  INT32,

  /// One bit for each element, and the number of survivors before every 512th: smaller where more
  /// than a 32nd survives.
  BITMAP,

  /// Whichever of the two takes fewer bytes.
  AUTO;

  /// {@return the bytes of an index, before it exists}
  ///
  /// @param elements of the parameter
  /// @param survivors among them
  public long bytes(long elements, long survivors) {
    return switch (this) {
      case INT32 -> PositionIndex.bytes(elements, survivors);
      case BITMAP -> BitmapIndex.bytes(elements);
      case AUTO -> Math.min(PositionIndex.bytes(elements, survivors), BitmapIndex.bytes(elements));
    };
  }
}
