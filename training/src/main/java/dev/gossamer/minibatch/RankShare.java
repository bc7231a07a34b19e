package dev.gossamer.minibatch;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.feature.FeatureSource;
import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.RowFormat;
import dev.gossamer.network.NetworkSettings;
import dev.gossamer.network.Team;
import dev.gossamer.sampling.AdjacencyRows;
import dev.gossamer.sampling.InputProbabilities;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one rank has of graph and features, and how it comes to the rest (MBS, section 6): features
/// in block rows over a grid of `p/c x c` ranks; the graph likewise, or whole on each rank.
final class RankShare implements AutoCloseable {
  private final Arena arena;
  private final Dataset dataset;
  private final @Nullable ProcessGrid grid;
  private final RowDistribution distribution;
  private final AdjacencyRows adjacency;
  private final @Nullable CsrMatrix wholeGraph;
  private final RowFormat wire;
  private final FeatureSource batchFeatures;
  private final FeatureSource allFeatures;
  private final List<FeatureSource> hidden = new ArrayList<>();
  private final Team everybody;
  private final Team column;

  /// Everything on one rank.
  ///
  /// @param arena shared, closed by [#close]
  RankShare(Arena arena, Dataset dataset, NetworkSettings network) {
    this.arena = arena;
    this.dataset = dataset;
    grid = null;
    distribution = RowDistribution.even(dataset.vertices(), 1);
    wholeGraph = network.propagation(dataset).all(arena).forward();
    adjacency = AdjacencyRows.whole(wholeGraph);
    wire = RowFormat.FLOAT32;
    batchFeatures = FeatureSource.whole(dataset.features());
    allFeatures = FeatureSource.whole(dataset.features());
    everybody = Team.ALONE;
    column = Team.ALONE;
  }

  /// One rank's share. Collective.
  ///
  /// @param arena shared, closed by [#close]
  /// @param dataset a mapped file that every rank reads; of the features only the rank's rows
  /// @param workers that fill the cache
  RankShare(
      Arena arena,
      Communicator world,
      Dataset dataset,
      NetworkSettings network,
      MinibatchSettings settings,
      int[] training,
      Workers workers) {
    this.arena = arena;
    this.dataset = dataset;
    wholeGraph = null;
    grid = new ProcessGrid(world, settings.replication());
    distribution = RowDistribution.even(dataset.vertices(), grid.blocks());
    Propagation propagation = network.propagation(dataset);
    adjacency =
        settings.partitioned()
            ? AdjacencyRows.partitioned(grid, distribution, block(propagation))
            : AdjacencyRows.whole(propagation.all(arena).forward());
    Features own = dataset.features().rows(arena, begin(), end());
    wire = settings.wire();
    allFeatures = FeatureSource.partitioned(grid, distribution, own, wire);
    batchFeatures =
        settings.cacheBytes() == 0
            ? FeatureSource.partitioned(grid, distribution, own, wire)
            : FeatureSource.partitioned(
                grid,
                distribution,
                own,
                wire,
                InputProbabilities.of(
                    settings.sampler(), adjacency, training, settings.batchSize()),
                settings.cacheBytes(),
                workers);
    everybody = Team.of(world, arena);
    column = Team.of(grid.processColumn(), arena);
  }

  private CsrMatrix block(Propagation propagation) {
    Placement placement = Placement.block(dataset.vertices(), distribution.blocks());
    return placement.blockRows(arena, propagation, row()).forward();
  }

  private int row() {
    return grid == null ? 0 : grid.row();
  }

  Dataset dataset() {
    return dataset;
  }

  int rank() {
    return grid == null ? 0 : grid.world().rank();
  }

  int ranks() {
    return grid == null ? 1 : grid.world().size();
  }

  /// First vertex of this rank's block.
  int begin() {
    return distribution.begin(row());
  }

  /// The vertex after the last of this rank's block.
  int end() {
    return distribution.end(row());
  }

  /// Vertices of the largest block of a rank.
  int largestBlock() {
    return distribution.largest();
  }

  /// `Â`.
  AdjacencyRows adjacency() {
    return adjacency;
  }

  /// `Â` on a rank that is alone and so has all rows of every matrix; else null.
  @Nullable CsrMatrix wholeGraph() {
    return wholeGraph;
  }

  /// The input features, for batches.
  FeatureSource batchFeatures() {
    return batchFeatures;
  }

  /// The input features, for evaluation.
  FeatureSource allFeatures() {
    return allFeatures;
  }

  /// The rows of a matrix that has, on each rank, one for each vertex of its block. Collective.
  ///
  /// @param own read whenever rows are fetched; borrowed
  FeatureSource rowsOf(Features own) {
    FeatureSource source =
        grid == null
            ? FeatureSource.whole(own)
            : FeatureSource.partitioned(grid, distribution, own, wire);
    hidden.add(source);
    return source;
  }

  /// All ranks.
  Team everybody() {
    return everybody;
  }

  /// Ranks that have each block once.
  Team column() {
    return column;
  }

  /// Collective.
  @Override
  public void close() {
    hidden.forEach(FeatureSource::close);
    batchFeatures.close();
    allFeatures.close();
    if (grid != null) {
      grid.close();
    }
    arena.close();
  }
}
