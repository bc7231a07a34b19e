package dev.gossamer.gnn.block;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.hop.HopFeatures;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// One rank's share of graph and features, and access to the rest (MBS, section 6): features are in
/// block rows over a grid of `p/c x c` ranks; the graph too, or whole on each rank. On one rank,
/// both are whole and read in place.
///
/// Vertices are numbered by the placement, so that those of a rank are consecutive; [#datasetIds]
/// returns their numbers in the data set.
public final class RankShare implements AutoCloseable {
  private final Arena arena;
  private final GraphData dataset;
  private final ProcessGrid grid;
  private final Placement placement;
  private final RowDistribution distribution;
  private final Propagation propagation;
  private final int[] training;
  private final AdjacencyRows adjacency;
  private @Nullable CsrMatrix ownRows;
  private final Features ownFeatures;
  private final RowFormat wire;
  private final FeatureSource batchFeatures;
  private final FeatureSource allFeatures;
  private final List<FeatureSource> hidden = new ArrayList<>();
  private final Team everybody;
  private final Team column;

  /// Which rows of the graph a rank reads.
  public enum GraphRows {
    /// All rows, from its own copy.
    REPLICATED,
    /// Its block of rows, and remote rows on demand.
    PARTITIONED,
    /// Only its block of rows.
    OWN
  }

  /// How graph and features are divided.
  ///
  /// @param graph which rows of it a rank reads
  /// @param replication `c` of the grid
  /// @param wire format of remote dense rows in messages and in the cache
  public record Division(GraphRows graph, int replication, RowFormat wire) {
    /// The graph is replicated on each rank; features are distributed.
    public static final Division DEFAULT = new Division(GraphRows.REPLICATED, 1, RowFormat.FLOAT32);

    /// {@return how rows are exchanged while hops of the features are computed}
    public ExchangeStrategy strategy() {
      return new ExchangeStrategy(ExchangeStrategy.Kind.SPARSITY_AWARE, replication, true, wire);
    }
  }

  /// A cache of remote features.
  ///
  /// @param bytes maximum size; 0 for no cache
  /// @param accesses expected accesses of batches to each vertex, up to a factor
  public record Cache(long bytes, Function<RankShare, double[]> accesses) {
    /// No cache.
    public static final Cache NONE = new Cache(0, share -> new double[0]);
  }

  /// Creates the share of a rank. Collective.
  ///
  /// @param arena shared, owner of the share's memory; borrowed, closed after the share
  /// @param world all ranks, often one; borrowed
  /// @param graph mapped file that every rank reads, features only in the rank's rows; placed in
  ///   the blocks of the ranks' grid
  /// @param network how it sees the graph
  /// @param division how graph and features are divided
  /// @param cache of remote features
  /// @param kernels of the rank, which copy rows, compute hops and fill the cache; borrowed
  public RankShare(
      Arena arena,
      Communicator world,
      PlacedGraph graph,
      NetworkSettings network,
      Division division,
      Cache cache,
      Kernels kernels) {
    Workers workers = kernels.workers();
    this.arena = arena;
    dataset = graph.data();
    placement = graph.placement();
    distribution = placement.distribution();
    propagation = network.propagation(dataset);
    grid = new ProcessGrid(world, division.replication());
    training = Arrays.stream(dataset.batched()).map(placement::newId).toArray();
    adjacency = adjacency(division.graph());
    wire = division.wire();
    ownFeatures =
        new HopFeatures(grid, division.strategy(), graph, kernels)
            .of(
                arena,
                network,
                placement.blockFeatures(arena, dataset.features(), grid.row(), workers));
    allFeatures = FeatureSource.partitioned(grid, distribution, ownFeatures, wire);
    batchFeatures =
        cache.bytes() == 0 || grid.blocks() == 1
            ? FeatureSource.partitioned(grid, distribution, ownFeatures, wire)
            : FeatureSource.partitioned(
                grid,
                distribution,
                ownFeatures,
                wire,
                cache.accesses().apply(this),
                cache.bytes(),
                workers);
    everybody = Team.of(world, arena);
    column = Team.of(grid.processColumn(), arena);
  }

  private AdjacencyRows adjacency(GraphRows rows) {
    if (grid.blocks() == 1) {
      return AdjacencyRows.replicated(grid.world(), ownRows());
    }
    return switch (rows) {
      case REPLICATED ->
          AdjacencyRows.replicated(grid.world(), placement.allRows(arena, propagation).forward());
      case PARTITIONED -> AdjacencyRows.partitioned(grid, distribution, ownRows());
      case OWN -> AdjacencyRows.own(begin(), ownRows());
    };
  }

  /// {@return this rank's rows of `Â`; all rows on a single rank} Created on first use.
  public CsrMatrix ownRows() {
    CsrMatrix made = ownRows;
    if (made == null) {
      made =
          grid.blocks() == 1
              ? placement.allRows(arena, propagation).forward()
              : placement.blockRows(arena, propagation, grid.row()).forward();
      ownRows = made;
    }
    return made;
  }

  /// {@return the rank's memory} Borrowed.
  public Arena arena() {
    return arena;
  }

