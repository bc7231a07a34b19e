package dev.gossamer.gnn.stack;

import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.layers.Neighbourhood;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Edges whose sources are all local, of a whole graph or of a sampled block. The first backward
/// pass that needs the edges by source creates them.
public final class LocalEdges implements Neighbourhood {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final EdgePattern edges;
  private final RowIds sources;
  private final Supplier<EdgePattern.Transposed> bySource;
  private EdgePattern.@Nullable Transposed transposed;

  private LocalEdges(EdgePattern edges, RowIds sources, Supplier<EdgePattern.Transposed> bySource) {
    this.edges = edges;
    this.sources = sources;
    this.bySource = bySource;
  }

  /// {@return all edges of a graph: every vertex is a target and a source}
  ///
  /// @param arena owner of the edges by source
  /// @param rows of the graph and of its transpose
  /// @param vertices numbers of the rows in the data set
  public static LocalEdges of(Arena arena, PropagationRows rows, RowIds vertices) {
    EdgePattern edges = new EdgePattern(rows.forward());
    EdgePattern.Transposed transposed =
        rows.samePattern() ? edges.symmetricTransposed(arena) : edges.transposed(arena);
    return new LocalEdges(edges, vertices, () -> transposed);
  }

  /// {@return the edges of a sampled block with the weights of the sampler, with which numerator
  /// and denominator of the softmax are estimated without bias; in blocks of means, the edges of a
  /// target have equal weights}
  ///
  /// @param arena shared, owner of the edges
  /// @param matrix of the block, whose first columns are its rows
  /// @param sources numbers of the columns in the data set
  /// @param selfLoops whether a target is its own neighbour even if it was not drawn
  public static LocalEdges ofBlock(
      Arena arena, CsrMatrix matrix, RowIds sources, boolean selfLoops) {
    CsrMatrix pattern = selfLoops ? withSelfLoops(arena, matrix) : matrix;
    EdgePattern edges = new EdgePattern(pattern, logWeights(arena, matrix, pattern));
    return new LocalEdges(edges, sources, () -> edges.transposed(arena));
  }

  /// {@return the entries of a block as they are: of a graph of relations, with the number of a set
  /// as the value of each, or with what weighs messages}
  ///
  /// @param arena shared, owner of the edges by source
  /// @param matrix of the block, whose first columns are its rows
  /// @param sources numbers of the columns in the data set
  public static LocalEdges ofEntries(Arena arena, CsrMatrix matrix, RowIds sources) {
    EdgePattern edges = new EdgePattern(matrix);
    return new LocalEdges(edges, sources, () -> edges.transposed(arena));
  }

  /// The logarithms of the weights of a block's edges, up to a number for each target; null if they
  /// weigh alike. A self loop that was not drawn is there always, and weighs 1.
  ///
  /// @param pattern the rows of the block, with up to one more entry in each
  private static @Nullable MemorySegment logWeights(
      Arena arena, CsrMatrix block, CsrMatrix pattern) {
    if (block.values() == null && block.columnScale() == null) {
      return null;
    }
    MemorySegment logs = arena.allocate(pattern.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long i = 0; i < block.rows(); i++) {
      long to = pattern.rowPointer(i);
      for (long e = block.rowPointer(i); e < block.rowPointer(i + 1); e++, to++) {
        double weight = (double) block.value(e) * block.columnScale(block.column(e));
        logs.setAtIndex(FLOAT, to, (float) Math.log(weight));
      }
    }
    return logs;
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
      made = bySource.get();
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
