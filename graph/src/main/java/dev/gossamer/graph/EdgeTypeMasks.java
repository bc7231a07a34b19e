package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Collects the types of the edges of a graph, the masks of [GraphTypes]: an entry of `A` has a bit
/// of each arc that was merged into it. Memory: 4 bytes per entry.
public final class EdgeTypeMasks {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private final CsrMatrix a;
  private final boolean directed;
  private final MemorySegment masks;

  /// Creates masks without a bit.
  ///
  /// @param arena owner of the masks
  /// @param a adjacency matrix of the graph
  /// @param directed whether edges keep their direction; otherwise both entries get the bit
  public EdgeTypeMasks(Arena arena, CsrMatrix a, boolean directed) {
    this.a = a;
    this.directed = directed;
    masks = arena.allocate(a.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// Adds an arc. Cost: two searches in a row. Self loops that the graph does not have are ignored.
  ///
  /// @param type number of its type, below [GraphTypes#MOST_EDGES]
  /// @param source vertex id
  /// @param target vertex id
  public void add(int type, int source, int target) {
    mark(source, target, 1 << type);
    if (!directed) {
      mark(target, source, 1 << type);
    }
  }

  private void mark(int source, int target, int bit) {
    long entry = a.find(source, target);
    if (entry >= 0) {
      masks.setAtIndex(INT, entry, masks.getAtIndex(INT, entry) | bit);
    }
  }

  /// {@return the bits of each stored entry of `A` (int32)}
  public MemorySegment masks() {
    return masks;
  }
}
