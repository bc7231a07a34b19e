package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.BlockMaker;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
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
/// With only some rows ([AdjacencyRows#own]), draws start there and end at the halo, whose drawn
/// vertices are sources but not destinations. The aggregation of each vertex in the subgraph still
/// has the expectation of the whole graph, and the loss that of those vertices' part of it.
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

  /// Returns the same subgraphs, one per step, divided among the batches of the step.
  ///
  /// @param parts batches of a step, a multiple of the ranks
  Sampling inParts(int parts) {
    return new Parts(parts);
  }

  /// Needs the rows of all vertices, and knows no boundary.
  private final class Parts extends TimedSampling {
    private final int parts;

    private Parts(int parts) {
      this.parts = parts;
    }

    /// Numbers each batch like its subgraph, so that dropout is that of the whole subgraph.
    @Override
    public List<SampledBatch> sample(
        Arena arena,
        long epoch,
        BatchNumbers numbers,
        List<int[]> batches,
        @Nullable Boundary boundary) {
      int count = batches.size();
      BatchNumbers steps = new BatchNumbers(numbers.first() / parts, 1);
      int drawn = count == 0 ? 0 : numbers.of(count - 1) / parts - steps.first() + 1;
      Frontier all =
          clock.sampling(() -> new Frontier(steps, draw.draw(Purpose.ROOTS, epoch, steps, drawn)));
      int[] starts = all.starts();
      SampledBatch[] result = new SampledBatch[count];
      try (Arena working = Arena.ofShared()) {
        SelectedRows rows = clock.communication(() -> a.select(working, all.stacked()));
        clock.extraction(() -> {
          workers.run(
              count,
              (b, worker) -> {
                int step = numbers.of(b) / parts - steps.first();
                result[b] =
                    part(
                        arena,
                        rows.range(starts[step], starts[step + 1]),
                        all.batch(step),
                        numbers.of(b),
                        makers[worker]);
              });
          return result;
        });
      }
      return List.of(result);
    }

    private SampledBatch part(
        Arena arena, SelectedRows rows, int[] vertices, int number, BlockMaker maker) {
      int[] trained = IntStream.of(vertices).filter(training::get).toArray();
      int[] seeds =
          Arrays.copyOfRange(
              trained,
              (int) EpochBatches.begin(trained.length, parts, number % parts),
              (int) EpochBatches.begin(trained.length, parts, number % parts + 1L));
      int[] within = new int[layers + 1];
      int[] reached = maker.reached(rows, vertices, seeds, within);
      SelectedRows own =
          rows.picked(IntStream.of(reached).map(v -> Arrays.binarySearch(vertices, v)).toArray());
      int[] computed = Arrays.copyOf(reached, within[layers - 1]);
      SampledBlock widest = block(arena, own, computed, reached, maker);
      List<SampledBlock> blocks = new ArrayList<>();
      for (int l = layers; l > 0; l--) {
        blocks.add(widest.leading(within[l - 1], within[l]));
      }
      return new SampledBatch(number / parts, seeds, lossWeights(seeds), blocks);
    }
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
