package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;

/// A normalisation in a [FinishedLayer], with a gain and a bias for each column.
interface Normaliser {
  /// As in PyTorch.
  float EPSILON = 1e-5f;

  /// Returns the prefix of the parameters' names.
  String name();

  /// Returns the number of columns.
  int width();

  /// Adds gain and bias to a layout; they do not decay.
  default void declare(ParameterLayout.Builder layout) {
    layout.add(name() + ".gain", 1, width(), false);
    layout.add(name() + ".bias", 1, width(), false);
  }

  /// Sets the gradients of gain and bias.
  ///
  /// @param sums both, `2 x width`
  /// @param state parameters and gradients
  default void setGradients(DenseMatrix sums, DenseState state) {
    state.gradient(name() + ".gain").copyFrom(sums.rows(0, 1));
    state.gradient(name() + ".bias").copyFrom(sums.rows(1, 2));
  }

  /// Returns the number of elements that are kept from the forward to the backward pass.
  ///
  /// @param rows of the pass
  long keptElements(long rows);

  /// Returns how many numbers the ranks that compute a pass together add up in a training step,
  /// call by call.
  List<Integer> summed();

  /// Returns whether adding a row to all rows of `z` changes nothing in training.
  boolean ignoresShifts();

  /// Returns how many matrices of the shape of `z` the forward pass reads and writes.
  int matrices();

  /// Computes `y = norm(z)`.
  ///
  /// @param z one row for each target
  /// @param y like `z`, overwritten
  /// @param kept overwritten
  /// @param pass that this is part of
  /// @param state parameters and gradients
  /// @param kernels for the computation
  void forward(
      DenseMatrix z,
      DenseMatrix y,
      DenseMatrix kept,
      LayerPass pass,
      DenseState state,
      Kernels kernels);

  /// Computes `y` once more, after the forward pass in training.
  ///
  /// @param z as in the forward pass
  /// @param y overwritten
  /// @param kept as left by the forward pass
  /// @param state parameters
  /// @param kernels for the computation
  void again(DenseMatrix z, DenseMatrix y, DenseMatrix kept, DenseState state, Kernels kernels);

  /// Computes the gradients of `z`, and of gain and bias into `state`.
  ///
  /// @param z as in the forward pass; overwritten with its gradient
  /// @param t gradient of `y`
  /// @param kept as left by the forward pass
  /// @param sums `2 x out`, overwritten
  /// @param pass that this is part of
  /// @param state parameters and gradients
  /// @param kernels for the computation
  void backward(
      DenseMatrix z,
      DenseMatrix t,
      DenseMatrix kept,
      DenseMatrix sums,
      LayerPass pass,
      DenseState state,
      Kernels kernels);
}
