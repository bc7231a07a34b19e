package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;

/// A layer in two halves, the first of which does not read the graph. Most are linear in the
/// aggregated rows: `Z = Â (H W) + O + b`, where `O` depends on a vertex's own row. The first half
/// reads `H` once, in row order, so that each page of an input file larger than memory is read
/// once, and the second one the results.
public interface LayerHalves {
  /// {@return the width of `Z`}
  int out();

  /// {@return the width of `H W`}
  default int transformedWidth() {
    return out();
  }

  /// Computes the first half: `H W` and `O`.
  ///
  /// @param pass whose sources are rows of the input, and whose targets are the same rows; its
  ///   graph and output are not used
  /// @param hw one row of [#transformedWidth] columns for each of them, overwritten
  /// @param o one row of [#out] columns for each; unchanged by a layer that does not read own rows
  /// @param state parameters
  /// @param kernels for the computation
  void transform(LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels);

  /// Computes the second half: `H' = sigma(Â (H W) + O + b)`.
  ///
  /// @param pass graph, activation, memory and output of the layer; its inputs are not read, and
  ///   its memory is that of a pass whose sources are its targets, unless it is on edges
  /// @param hw one row for each source
  /// @param o one row for each target; ignored by a layer that does not read own rows
  /// @param state parameters
  /// @param kernels for the computation
  void aggregate(LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels);
}
