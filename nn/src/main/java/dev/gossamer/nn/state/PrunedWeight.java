package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.OuterBlocks;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.sparse.SurvivorIndex;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;

/// A pruned parameter: products read a matrix with zeros for pruned elements, and the gradient is
/// compressed block by block as it is produced (SAMO, section III-C).
///
/// @param operand `k x n`, read by products
/// @param index of the survivors
/// @param gradient `float32[survivors]`
/// @param compressing time in ns, summed over threads
record PrunedWeight(
    StoredMatrix operand, SurvivorIndex index, MemorySegment gradient, LongAdder compressing)
    implements StoredWeight {
  @Override
  public void addGradient(DenseMatrix x, DenseMatrix t, Workers w) {
    Weights.requireGradient(this, x, t);
    OuterBlocks.multiply(
        x,
        t,
        w,
        block -> {
          long begin = System.nanoTime();
          index.compressAdd(block, cols(), gradient);
          compressing.add(System.nanoTime() - begin);
        });
  }

  @Override
  public void addGradientRows(int begin, int end, MemorySegment values) {
    long start = System.nanoTime();
    int first = Math.multiplyExact(begin, cols());
    index.compressAdd(first, Math.multiplyExact(end, cols()), values, gradient);
    compressing.add(System.nanoTime() - start);
  }
}
