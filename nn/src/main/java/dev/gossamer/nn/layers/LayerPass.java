package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// The inputs, outputs and memory of one layer in a forward pass and the corresponding backward
/// pass. All memory is borrowed.
///
/// A layer maps rows of **sources** to rows of **targets**. In a whole graph, both are all
/// vertices; in a sampled block, the first sources are the targets.
///
/// @param own the input's rows of the targets
/// @param sources the input `H`, one row per source; for [Order#TRANSFORM_ONLY] in a network that
///   uses the graph, the already aggregated input: one row per target
/// @param graph from sources to targets
/// @param activation applied to completed rows of the output
/// @param inner activations of what a layer computes within itself, by their number in the layer;
///   their rows are the sources or the targets
/// @param attentionDropout dropout of the attention coefficients, the same in both passes; null for
///   none
/// @param ranks that compute the pass together, in training; null in evaluation, in which nothing
///   is normalised by its rows
/// @param shared memory that every pass of every layer overwrites, [GraphLayer#sharedElements]
/// @param kept [GraphLayer#keptElements], from the forward to the backward pass
/// @param carried the targets' rows of what layers leave for later ones
///   ([GraphLayer#carriedWidth]), or the first of these rows, if the last layer joins them
///   ([GraphLayer#joinsCarried]); in the backward pass, their gradient, to which each layer that
///   reads them adds, unless the last has made it; null if no layer leaves any
/// @param output `targets x out`: `H'` after the forward pass, `T = dL/dZ` before the backward pass
public record LayerPass(
    LayerInput own,
    LayerInput sources,
    GraphView graph,
    Activation activation,
    IntFunction<Activation> inner,
    @Nullable EdgeDropout attentionDropout,
    @Nullable RankSums ranks,
    DenseMatrix shared,
    DenseMatrix kept,
    @Nullable DenseMatrix carried,
    DenseMatrix output) {
  /// A pass of a layer within the layer of this pass.
  ///
  /// @param sigma its activation
  /// @param rest what it keeps
  /// @param result its output
  LayerPass within(Activation sigma, DenseMatrix rest, DenseMatrix result) {
    return new LayerPass(
        own, sources, graph, sigma, inner, attentionDropout, ranks, shared, rest, carried, result);
  }

  /// A pass of a layer within the layer of this pass, on rows that this computes.
  ///
  /// @param rows those of the targets
  /// @param all one row per source
  /// @param rest what it keeps
  LayerPass reading(LayerInput rows, LayerInput all, DenseMatrix rest) {
    return new LayerPass(
        rows,
        all,
        graph,
        activation,
        inner,
        attentionDropout,
        ranks,
        shared,
        rest,
        carried,
        output);
  }

  /// The carried rows.
  ///
  /// @throws IllegalStateException if there are none
  DenseMatrix carriedRows() {
    if (carried == null) {
      throw new IllegalStateException("no layer leaves rows for later ones");
    }
    return carried;
  }

  /// The graph as a linear map.
  ///
  /// @throws IllegalArgumentException if it is a [Neighbourhood]
  Aggregation aggregation() {
    if (graph instanceof Aggregation aggregation) {
      return aggregation;
    }
    throw new IllegalArgumentException("this layer aggregates; expected an aggregation");
  }

  /// The graph edge by edge.
  ///
  /// @throws IllegalArgumentException if it is an [Aggregation]
  Neighbourhood neighbourhood() {
    if (graph instanceof Neighbourhood neighbourhood) {
      return neighbourhood;
    }
    throw new IllegalArgumentException("this layer uses edges; expected a neighbourhood");
  }

  /// The features of the edges.
  ///
  /// @param layer that reads them
  /// @param width features of each edge that it reads
  /// @throws IllegalArgumentException if there are none, or others
  EdgeRows edgeFeatures(String layer, int width) {
    EdgeRows features = neighbourhood().features();
    if (features == null || features.width() != width) {
      throw new IllegalArgumentException(
          "%s: expected %d features of each edge, found %d"
              .formatted(layer, width, features == null ? 0 : features.width()));
    }
    return features;
  }

  /// The input's rows of the targets.
  ///
  /// @throws IllegalArgumentException if they are sparse
  DenseMatrix ownRows() {
    if (own instanceof LayerInput.Dense dense) {
      return dense.h();
    }
    throw new IllegalArgumentException("a residual connection needs a dense input");
  }

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
    aggregation().forward(sourceMatrix(), to, RowEpilogue.NONE);
  }

  /// The input's rows of the sources.
  ///
  /// @throws IllegalArgumentException if they are sparse
  DenseMatrix sourceMatrix() {
    if (sources instanceof LayerInput.Dense dense) {
      return dense.h();
    }
    throw new IllegalArgumentException("aggregating before the product needs a dense input");
  }
}
