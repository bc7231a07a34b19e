package dev.gossamer.gnn.feature;

/// The places of the rows of a batch.
///
/// @param own rows of this rank's block
/// @param cached rows of its cache
/// @param remote rows, ascending, and so grouped by owner
record RowPlaces(RowMoves own, RowMoves cached, RowMoves remote) {
  /// @param begin first row of this rank's block
  /// @param end the row after its last
  /// @param kept the cached rows, ascending
  static RowPlaces of(int[] vertices, int begin, int end, int[] kept) {
    RowMoves all = RowMoves.ascending(vertices);
    RowMoves.Builder own = new RowMoves.Builder(all.count());
    RowMoves.Builder cached = new RowMoves.Builder(all.count());
    RowMoves.Builder remote = new RowMoves.Builder(all.count());
    int at = 0;
    for (int k = 0; k < all.count(); k++) {
      int v = all.from()[k];
      int to = all.to()[k];
      while (at < kept.length && kept[at] < v) {
        at++;
      }
      if (v >= begin && v < end) {
        own.add(v - begin, to);
      } else if (at < kept.length && kept[at] == v) {
        cached.add(at, to);
      } else {
        remote.add(v, to);
      }
    }
    return new RowPlaces(own.build(), cached.build(), remote.build());
  }
}