  /// {@return the data set that all ranks read}
  public GraphData dataset() {
    return dataset;
  }

  /// {@return the ranks}
  public ProcessGrid grid() {
    return grid;
  }

  /// {@return which rank has which vertices}
  public Placement placement() {
    return placement;
  }

  /// {@return this rank's number}
  public int rank() {
    return grid.world().rank();
  }

  /// {@return how many ranks there are}
  public int ranks() {
    return grid.world().size();
  }

  /// {@return the vertices of each rank}
  public RowDistribution distribution() {
    return distribution;
  }

  /// {@return first vertex of this rank's block}
  public int begin() {
    return distribution.begin(grid.row());
  }

  /// {@return the vertex after the last of this rank's block}
  public int end() {
    return distribution.end(grid.row());
  }

  /// {@return the numbers of vertices in the data set, which do not depend on the placement}
  ///
  /// @param vertices by the numbers of the placement
  public int[] datasetIds(int[] vertices) {
    return placement.oldIds(vertices);
  }

  /// {@return classes of some vertices}
  ///
  /// @param vertices by the numbers of the placement
  public int[] labels(int[] vertices) {
    int[] all = dataset.labels();
    return Arrays.stream(vertices).map(v -> all[placement.oldId(v)]).toArray();
  }

  /// {@return whether a vertex is in a part of the split and its class is known}
  ///
  /// @param vertex by the number of the placement
  /// @param part of the split
  public boolean isLabelled(int vertex, Split part) {
    return dataset.isLabelled(placement.oldId(vertex), part);
  }

  /// {@return the vertices that batches may have ([GraphData#batched]), in the order of the data
  /// set} Borrowed.
  public int[] training() {
    return training;
  }

  /// {@return number of training vertices of each rank, if ranks have their own batches: ranks with
  /// the same block take its training vertices in turn}
  public long[] trainingOfRanks() {
    return trainingOfRanks(trainers(), ranks());
  }

  /// {@return number of training vertices of each rank}
  ///
  /// @param trainers the rank of each
  /// @param ranks how many there are
  public static long[] trainingOfRanks(int[] trainers, int ranks) {
    long[] counts = new long[ranks];
    for (int rank : trainers) {
      counts[rank]++;
    }
    return counts;
  }

  /// {@return the training vertices of this rank}
  public int[] ownTraining() {
    return trainedBy(rank(), trainers(), training);
  }

  /// {@return the training vertices of a rank}
  ///
  /// @param rank number of the rank
  /// @param trainers the rank of each training vertex
  /// @param training the training vertices
  public static int[] trainedBy(int rank, int[] trainers, int[] training) {
    return IntStream.range(0, training.length)
        .filter(i -> trainers[i] == rank)
        .map(i -> training[i])
        .toArray();
  }

  private int[] trainers() {
    return trainers(distribution, training, grid.replication());
  }

  /// {@return the rank that trains on each training vertex, if ranks have their own batches}
  ///
  /// @param distribution of all vertices over process rows
  /// @param training the training vertices
  /// @param replication ranks of a process row, which take its training vertices in turn
  public static int[] trainers(RowDistribution distribution, int[] training, int replication) {
    int[] before = new int[distribution.blocks()];
    int[] ranks = new int[training.length];
    for (int i = 0; i < ranks.length; i++) {
      int block = distribution.owner(training[i]);
      ranks[i] = block * replication + before[block]++ % replication;
    }
    return ranks;
  }

  /// {@return vertices of the largest block of a rank}
  public int largestBlock() {
    return distribution.largest();
  }

  /// {@return `Â`}
  public AdjacencyRows adjacency() {
    return adjacency;
  }

  /// {@return `Â` on a rank that has all rows of every matrix; else null}
  public @Nullable CsrMatrix wholeGraph() {
    return grid.blocks() == 1 ? ownRows() : null;
  }

  /// {@return this rank's rows of what the network reads: the input features, or their hops}
  public Features ownFeatures() {
    return ownFeatures;
  }

  /// {@return the message format of dense rows}
  public RowFormat wire() {
    return wire;
  }

  /// {@return what the network reads, for batches}
  public FeatureSource batchFeatures() {
    return batchFeatures;
  }

  /// {@return what the network reads, for evaluation}
  public FeatureSource allFeatures() {
    return allFeatures;
  }

  /// {@return the rows of a matrix that is distributed like the vertices} Collective.
  ///
  /// @param own this rank's rows, read whenever rows are fetched; borrowed
  public FeatureSource rowsOf(Features own) {
    FeatureSource source = FeatureSource.partitioned(grid, distribution, own, wire);
    hidden.add(source);
    return source;
  }

  /// {@return all ranks}
  public Team everybody() {
    return everybody;
  }

  /// {@return ranks that together have each block once}
  public Team column() {
    return column;
  }

  /// Frees memory outside the arena, but no groups of ranks: for a rank that fails alone. Local.
  public void free() {
    hidden.forEach(FeatureSource::free);
    batchFeatures.free();
    allFeatures.free();
  }

  /// Collective.
  @Override
  public void close() {
    hidden.forEach(FeatureSource::close);
    batchFeatures.close();
    allFeatures.close();
    grid.close();
  }
}
