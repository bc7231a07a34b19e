package dev.gossamer.gnn.block;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What one rank has of graph and features, and how it comes to the rest (MBS, section 6): features
/// in block rows over a grid of `p/c x c` ranks; the graph likewise, or whole on each rank. On one
/// rank, both are whole and read where they are.
///
/// Vertices have the numbers that the placement gives them, so that those of a rank are
/// consecutive; [#datasetIds] gives their numbers in the data set.
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
    /// All, of a copy of its own.
    REPLICATED,
    /// Its block of rows, and from other ranks what it needs of theirs.
    PARTITIONED,
    /// Its block of rows, and no others.
    OWN
  }

  /// How graph and features are divided.
  ///
  /// @param graph which rows of it a rank reads
  /// @param replication `c` of the grid
  /// @param wire what dense rows of other ranks are on their way and in the cache
  public record Division(GraphRows graph, int replication, RowFormat wire) {
    /// Each rank has the graph; features are spread.
    public static final Division DEFAULT = new Division(GraphRows.REPLICATED, 1, RowFormat.FLOAT32);
  }

  /// A cache of remote features.
  ///
  /// @param bytes that it may take; 0 for none
  /// @param accesses how often batches will want each vertex, or anything proportional to it
  public record Cache(long bytes, Function<RankShare, double[]> accesses) {
    /// No cache.
    public static final Cache NONE = new Cache(0, share -> new double[0]);
  }

  /// Takes the rank's share. Collective.
  ///
  /// @param arena shared, owner of the share's memory; borrowed, closed after the share
  /// @param world all ranks, often one; borrowed
  /// @param graph a mapped file that every rank reads; of the features only the rank's rows; placed
  ///   in the blocks of the ranks' grid
  /// @param network how it sees the graph
  /// @param division how graph and features are divided
  /// @param cache of remote features
  /// @param workers that copy rows and fill the cache
  public RankShare(
      Arena arena,
      Communicator world,
      PlacedGraph graph,
      NetworkSettings network,
      Division division,
      Cache cache,
      Workers workers) {
    this.arena = arena;
    dataset = graph.data();
    placement = graph.placement();
    distribution = placement.distribution();
    propagation = network.propagation(dataset);
    grid = new ProcessGrid(world, division.replication());
    training = Arrays.stream(labelled(dataset, Split.TRAIN)).map(placement::newId).toArray();
    adjacency = adjacency(division.graph());
    ownFeatures = placement.blockFeatures(arena, dataset.features(), grid.row(), workers);
    wire = division.wire();
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

  /// {@return this rank's rows of `Â`; all of them, if it is alone} Made when first asked for.
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

  /// {@return what all ranks read}
  public GraphData dataset() {
    return dataset;
  }

  /// {@return the ranks}
  public ProcessGrid grid() {
    return grid;
  }

  /// {@return this rank's number}
  public int rank() {
    return grid.world().rank();
  }

  /// {@return how many ranks there are}
  public int ranks() {
    return grid.world().size();
  }

  /// {@return which rank has which vertices}
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

  /// {@return the data set's number of each of some vertices, which do not depend on the placement}
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

  /// {@return the labelled vertices of a part, by the data set's numbers, ascending}
  ///
  /// @param dataset with labels and a split
  /// @param part of the split
  public static int[] labelled(GraphData dataset, Split part) {
    return IntStream.range(0, dataset.vertices())
        .filter(v -> dataset.isLabelled(v, part))
        .toArray();
  }

  /// {@return the vertices that a loss is taken of, in the order of the data set} Borrowed.
  public int[] training() {
    return training;
  }

  /// {@return how many of [#training] each rank trains on, if each has batches of its own: ranks
  /// with the same block take its training vertices in turn}
  public long[] trainingOfRanks() {
    return trainingOfRanks(trainers(), ranks());
  }

  /// {@return how many training vertices each rank has}
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

  /// {@return those of [#training] that this rank trains on}
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

  /// {@return the rank that trains on each training vertex, if each has batches of its own}
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

  /// {@return this rank's rows of the input features}
  public Features ownFeatures() {
    return ownFeatures;
  }

  /// {@return what dense rows of other ranks are on their way}
  public RowFormat wire() {
    return wire;
  }

  /// {@return the input features, for batches}
  public FeatureSource batchFeatures() {
    return batchFeatures;
  }

  /// {@return the input features, for evaluation}
  public FeatureSource allFeatures() {
    return allFeatures;
  }

  /// {@return the rows of a matrix that has, on each rank, one for each vertex of its block}
  /// Collective.
  ///
  /// @param own read whenever rows are fetched; borrowed
  public FeatureSource rowsOf(Features own) {
    FeatureSource source = FeatureSource.partitioned(grid, distribution, own, wire);
    hidden.add(source);
    return source;
  }

  /// {@return all ranks}
  public Team everybody() {
    return everybody;
  }

  /// {@return ranks that have each block once}
  public Team column() {
    return column;
  }

  /// Frees memory that is not the arena's, and no groups of ranks: for a rank that fails alone.
  /// Local.
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
