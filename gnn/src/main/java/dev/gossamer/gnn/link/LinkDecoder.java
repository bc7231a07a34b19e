package dev.gossamer.gnn.link;

import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.LayerProduct;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/// How the score of an edge follows from the outputs of its vertices, which have the width `f`: an
/// edge of type `r` from `u` to `v` has the score `s[urv] = z[u] M[r] z[v]^T`, where `M[r]` is a
/// map (`f x f`) of the type, or that of two layers over both rows ([Kind#MLP]). Its logistic
/// function is the probability of the edge.
///
/// A decoder has groups of pairs with one map each, so that the scores of a group are dot products
/// of mapped rows: one group for each type, or one for all if no map depends on it; of a directed
/// graph and a map that is not symmetric, also one for each type against the direction of edges,
/// whose map is the transpose. Two layers have a group for each type, too.
///
/// @param kind of the maps
/// @param types name of each type of edges that has a map or an output of its own; none of
///   [Kind#DOT]
/// @param directed whether maps have a direction: those of [Kind#BILINEAR] in a directed graph
public record LinkDecoder(Kind kind, List<String> types, boolean directed) {
  /// The dot product.
  public static final LinkDecoder DOT = new LinkDecoder(Kind.DOT, List.of(), false);

  private static final String WEIGHT = "decoder.%d.weight";

  /// Name of a parameter of [Kind#MLP]: `f x f`, the hidden layer, which all types share.
  public static final String HIDDEN_WEIGHT = "decoder.hidden.weight";

  /// Name of a parameter of [Kind#MLP]: `1 x f`, the biases of the hidden layer.
  public static final String HIDDEN_BIAS = "decoder.hidden.bias";

  /// Name of a parameter of [Kind#MLP]: a row (`f`) of each type.
  public static final String OUTPUT_WEIGHT = "decoder.output.weight";

  /// Name of a parameter of [Kind#MLP]: `1 x types`, the biases of the types.
  public static final String OUTPUT_BIAS = "decoder.output.bias";

  /// Kinds of decoders.
  public enum Kind {
    /// The dot product, `M = I`, of all types.
    DOT,
    /// `M[r] = I + diag(w[r])` with one row `w[r]` for each type: `s = sum over k of (1 + w[rk])
    /// z[uk] z[vk]` (B. Yang et al., *Embedding entities and relations for learning and inference
    /// in knowledge bases*, 2015), which is symmetric.
    DISTMULT,
    /// `M[r] = I + W[r]` (M. Nickel et al., *A three-way model for collective learning on
    /// multi-relational data*, 2011); in an undirected graph `M[r] = I + (W[r] + W[r]^T) / 2`, as
    /// an edge has no direction.
    BILINEAR,
    /// No map, but two layers over the elementwise product of both rows: `s = w[r] ReLU(W (z[u] *
    /// z[v]) + b) + c[r]` with a hidden layer of width `f` that all types share, and an output of
    /// each ([PairNetwork]). This is the predictor of the baselines of W. Hu et al., *Open Graph
    /// Benchmark*, 2020. It is symmetric, as the product is: it does not tell the direction of an
    /// edge.
    MLP
  }

  /// Copies the list.
  ///
  /// @throws IllegalArgumentException if a dot product has types, or others have none
  public LinkDecoder {
    types = List.copyOf(types);
    if (types.isEmpty() != (kind == Kind.DOT) || (directed && kind != Kind.BILINEAR)) {
      throw new IllegalArgumentException(
          "decoder: expected types of edges for weights, a direction for bilinear maps, found %s, %s, %s"
              .formatted(kind, types, directed));
    }
  }

  /// {@return a decoder for the edges of a graph}
  ///
  /// @param kind of the maps
  /// @param parts the edges
  public static LinkDecoder of(Kind kind, LinkSplit.Parts parts) {
    return kind == Kind.DOT
        ? DOT
        : new LinkDecoder(
            kind, GraphTypes.edgesOf(parts.allTypes()), kind == Kind.BILINEAR && parts.directed());
  }

  /// Adds the parameters to a layout.
  ///
  /// @param layout to add to
  /// @param width of the outputs
  /// @param decays whether weight decay applies to them, which draws maps towards the dot product
  public void declare(ParameterLayout.Builder layout, int width, boolean decays) {
    if (kind == Kind.MLP) {
      layout
          .add(HIDDEN_WEIGHT, width, width, decays)
          .add(HIDDEN_BIAS, 1, width, false)
          .add(OUTPUT_WEIGHT, types.size(), width, decays)
          .add(OUTPUT_BIAS, 1, types.size(), false);
      return;
    }
    for (int type = 0; type < types.size(); type++) {
      layout.add(WEIGHT.formatted(type), kind == Kind.DISTMULT ? 1 : width, width, decays);
    }
  }

