package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.OuterBlocks;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import java.lang.foreign.MemorySegment;

/// An unpruned parameter.
///
/// @param operand `k x n`, read by products
/// @param gradient `k x n`
record WholeWeight(StoredMatrix operand, DenseMatrix gradient) implements StoredWeight {
  @Override
  public void addGradient(DenseMatrix x, DenseMatrix t, Workers w) {
    Weights.requireGradient(this, x, t);
    OuterBlocks.multiply(x, t, w, block -> block.addTo(gradient));
  }

  @Override
  public void addGradientRows(int begin, int end, MemorySegment values) {
    NumberFormat.FLOAT32.addWidened(values, gradient.rows(begin, end).data());
  }
}
