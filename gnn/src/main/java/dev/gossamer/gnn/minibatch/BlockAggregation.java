package dev.gossamer.gnn.minibatch;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.Phase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// The aggregation over one sampled block. Its transpose is made when the first backward pass asks
/// for it: the first layer's, the largest, is never asked for if the features are dense.
final class BlockAggregation implements Aggregation {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final Arena arena;
  private final Kernels kernels;
  private final Spmm forward;
  private @Nullable Spmm backward;

  /// @param arena shared, owner of weights and transpose
  /// @param matrix of the block
  BlockAggregation(Arena arena, CsrMatrix matrix, Kernels kernels) {
    this.arena = arena;
    this.kernels = kernels;
    forward = new Spmm(matrix.columnScale() == null ? matrix : weighted(matrix));
  }

  /// The same matrix with all scales multiplied into its values.
  private CsrMatrix weighted(CsrMatrix a) {
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
      CsrMatrix a = forward.matrix();
      made = new Spmm((a.rowScale() == null ? a : weighted(a)).transpose(arena));
      backward = made;
    }
    return made;
  }
}
