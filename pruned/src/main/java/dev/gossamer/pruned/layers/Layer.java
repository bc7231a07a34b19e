package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ParameterLayout;
import org.jspecify.annotations.Nullable;

/// A layer of a network, with explicit forward and backward passes.
///
/// A layer holds settings only. Its parameters are in a [dev.gossamer.nn.state.ModelState]; what
/// its backward pass needs of the forward pass is in memory of the caller, so that any number of
/// microbatches can be in flight. Shapes are fixed at construction; the number of samples is that
/// of the [Pass].
public sealed interface Layer
    permits Linear,
        TiedHead,
        TokenEmbedding,
        LayerNorm,
        CausalAttention,
        Gelu,
        Relu,
        DropoutLayer,
        Convolution,
        BatchNorm,
        MaxPool,
        AveragePool,
        Flatten,
        Residual,
        Sequence {
  /// {@return what a sample looks like when it comes in}
  Shape input();

  /// {@return what a sample looks like when it comes out}
  Shape output();

  /// Adds the parameters to a layout. Matrices decay and may be pruned, vectors (one row) do
  /// neither.
  ///
  /// @param layout that is added to
  default void declare(ParameterLayout.Builder layout) {}

  /// Gives the parameters their first values; they are zero before.
  ///
  /// @param weights of the layer among others
  default void initialise(Initialisation weights) {}

  /// Adds what is averaged over the batches besides the parameters: a vector each.
  ///
  /// @param layout that is added to
  default void declareStatistics(ParameterLayout.Builder layout) {}

  /// {@return elements that a pass leaves for the backward pass, in whole cache lines: its output,
  /// unless a layer leaves more}
  ///
  /// @param samples of a pass
  default long keptElements(int samples) {
    return Batches.elements(output(), samples);
  }

  /// {@return elements of memory that the backward pass overwrites and forgets}
  ///
  /// @param samples of a pass
  default long workElements(int samples) {
    return 0;
  }

  /// {@return floating-point operations of products in the forward pass of one sample, `2 m k n`
  /// each; the backward pass has twice as many}
  default double operations() {
    return 0;
  }

  /// Computes the output.
  ///
  /// @param x the input; kept by the caller for the backward pass
  /// @param kept [#keptElements], overwritten
  /// @param pass what the layers of the pass share
  /// @return the output, at the beginning of `kept`, where the backward pass finds it again
  DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass);

  /// Adds to the gradients of the parameters, and makes that of the input.
  ///
  /// @param x the input of the forward pass
  /// @param kept as the forward pass left it
  /// @param t gradient of the output, read
  /// @param g gradient of the input, overwritten; null if it is not needed
  /// @param work [#workElements], overwritten
  /// @param pass what the layers of the pass share
  void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass);
}
