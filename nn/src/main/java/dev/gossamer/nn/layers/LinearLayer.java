package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;

/// A layer that is linear in the rows which it aggregates: `Z = Â (H W) + O + b`, where `O` is what
/// a vertex makes of its own row. It can go over `H` once, in the order of its rows, and aggregate
/// what it has made of them: of an input that is a file larger than memory each page is read once.
public interface LinearLayer extends GraphLayer {
  /// Computes the first half: `H W` and `O`.
  ///
  /// @param h some rows of the input
  /// @param hw one row for each, of [#out] columns, overwritten
  /// @param o likewise; left alone by a layer that does not read own rows
  /// @param state parameters
  /// @param kernels what to compute with
  void transform(LayerInput h, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels);

  /// Computes the second half: `H' = sigma(Â (H W) + O + b)`.
  ///
  /// @param a rows of `Â`
  /// @param hw one row for each source
  /// @param o one row for each target; not read by a layer that does not read own rows
  /// @param output one row for each target, overwritten
  /// @param activation `sigma`
  /// @param state parameters
  void aggregate(
      Aggregation a,
      DenseMatrix hw,
      DenseMatrix o,
      DenseMatrix output,
      Activation activation,
      DenseState state);
}
