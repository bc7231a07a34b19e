package dev.gossamer.gnn.fullgraph;

import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.Phase;

/// The aggregation over a graph that this process holds whole: one SpMM each way.
final class WholeGraph implements Aggregation {
  private final Spmm forward;
  private final Spmm backward;
  private final Kernels kernels;

  WholeGraph(PropagationRows propagation, Kernels kernels) {
    forward = new Spmm(propagation.forward());
    backward =
        propagation.forward() == propagation.backward()
            ? forward
            : new Spmm(propagation.backward());
    this.kernels = kernels;
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
            Phase.SPMM, () -> backward.multiply(gradY, gradX, kernels.workers(), RowEpilogue.NONE));
  }
}
