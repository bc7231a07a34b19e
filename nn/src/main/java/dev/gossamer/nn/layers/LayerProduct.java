package dev.gossamer.nn.layers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// One of the matrix products of a layer in a training step, or passes over its result, from which
/// plans compute the time of a step.
public sealed interface LayerProduct {
  /// The rows of a dense product.
  enum Rows {
    /// One row for each source.
    SOURCES,
    /// One row for each target.
    TARGETS,
    /// One row for each edge.
    EDGES
  }

  /// A dense product of `2 rows in out` operations: `H W` or `T W^T`, or the gradient `H^T S`.
  ///
  /// @param rows of the product
  /// @param in columns of the input
  /// @param out columns of the weights
  /// @param ofInput whether one operand is the layer's own input `H`, which may be sparse in a
  ///   first layer
  /// @param gradient whether it is `H^T S`, the gradient of the weights
  record Dense(Rows rows, int in, int out, boolean ofInput, boolean gradient)
      implements LayerProduct {}

  /// An aggregation, `Â H` forwards or `Â^T T` backwards.
  ///
  /// @param width columns of the aggregated matrix
  /// @param backward whether it multiplies by the transpose
  record Aggregated(int width, boolean backward) implements LayerProduct {}

  /// Attention over the edges: forwards scores, softmax and a weighted sum of the sources;
  /// backwards the gradients of each edge's weight and of each source: three passes over the edges,
  /// each of which reads a row of `K D` per edge.
  ///
  /// @param heads `K`
  /// @param width `K D`, columns that are gathered from other ranks forwards, and whose gradients
  ///   return backwards
  record Attended(int heads, int width) implements LayerProduct {}

  /// Sums over the edges, by their relations or of messages: forwards of rows of the sources;
  /// backwards the gradients of what weighs or changes these rows, and of each source if they
  /// return: one pass over the edges and up to two, each of which reads or writes columns of a row
  /// per edge.
  ///
  /// @param width columns of a row, which are gathered from other ranks forwards
  /// @param read of them, those that are read for an edge in one relation
  /// @param returns whether the gradients of the rows return backwards
  record AlongEdges(int width, int read, boolean returns) implements LayerProduct {}

  /// {@return the products of features of edges and a weight, `W_e x`, which each pass over the
  /// edges computes again, and if there is a backward pass the gradient of the weight}
  ///
  /// @param features of an edge
  /// @param width columns of the weight
  /// @param passes over the edges, the first of them forwards
  static List<LayerProduct> ofTerms(int features, int width, int passes) {
    LayerProduct term = new Dense(Rows.EDGES, features, width, false, false);
    List<LayerProduct> products = new ArrayList<>(Collections.nCopies(passes, term));
    if (passes > 1) {
      products.add(new Dense(Rows.EDGES, features, width, false, true));
    }
    return products;
  }

  /// Passes over a matrix with one row per target, and over others of its shape: normalisation,
  /// activation, residual connection.
  ///
  /// @param width columns of each
  /// @param matrices that are read or written
  record Elementwise(int width, int matrices) implements LayerProduct {}

  /// A sum over the ranks that compute a pass together.
  ///
  /// @param numbers float64 numbers that are added up
  record Summed(int numbers) implements LayerProduct {}
}
