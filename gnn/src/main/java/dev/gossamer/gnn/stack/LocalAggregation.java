package dev.gossamer.gnn.stack;

import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.DroppedSpmm;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Aggregation;
import dev.gossamer.nn.layers.EdgeDraw;
import dev.gossamer.nn.layers.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The aggregation over local rows, of a whole graph or of a sampled block: one SpMM forward and
/// one backward. The first backward pass that needs the transpose creates it; the first layer's,
/// the largest of a batch, is never needed if the features are dense.
public final class LocalAggregation implements Aggregation {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final Kernels kernels;
  private final Spmm forward;
  private final Supplier<Spmm> transposed;
  private @Nullable Spmm backward;

  private LocalAggregation(Spmm forward, Supplier<Spmm> transposed, Kernels kernels) {
    this.forward = forward;
    this.transposed = transposed;
    this.kernels = kernels;
  }

  /// The aggregation of a graph in evaluation, and what edge dropout leaves of it in training.
  private record Dropped(LocalAggregation all, LocalAggregation left, EdgeDraw draw)
      implements Aggregation {
    @Override
    public Aggregation drawn(long step) {
      draw.of(step);
      return left;
    }

    @Override
    public void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
      all.forward(x, y, epilogue);
    }

    @Override
    public void backward(DenseMatrix gradY, DenseMatrix gradX) {
      all.backward(gradY, gradX);
    }
  }

  /// {@return the aggregation of a graph of which each training step drops some edges}
  ///
  /// @param arena owner of the weights of the edges that are left
  /// @param rows of the graph and of its transpose
  /// @param vertices numbers of the rows in the data set
  /// @param dropout of the edges
  /// @param kernels threads and clock; borrowed
  public static Aggregation dropping(
      Arena arena, PropagationRows rows, RowIds vertices, EntryDropout dropout, Kernels kernels) {
    DroppedSpmm ahead = new DroppedSpmm(arena, rows.forward(), vertices, vertices, dropout);
    DroppedSpmm back =
        rows.forward() == rows.backward()
            ? ahead
            : new DroppedSpmm(arena, rows.backward(), vertices, vertices, dropout);
    return new Dropped(
        new LocalAggregation(new Spmm(rows.forward()), () -> new Spmm(rows.backward()), kernels),
        new LocalAggregation(ahead.spmm(), back::spmm, kernels),
        new EdgeDraw(
            kernels,
            step -> {
              ahead.draw(step, kernels.workers());
              if (back != ahead) {
                back.draw(step, kernels.workers());
              }
            }));
  }

  /// {@return the aggregation of a graph, whose transpose may be the same matrix}
  ///
  /// @param rows of the graph and of its transpose
  /// @param kernels threads and clock; borrowed
  public static LocalAggregation of(PropagationRows rows, Kernels kernels) {
    Spmm forward = new Spmm(rows.forward());
    Spmm backward = rows.forward() == rows.backward() ? forward : new Spmm(rows.backward());
    return new LocalAggregation(forward, () -> backward, kernels);
  }

  /// {@return the aggregation of a sampled block}
  ///
  /// @param arena shared, owner of weights and transpose
  /// @param matrix of the block, destinations x sources
  /// @param kernels threads and clock; borrowed
  public static LocalAggregation ofBlock(Arena arena, CsrMatrix matrix, Kernels kernels) {
    CsrMatrix a = matrix.columnScale() == null ? matrix : weighted(arena, matrix);
    return new LocalAggregation(
        new Spmm(a),
        () -> new Spmm((a.rowScale() == null ? a : weighted(arena, a)).transpose(arena)),
        kernels);
  }

  /// The same matrix with all scales multiplied into its values.
  private static CsrMatrix weighted(Arena arena, CsrMatrix a) {
    MemorySegment values = arena.allocate(a.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long i = 0; i < a.rows(); i++) {
      float scale = a.rowScale(i);
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1); e++) {
        values.set(FLOAT, e * Float.BYTES, scale * a.value(e) * a.columnScale(a.column(e)));
      }
    }
    return a.withValues(values).withScales(null, null);
  }

  @Override
  public void forward(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
    kernels.clock().measure(Phase.SPMM, () -> forward.multiply(x, y, kernels.workers(), epilogue));
  }

  @Override
  public void backward(DenseMatrix gradY, DenseMatrix gradX) {
    kernels
        .clock()
        .measure(
            Phase.SPMM,
            () -> transpose().multiply(gradY, gradX, kernels.workers(), RowEpilogue.NONE));
  }

  private Spmm transpose() {
    Spmm made = backward;
    if (made == null) {
      made = transposed.get();
      backward = made;
    }
    return made;
  }
}