  /// {@return whether scores are dot products of the outputs themselves}
  public boolean isDot() {
    return kind == Kind.DOT;
  }

  /// {@return the number of groups of pairs}
  public int groups() {
    return Math.max(1, types.size()) * (directed ? 2 : 1);
  }

  /// {@return the group of a pair}
  ///
  /// @param type of its edge
  /// @param against whether the pair is the target and the source of the edge
  public int group(int type, boolean against) {
    int forward = isDot() ? 0 : type;
    return directed && against ? types.size() + forward : forward;
  }

  /// Computes the map of a group.
  ///
  /// @param group in `0..groups()-1`
  /// @param weights parameters by their names
  /// @param m `f x f`, overwritten
  /// @throws IllegalArgumentException if it has none, but layers
  public void map(int group, Function<String, DenseMatrix> weights, DenseMatrix m) {
    if (kind == Kind.MLP) {
      throw new IllegalArgumentException("decoder: expected one with a map, found " + kind);
    }
    DenseMatrix w = isDot() ? null : weights.apply(WEIGHT.formatted(group % types.size()));
    boolean transposed = directed && group >= types.size();
    for (int i = 0; i < m.cols(); i++) {
      for (int j = 0; j < m.cols(); j++) {
        float one = i == j ? 1 : 0;
        if (w == null) {
          m.set(i, j, one);
        } else if (kind == Kind.DISTMULT) {
          m.set(i, j, i == j ? 1 + w.get(0, j) : 0);
        } else if (directed) {
          m.set(i, j, one + (transposed ? w.get(j, i) : w.get(i, j)));
        } else {
          m.set(i, j, one + (w.get(i, j) + w.get(j, i)) / 2);
        }
      }
    }
  }

  /// Adds the gradient of a group's map to that of its parameters. Pairs of a symmetric map are in
  /// one group in both directions, so that each adds half; of a directed one, those along edges add
  /// all. Layers have no map.
  ///
  /// @param group in `0..groups()-1`
  /// @param gradient of the map, `f x f`
  /// @param state with the gradients of the parameters
  void addGradient(int group, DenseMatrix gradient, DenseState state) {
    if (isDot() || group >= types.size()) {
      return;
    }
    DenseMatrix sums = state.gradient(WEIGHT.formatted(group));
    for (int i = 0; i < sums.rows(); i++) {
      for (int j = 0; j < sums.cols(); j++) {
        float mine =
            switch (kind) {
              case DOT, MLP -> 0;
              case DISTMULT -> gradient.get(j, j) / 2;
              case BILINEAR -> directed ? gradient.get(i, j) : gradient.get(i, j) / 2;
            };
        sums.set(i, j, sums.get(i, j) + mine);
      }
    }
  }

  /// {@return the parameters' names}
  private List<String> parameters() {
    return kind == Kind.MLP
        ? List.of(HIDDEN_WEIGHT, HIDDEN_BIAS, OUTPUT_WEIGHT, OUTPUT_BIAS)
        : IntStream.range(0, types.size()).mapToObj(WEIGHT::formatted).toList();
  }

  /// Sets the gradients of the parameters to 0.
  ///
  /// @param state with the gradients
  void clearGradients(DenseState state) {
    parameters().forEach(name -> state.gradient(name).fill(0));
  }

  /// {@return about the bytes that are read and written for the score of a pair, and in training
  /// for its gradients}
  ///
  /// @param width of the outputs
  /// @param backward whether gradients are computed
  public long pairBytes(int width, Backward backward) {
    boolean trains = backward != Backward.NONE;
    int rows = kind == Kind.MLP ? PairNetwork.rowsMoved(trains) : trains ? 2 : 1;
    return RankLinks.PAIR_BYTES + rows * DenseMatrix.bytes(1, width);
  }

  /// {@return the dense products that have a row for each pair}
  ///
  /// @param width of the outputs
  /// @param backward whether gradients are computed
  public List<LayerProduct.Dense> pairProducts(int width, Backward backward) {
    return kind == Kind.MLP ? PairNetwork.products(width, backward != Backward.NONE) : List.of();
  }

  /// {@return bytes that scores and gradients take: of maps, copies of rows, a map and its
  /// gradient, or what layers take}
  ///
  /// @param rows of the outputs
  /// @param width of the outputs
  long bytes(long rows, int width) {
    return switch (kind) {
      case DOT -> 0;
      case DISTMULT, BILINEAR ->
          3 * DenseMatrix.bytes(rows, width) + 2 * DenseMatrix.bytes(width, width);
      case MLP -> PairNetwork.bytes(width);
    };
  }
}
