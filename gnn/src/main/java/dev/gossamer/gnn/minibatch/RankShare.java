package dev.gossamer.gnn.minibatch;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.sampling.AdjacencyRows;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What one rank has of graph and features, and how it comes to the rest (MBS, section 6): features
/// in block rows over a grid of `p/c x c` ranks; the graph likewise, or whole on each rank.
///
/// Vertices have the numbers that the placement gives them, so that those of a rank are
/// consecutive; [#datasetIds] gives their numbers in the data set.
final class RankShare implements AutoCloseable {
  private final Arena arena;
  private final GraphData dataset;
  private final @Nullable ProcessGrid grid;
  private final Placement placement;
  private final RowDistribution distribution;
  private final int[] training;
  private final AdjacencyRows adjacency;
  private final @Nullable CsrMatrix wholeGraph;
  private final @Nullable CsrMatrix ownRows;
  private final Features ownFeatures;
  private final RowFormat wire;
  private final FeatureSource batchFeatures;
  private final FeatureSource allFeatures;
  private final List<FeatureSource> hidden = new ArrayList<>();
  private final Team everybody;
  private final Team column;

  /// Everything on one rank.
  ///
  /// @param arena shared, closed by [#close]
  RankShare(Arena arena, GraphData dataset, NetworkSettings network) {
    this.arena = arena;
    this.dataset = dataset;
    grid = null;
    placement = Placement.block(dataset.vertices(), 1);
    distribution = placement.distribution();
    training = MinibatchPlan.trainingVertices(dataset);
    wholeGraph = network.propagation(dataset).all(arena).forward();
    adjacency = AdjacencyRows.whole(wholeGraph);
    ownRows = wholeGraph;
    ownFeatures = dataset.features();
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
  /// @param placement into the blocks of the ranks' grid
  /// @param workers that fill the cache
  RankShare(
      Arena arena,
      Communicator world,
      GraphData dataset,
      Placement placement,
      NetworkSettings network,
      MinibatchSettings settings,
      Workers workers) {
    this.arena = arena;
    this.dataset = dataset;
    this.placement = placement;
    wholeGraph = null;
    grid = new ProcessGrid(world, settings.replication());
    distribution = placement.distribution();
    training =
        Arrays.stream(MinibatchPlan.trainingVertices(dataset)).map(placement::newId).toArray();
    Propagation propagation = network.propagation(dataset);
    ownRows =
        settings.holdsBlock() ? placement.blockRows(arena, propagation, row()).forward() : null;
    adjacency = adjacency(settings, propagation);
    ownFeatures = placement.blockFeatures(arena, dataset.features(), row(), workers);
    wire = settings.wire();
    allFeatures = FeatureSource.partitioned(grid, distribution, ownFeatures, wire);
    batchFeatures =
        settings.cacheBytes() == 0
            ? FeatureSource.partitioned(grid, distribution, ownFeatures, wire)
            : FeatureSource.partitioned(
                grid,
                distribution,
                ownFeatures,
                wire,
                settings.sampler().inputProbabilities(adjacency, training, settings.batchSize()),
                settings.cacheBytes(),
                workers);
    everybody = Team.of(world, arena);
    column = Team.of(grid.processColumn(), arena);
  }

  private AdjacencyRows adjacency(MinibatchSettings settings, Propagation propagation) {
    if (settings.samplesOwnRowsOnly()) {
      return AdjacencyRows.own(begin(), Objects.requireNonNull(ownRows));
    }
    return settings.partitioned()
        ? AdjacencyRows.partitioned(
            Objects.requireNonNull(grid), distribution, Objects.requireNonNull(ownRows))
        : AdjacencyRows.whole(placement.allRows(arena, propagation).forward());
  }

  /// Caches of embeddings for the layers of a network. Collective.
  ///
  /// @param settings of a run over ranks that keeps historical embeddings
  HistoricalEmbeddings historical(
      Network network, HistoricalSettings settings, long seed, Workers workers) {
    List<Integer> widths = network.layers().stream().skip(1).map(GraphLayer::in).toList();
    return new HistoricalEmbeddings(
        arena,
        new HistoricalEmbeddings.Share(
            Objects.requireNonNull(grid).world(),
            distribution,
            Objects.requireNonNull(ownRows),
            ownFeatures,
            batchFeatures,
            wire),
        widths,
        settings,
        seed,
        workers);
  }

  private int row() {
    return grid == null ? 0 : grid.row();
  }

  GraphData dataset() {
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

  /// The data set's number of each of some vertices, which do not depend on the placement.
  int[] datasetIds(int[] vertices) {
    return placement.oldIds(vertices);
  }

  /// Classes of some vertices.
  int[] labels(int[] vertices) {
    int[] all = dataset.labels();
    return Arrays.stream(vertices).map(v -> all[placement.oldId(v)]).toArray();
  }

  /// Whether a vertex is in a part of the split and its class is known.
  boolean isLabelled(int vertex, Split part) {
    return dataset.isLabelled(placement.oldId(vertex), part);
  }

  /// The vertices that a loss is taken of, in the order of the data set. Borrowed.
  int[] training() {
    return training;
  }

  /// How many of [#training] each rank owns.
  long[] trainingOfRanks() {
    long[] counts = new long[distribution.blocks()];
    for (int v : training) {
      counts[distribution.owner(v)]++;
    }
    return counts;
  }

  /// Those of [#training] that this rank owns.
  int[] ownTraining() {
    return Arrays.stream(training).filter(v -> v >= begin() && v < end()).toArray();
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
