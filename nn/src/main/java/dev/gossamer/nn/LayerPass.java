package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.kernel.RowEpilogue;

/// What one layer reads and writes in a forward pass and in the backward pass that belongs to it.
/// All memory is borrowed.
///
/// A layer takes rows of **sources** to rows of **targets**. In a whole graph both are all
/// vertices; in a sampled block the first sources are the targets.
///
/// @param own the input's rows of the targets
/// @param sources the input `H`, one row a source; for [Order#TRANSFORM_ONLY] in a network that
///   sees the graph, what is aggregated already: one row a target
/// @param aggregation from sources to targets
/// @param shared memory that every pass of every layer overwrites, [GraphLayer#sharedElements]
/// @param kept `targets x keptWidth`, from the forward to the backward pass
/// @param output `targets x out`: `H'` after the forward pass, `T = dL/dZ` before the backward pass
public record LayerPass(
    LayerInput own,
    LayerInput sources,
    Aggregation aggregation,
    DenseMatrix shared,
    DenseMatrix kept,
    DenseMatrix output) {
  /// Rows of the input that is aggregated.
  long sourceRows() {
    return sources.rows();
  }

  /// Rows of the output.
  long targetRows() {
    return output.rows();
  }

  /// `Â H` for an input `H` that is dense.
  ///
  /// @param to `targets x in`, overwritten
  void aggregate(DenseMatrix to) {
    if (!(sources instanceof LayerInput.Dense dense)) {
      throw new IllegalArgumentException("aggregating before the product needs a dense input");
    }
    aggregation.forward(dense.h(), to, RowEpilogue.NONE);
  }
}
