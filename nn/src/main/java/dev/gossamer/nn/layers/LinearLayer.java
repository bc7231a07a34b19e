package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;

/// A layer that is linear in the aggregated rows: `Z = Â (H W) + O + b`, where `O` depends on a
/// vertex's own row. It can read `H` once, in row order, and aggregate the results, so that each
/// page of an input file larger than memory is read once.
public interface LinearLayer {
  /// {@return the width of `Z`}
  int out();

  /// Computes the first half: `H W` and `O`.
  ///
  /// @param h rows of the input
  /// @param hw one row of [#out] columns for each row of `h`, overwritten
  /// @param o like `hw`; unchanged by a layer that does not read own rows
  /// @param state parameters
  /// @param kernels for the computation
  void transform(LayerInput h, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels);

  /// Computes the second half: `H' = sigma(Â (H W) + O + b)`.
  ///
  /// @param pass graph, activation, memory and output of the layer; its inputs are not read
  /// @param hw one row for each source
  /// @param o one row for each target; ignored by a layer that does not read own rows
  /// @param state parameters
  /// @param kernels for the computation
  void aggregate(LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels);
}
