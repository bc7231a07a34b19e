package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.Draws.Purpose;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// GraphSAINT in the frame of MBS, Algorithm 1: `Q`, `P = Q A`, NORM and SAMPLE draw the vertices
/// of a batch (see [SubgraphDraw]), and EXTRACT takes all entries between them, once for all
/// layers.
///
/// An entry `(v, u)` is divided by `alpha = p_uv / p_v` and the loss of `v` by `p_v`, where `p_v`
/// and `p_uv` are the probabilities that `v`, and both, are in a subgraph
/// ([SubgraphProbabilities]): then what is aggregated and the loss have the expectations of the
/// whole graph (GraphSAINT, propositions 3.1 and 3.2).
///
/// With the rows of some vertices alone ([AdjacencyRows#own]), draws begin there and end at the
/// halo: vertices of it that are drawn are sources, and no destinations. Then what is aggregated
/// still has the expectation of the whole graph, for each vertex in the subgraph, and the loss that
/// of those vertices' part of it.
final class SubgraphSampling extends TimedSampling {
  private final int layers;
  private final SubgraphDraw draw;
  private final SubgraphProbabilities probabilities;
  private final AdjacencyRows a;
  private final BitSet training;
  private final Workers workers;
  private final BlockMaker[] makers;

  /// @param layers of the network
  SubgraphSampling(
      int layers,
      SubgraphDraw draw,
      SubgraphProbabilities probabilities,
      AdjacencyRows a,
      int[] training,
      Workers workers) {
    this.layers = layers;
    this.draw = draw;
    this.probabilities = probabilities;
    this.a = a;
    this.workers = workers;
    this.training = new BitSet(a.vertices());
    for (int v : training) {
      this.training.set(v);
    }
    makers = new BlockMaker[workers.threads()];
    for (int t = 0; t < makers.length; t++) {
      makers[t] = new BlockMaker(a.vertices());
    }
  }

  @Override
  public List<SampledBatch> sample(
      Arena arena,
      long epoch,
      BatchNumbers numbers,
      List<int[]> batches,
      @Nullable Boundary boundary) {
    Subgraphs drawn =
        clock.sampling(() ->
            Subgraphs.of(a, numbers, draw.draw(Purpose.ROOTS, epoch, numbers, batches.size())));
    Frontier here = drawn.here();
    int[] starts = here.starts();
    SampledBlock[] blocks = new SampledBlock[here.count()];
    try (Arena working = Arena.ofShared()) {
      SelectedRows rows = clock.communication(() -> a.select(working, here.stacked()));
      clock.extraction(() -> {
        workers.run(
            here.count(),
            (b, worker) -> {
              SelectedRows own = rows.range(starts[b], starts[b + 1]);
              blocks[b] = block(arena, own, here.batch(b), drawn.all().batch(b), makers[worker]);
            });
        return blocks;
      });
    }
    List<SampledBatch> result = new ArrayList<>();
    for (int b = 0; b < blocks.length; b++) {
      int[] vertices = here.batch(b);
      result.add(
          new SampledBatch(
              numbers.of(b), vertices, lossWeights(vertices), layers(arena, blocks[b], boundary)));
    }
    return result;
  }

  private List<SampledBlock> layers(Arena arena, SampledBlock block, @Nullable Boundary boundary) {
    SampledBlock[] ofLayers = new SampledBlock[layers];
    for (int l = layers - 1; l >= 0; l--) {
      ofLayers[l] = block.cut(arena, boundary, l);
    }
    return List.of(ofLayers);
  }

  private SampledBlock block(
      Arena arena, SelectedRows own, int[] here, int[] vertices, BlockMaker maker) {
    return maker.induced(
        arena,
        own,
        here,
        vertices,
        (row, column, e) ->
            (float)
                (probabilities.vertex(vertices[row])
                    / probabilities.pair(own, vertices, row, column, e)));
  }

  private float[] lossWeights(int[] vertices) {
    float[] weights = new float[vertices.length];
    for (int i = 0; i < weights.length; i++) {
      if (training.get(vertices[i])) {
        weights[i] = (float) (1 / (probabilities.vertex(vertices[i]) * training.cardinality()));
      }
    }
    return weights;
  }
}
