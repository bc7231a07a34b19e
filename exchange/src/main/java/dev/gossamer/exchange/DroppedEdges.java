package dev.gossamer.exchange;

import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.EntryDropout;
import java.lang.foreign.Arena;
import java.util.Arrays;

/// Which edges of a graph that is distributed over ranks each training step drops: the same on all
/// ranks, whichever of them have the edge.
///
/// @param dropout of the edges
/// @param placement with the data set's ids
public record DroppedEdges(EntryDropout dropout, Placement placement) {
  /// Returns what is left of a sum over tiles.
  ///
  /// @param arena owner of the weights that are left
  /// @param sum over all tiles
  /// @param layout of the tiles
  /// @param block number of the block of rows
  TileSum.Dropped of(Arena arena, TileSum sum, TileLayout layout, int block) {
    RowIds[] columns =
        Arrays.stream(layout.columns())
            .map(tile -> RowIds.of(placement.oldIds(tile)))
            .toArray(RowIds[]::new);
    return sum.dropping(arena, RowIds.of(placement.members(block)), columns, dropout);
  }
}
