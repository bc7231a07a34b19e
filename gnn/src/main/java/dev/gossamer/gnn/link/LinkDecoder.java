package dev.gossamer.gnn.link;

import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;
import java.util.function.Function;

/// How the score of an edge follows from the outputs of its vertices, which have the width `f`: an
/// edge of type `r` from `u` to `v` has the score `s[urv] = z[u] M[r] z[v]^T`, where `M[r]` is a
/// map (`f x f`) of the type. Its logistic function is the probability of the edge.
///
/// A decoder has groups of pairs with one map each, so that the scores of a group are dot products
/// of mapped rows: one group for each type, or one for all if no map depends on it; of a directed
/// graph and a map that is not symmetric, also one for each type against the direction of edges,
/// whose map is the transpose.
///
/// @param kind of the maps
/// @param types name of each type of edges that has a map of its own; none of [Kind#DOT]
/// @param directed whether maps have a direction: those of [Kind#BILINEAR] in a directed graph
public record LinkDecoder(Kind kind, List<String> types, boolean directed) {
  /// The dot product.
  public static final LinkDecoder DOT = new LinkDecoder(Kind.DOT, List.of(), false);

  private static final String WEIGHT = "decoder.%d.weight";

  /// Kinds of maps.
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
    BILINEAR
  }

  /// Copies the list.
  ///
  /// @throws IllegalArgumentException if maps have no types, or others have some
  public LinkDecoder {
    types = List.copyOf(types);
    if (types.isEmpty() != (kind == Kind.DOT) || (directed && kind != Kind.BILINEAR)) {
      throw new IllegalArgumentException(
          "decoder: expected types of edges for maps, a direction for bilinear ones, found %s, %s, %s"
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
  public void map(int group, Function<String, DenseMatrix> weights, DenseMatrix m) {
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
  /// all.
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
              case DOT -> 0;
              case DISTMULT -> gradient.get(j, j) / 2;
              case BILINEAR -> directed ? gradient.get(i, j) : gradient.get(i, j) / 2;
            };
        sums.set(i, j, sums.get(i, j) + mine);
      }
    }
  }

  /// Sets the gradients of the parameters to 0.
  ///
  /// @param state with the gradients
  void clearGradients(DenseState state) {
    for (int type = 0; type < types.size(); type++) {
      state.gradient(WEIGHT.formatted(type)).fill(0);
    }
  }

  /// {@return bytes of the map and its gradient}
  ///
  /// @param width of the outputs
  long bytes(int width) {
    return isDot() ? 0 : 2 * DenseMatrix.bytes(width, width);
  }
}
