package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.io.InvalidInputException;
import java.util.Arrays;
import java.util.List;

/// How the neighbourhood of a minibatch is cut down. A value; [BulkSampler] draws.
///
/// The first three draw layer by layer, from the batch outwards, and differ only in how `Q` is
/// built, in NORM and in EXTRACT (MBS, section 4). The others draw one subgraph for all layers (H.
/// Zeng et al., *GraphSAINT*, ICLR 2020). What each promises of its weights:
///
/// | sampler | `E` of the weighted sum over the sampled sources of a vertex is |
/// |---|---|
/// | `sage` | the mean over all its neighbours, exactly |
/// | `ladies`, `fastGcn` | its row of `Â H`, exactly, given the layers before |
/// | `saintNode`, `saintEdge` | its row of `Â H`, exactly, given that it is in the subgraph |
/// | `saintWalk` | the same, up to the error of estimated probabilities |
public sealed interface Sampler {
  /// Layers of the network that the batches are for, at least 1.
  int layers();

  /// Each vertex takes at most so many of its neighbours, uniformly without replacement (W.
  /// Hamilton, R. Ying and J. Leskovec, 2017; MBS, section 4.1). Weights and scales of `Â` are not
  /// used.
  ///
  /// @param fanouts neighbours a vertex, from the batch outwards
  record Sage(List<Integer> fanouts) implements Sampler {
    public Sage {
      fanouts = List.copyOf(fanouts);
      requireSizes("fanouts", fanouts);
    }

    @Override
    public int layers() {
      return fanouts.size();
    }
  }

  /// Each batch takes so many vertices a layer of its aggregated neighbourhood, without
  /// replacement, `v` with probability `e_v^2 / sum_u e_u^2`, where `e_v` counts the neighbours of
  /// `v` in the batch (D. Zou et al., 2019; MBS, section 4.2).
  ///
  /// @param sizes vertices a layer, from the batch outwards
  record Ladies(List<Integer> sizes) implements Sampler {
    public Ladies {
      sizes = List.copyOf(sizes);
      requireSizes("sizes", sizes);
    }

    @Override
    public int layers() {
      return sizes.size();
    }
  }

  /// Each batch takes so many vertices a layer of the whole graph, without replacement, `v` with
  /// probability proportional to the squared norm of column `v` of `Â` (J. Chen, T. Ma and C. Xiao,
  /// *FastGCN*, ICLR 2018).
  ///
  /// @param sizes vertices a layer, from the batch outwards
  record FastGcn(List<Integer> sizes) implements Sampler {
    public FastGcn {
      sizes = List.copyOf(sizes);
      requireSizes("sizes", sizes);
    }

    @Override
    public int layers() {
      return sizes.size();
    }
  }

  /// The subgraph of vertices that are drawn with replacement as [FastGcn] draws them.
  ///
  /// @param layers of the network
  /// @param draws vertices drawn a batch
  record SaintNode(int layers, int draws) implements Sampler {
    public SaintNode {
      requireSizes("layers and draws", List.of(layers, draws));
    }
  }

  /// The subgraph of the ends of edges that are drawn with replacement, `{u, v}` with probability
  /// proportional to `1 / deg(u) + 1 / deg(v)`.
  ///
  /// @param layers of the network
  /// @param draws edges drawn a batch
  record SaintEdge(int layers, int draws) implements Sampler {
    public SaintEdge {
      requireSizes("layers and draws", List.of(layers, draws));
    }
  }

  /// The subgraph of the vertices on random walks from roots that are drawn uniformly with
  /// replacement.
  ///
  /// @param layers of the network
  /// @param roots walks a batch
  /// @param length steps of a walk
  /// @param estimates subgraphs drawn beforehand to count how often vertices and edges occur
  record SaintWalk(int layers, int roots, int length, int estimates) implements Sampler {
    public SaintWalk {
      requireSizes(
          "layers, roots, length and estimates", List.of(layers, roots, length, estimates));
    }
  }

  /// Whether a batch is one subgraph for all layers, whose seeds are all its vertices.
  default boolean drawsSubgraphs() {
    return switch (this) {
      case Sage sage -> false;
      case Ladies ladies -> false;
      case FastGcn fastGcn -> false;
      case SaintNode node -> true;
      case SaintEdge edge -> true;
      case SaintWalk walk -> true;
    };
  }

  /// [Sage]: `sage(15, 10, 5)`.
  static Sampler sage(int... fanouts) {
    return new Sage(Arrays.stream(fanouts).boxed().toList());
  }

  /// [Ladies]: `ladies(512, 512, 512)`.
  static Sampler ladies(int... sizes) {
    return new Ladies(Arrays.stream(sizes).boxed().toList());
  }

  /// [FastGcn]: `fastGcn(400, 400)`.
  static Sampler fastGcn(int... sizes) {
    return new FastGcn(Arrays.stream(sizes).boxed().toList());
  }

  /// [SaintNode].
  static Sampler saintNode(int layers, int draws) {
    return new SaintNode(layers, draws);
  }

  /// [SaintEdge].
  static Sampler saintEdge(int layers, int draws) {
    return new SaintEdge(layers, draws);
  }

  /// [SaintWalk].
  static Sampler saintWalk(int layers, int roots, int length, int estimates) {
    return new SaintWalk(layers, roots, length, estimates);
  }

  private static void requireSizes(String what, List<Integer> sizes) {
    if (sizes.isEmpty() || sizes.stream().anyMatch(size -> size < 1)) {
      throw new InvalidInputException(
          "sampler: %s: expected numbers of at least 1, found %s; give one or more"
              .formatted(what, sizes));
    }
  }
}
