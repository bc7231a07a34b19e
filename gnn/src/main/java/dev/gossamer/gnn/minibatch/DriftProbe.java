package dev.gossamer.gnn.minibatch;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.EmbeddingDrift;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/// Measures how fast embeddings change during training, on some of each rank's own vertices: their
/// rows are computed twice, from the same neighbours on the rank and without dropout.
final class DriftProbe implements AutoCloseable {
  /// Batches of an epoch, the first ones, over which rows are seen to move.
  private static final int BATCHES = 8;

  /// Number of vertices per rank whose neighbourhoods are computed: hundreds of rows in total.
  static final int VERTICES = 32;

  /// The epoch by whose number their neighbours are drawn: none that is trained or evaluated.
  private static final long EPOCH = -2;

  private final RankShare share;
  private final BulkSampler sampler;
  private final BlockStack blocks;
  private final Workers workers;
  private final int batches;
  private final FetchedRows inputs = new FetchedRows();
  private List<float[][]> before = List.of();

  /// @param turns batches of each rank per epoch
  /// @param sampler of the batches
  /// @param blocks passes of the network; borrowed
  DriftProbe(
      RankShare share, int turns, Sampler sampler, long seed, BlockStack blocks, Workers workers) {
    this.share = share;
    this.blocks = blocks;
    this.workers = workers;
    batches = Math.min(BATCHES, turns);
    this.sampler =
        new BulkSampler(
            sampler,
            AdjacencyRows.own(share.begin(), share.ownRows()),
            share.ownTraining(),
            seed,
            workers);
  }

  /// Returns the number of batches between the two computations: the first ones of an epoch.
  int batches() {
    return batches;
  }

  /// Gives the rows of all layers but the last, if the rank has vertices.
  private void rows(DenseState state, Consumer<List<DenseMatrix>> action) {
    int begin = share.begin();
    int solids = share.end() - begin;
    int[] vertices = new int[Math.min(VERTICES, solids)];
    if (vertices.length == 0) {
      return;
    }
    Arrays.setAll(vertices, i -> begin + (int) ((long) i * solids / vertices.length));
    try (Arena arena = Arena.ofShared()) {
      SampledBatch batch =
          sampler
              .sample(arena, EPOCH, share.rank(), 1, List.of(vertices), ownVertices())
              .getFirst();
      int[] wanted = Arrays.stream(batch.inputs()).map(v -> v - begin).toArray();
      FeatureSource.whole(share.ownFeatures()).fetch(wanted, inputs, workers);
      blocks.hidden(batch, inputs.features(), state, action);
    }
  }

  private Boundary ownVertices() {
    return (_, sources, destinations, fates) -> {
      for (int i = destinations; i < sources.length; i++) {
        if (sources[i] < share.begin() || sources[i] >= share.end()) {
          fates[i] = Boundary.Fate.DROPPED;
        }
      }
    };
  }

  /// Computes the rows with which [#moved] compares. Local.
  void remember(DenseState state) {
    rows(state, hidden -> before = hidden.stream().map(DenseMatrix::toArray).toList());
  }

  /// Returns how far the rows have changed. Collective.
  EmbeddingDrift moved(DenseState state) {
    double[] mine = new double[2 * (sampler.sampler().layers() - 1)];
    rows(
        state,
        hidden -> {
          for (int l = 0; l < hidden.size(); l++) {
            double[] squares = EmbeddingDrift.squares(before.get(l), hidden.get(l).toArray());
            System.arraycopy(squares, 0, mine, 2 * l, squares.length);
          }
        });
    double[] sums = share.everybody().sum(mine);
    return EmbeddingDrift.of(sums, batches);
  }

  @Override
  public void close() {
    inputs.close();
  }
}
