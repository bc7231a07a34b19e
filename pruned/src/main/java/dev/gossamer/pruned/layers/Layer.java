package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ParameterLayout;
import org.jspecify.annotations.Nullable;

/// A layer of a network, with explicit forward and backward passes.
///
/// A layer holds settings only. Its parameters are in a [dev.gossamer.nn.state.ModelState]; the
/// caller keeps what the backward pass needs, so that any number of microbatches can be in flight.
/// Shapes are fixed at construction; the number of samples is that of the [Pass].
public sealed interface Layer
    permits Linear,
        TiedHead,
        TokenEmbedding,
        LayerNorm,
        CausalAttention,
        Convolution,
        BatchNorm,
        Weightless,
        Residual,
        Sequence {
  /// {@return the shape of an input sample}
  Shape input();

  /// {@return the shape of an output sample}
  Shape output();

  /// Adds the parameters to a layout. Matrices decay and may be pruned, vectors (one row) do
  /// neither.
  ///
  /// @param layout to extend
  default void declare(ParameterLayout.Builder layout) {}

  /// Initialises the parameters, which are zero before.
  ///
  /// @param weights that include those of the layer
  default void initialise(Initialisation weights) {}

  /// Adds the vectors of running statistics to a layout.
  ///
  /// @param layout to extend
  default void declareStatistics(ParameterLayout.Builder layout) {}

  /// {@return the elements that a forward pass keeps for the backward pass, in whole cache lines;
  /// by default its output}
  ///
  /// @param samples of a pass
  default long keptElements(int samples) {
    return Batches.elements(output(), samples);
  }

  /// {@return the elements of temporary memory of the backward pass}
  ///
  /// @param samples of a pass
  default long workElements(int samples) {
    return 0;
  }

  /// {@return floating-point operations of products in the forward pass of one sample, `2 m k n`
  /// each; the backward pass takes twice as many}
  default double operations() {
    return 0;
  }

  /// Computes the output.
  ///
  /// @param x the input; kept by the caller for the backward pass
  /// @param kept [#keptElements], overwritten
  /// @param pass context that the layers share
  /// @return the output, at the beginning of `kept`, where the backward pass reads it
  DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass);

  /// Adds to the gradients of the parameters, and computes the gradient of the input.
  ///
  /// @param x the input of the forward pass
  /// @param kept as written by the forward pass
  /// @param t gradient of the output, read
  /// @param g gradient of the input, overwritten; null if it is not needed
  /// @param work [#workElements], overwritten
  /// @param pass context that the layers share
  void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass);
}
