package dev.gossamer.gnn.minibatch;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.Neighbourhood;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// The edges of one sampled block: its pattern, whatever weights the sampler promises. The layer's
/// input has a row for each source, so that none has to be brought. The edges by their sources are
/// made when the first backward pass asks for them.
final class BlockEdges implements Neighbourhood {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final Arena arena;
  private final EdgePattern edges;
  private final RowIds sources;
  private EdgePattern.@Nullable Transposed transposed;

  /// @param arena shared, owner of what is made
  /// @param matrix of the block, whose first columns are its rows
  /// @param sources what the data set calls the columns
  /// @param selfLoops whether a target sees itself even if it was not drawn
  BlockEdges(Arena arena, CsrMatrix matrix, RowIds sources, boolean selfLoops) {
    this.arena = arena;
    this.sources = sources;
    edges = new EdgePattern(selfLoops ? withSelfLoops(arena, matrix) : matrix);
  }

  /// The pattern with an entry `(i, i)` in each row, appended where there was none.
  private static CsrMatrix withSelfLoops(Arena arena, CsrMatrix a) {
    int rows = Math.toIntExact(a.rows());
    boolean[] has = new boolean[rows];
    int missing = rows;
    for (int i = 0; i < rows; i++) {
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L) && !has[i]; e++) {
        has[i] = a.column(e) == i;
      }
      missing -= has[i] ? 1 : 0;
    }
    if (missing == 0) {
      return a;
    }
    MemorySegment pointers = arena.allocate((rows + 1L) * Long.BYTES, Long.BYTES);
    MemorySegment columns =
        arena.allocate((a.nnz() + missing) * Integer.BYTES, DenseMatrix.ALIGNMENT);
    long next = 0;
    for (int i = 0; i < rows; i++) {
      long length = a.rowLength(i);
      MemorySegment.copy(
          a.columns(),
          a.rowPointer(i) * Integer.BYTES,
          columns,
          next * Integer.BYTES,
          length * Integer.BYTES);
      next += length;
      if (!has[i]) {
        columns.set(INT, next++ * Integer.BYTES, i);
      }
      pointers.set(LONG, (i + 1L) * Long.BYTES, next);
    }
    return CsrMatrix.wrap(rows, a.cols(), pointers, columns, null);
  }

  @Override
  public EdgePattern edges() {
    return edges;
  }

  @Override
  public EdgePattern.Transposed transposed() {
    EdgePattern.Transposed made = transposed;
    if (made == null) {
      made = edges.transposed(arena);
      transposed = made;
    }
    return made;
  }

  @Override
  public RowIds sources() {
    return sources;
  }

  @Override
  public void gather(DenseMatrix z) {}

  @Override
  public void scatterAdd(DenseMatrix gradient) {}
}
