package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.io.InvalidInputException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How minibatches are made and used.
///
/// @param sampler with as many layers as the network
/// @param batchSize training vertices of a batch; of a subgraph, what is drawn for it: vertices,
///   edges, or walks
/// @param bulk batches that a rank draws at a time, at least 1
/// @param stepBatches batches whose mean gradient makes a step, a multiple of the ranks
/// @param partitioned whether the graph is spread over the ranks; else each holds it whole
/// @param replication `c` of the grid over which features, and a partitioned graph, are spread
/// @param cacheBytes of features of other ranks that each rank keeps
/// @param overlap whether the next bulk is drawn, and the next batch's features come, while this
///   batch is computed; it changes no bit of the result
/// @param wire what dense rows of other ranks are on their way and in the cache: features, and in
///   evaluation hidden rows
/// @param testFanouts neighbours a vertex and layer in evaluation, from the outputs on; empty for
///   all neighbours
/// @param ownBatches whether the training vertices of a batch are of the rank that trains on it;
///   else batches are cut from all training vertices alike, and are the same for any number of
///   ranks
/// @param historical how embeddings of other ranks' vertices are kept; null to compute each batch
///   from features, which are fetched
public record MinibatchSettings(
    Sampler sampler,
    int batchSize,
    int bulk,
    int stepBatches,
    boolean partitioned,
    int replication,
    long cacheBytes,
    boolean overlap,
    RowFormat wire,
    List<Integer> testFanouts,
    boolean ownBatches,
    @Nullable HistoricalSettings historical) {
  /// @throws InvalidInputException if a number is too small
  /// @throws IllegalArgumentException if what is given does not go together
  public MinibatchSettings {
    testFanouts = List.copyOf(testFanouts);
    requireTogether(
        !ownBatches || (replication == 1 && !sampler.drawsSubgraphs()),
        "batches of a rank's own need blocks of its own and training vertices");
    requireTogether(
        historical == null || (ownBatches && sampler instanceof Sampler.Sage),
        "historical embeddings need batches of the rank's own and the sampler sage");
    requireTogether(
        historical == null
            || historical.onMiss() == OnMiss.FETCH
            || (testFanouts.isEmpty() && cacheBytes == 0),
        "a rank that fetches nothing can neither sample for tests nor fill a cache");
    requireAtLeast("--batch", batchSize, 1);
    requireAtLeast("--bulk", bulk, 1);
    requireAtLeast("--step-batches", stepBatches, 1);
    requireAtLeast("--replication", replication, 1);
    requireAtLeast("--feature-cache", cacheBytes, 0);
    testFanouts.forEach(fanout -> requireAtLeast("--test-fanout", fanout, 1));
  }

  /// Batches that are the same for any number of ranks, and are computed from features, which
  /// travel as they are.
  public MinibatchSettings(
      Sampler sampler,
      int batchSize,
      int bulk,
      int stepBatches,
      boolean partitioned,
      int replication,
      long cacheBytes,
      boolean overlap,
      List<Integer> testFanouts) {
    this(
        sampler,
        batchSize,
        bulk,
        stepBatches,
        partitioned,
        replication,
        cacheBytes,
        overlap,
        RowFormat.FLOAT32,
        testFanouts,
        false,
        null);
  }

  private static void requireTogether(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException("minibatches: " + otherwise);
    }
  }

  /// Whether the next batches are drawn and fetched while this one is computed: not those that end
  /// where a cache decides, which changes with each batch.
  boolean ahead() {
    return overlap && historical == null;
  }

  /// How graph and features are divided among ranks.
  RankShare.Division division() {
    RankShare.GraphRows rows =
        samplesOwnRowsOnly()
            ? RankShare.GraphRows.OWN
            : partitioned ? RankShare.GraphRows.PARTITIONED : RankShare.GraphRows.REPLICATED;
    return new RankShare.Division(rows, replication, wire);
  }

  /// Whether a rank holds the rows of its own vertices for themselves.
  boolean holdsBlock() {
    return partitioned || historical != null;
  }

  /// Whether a rank draws from the rows of its own vertices and no others.
  boolean samplesOwnRowsOnly() {
    return historical != null && historical.onMiss() == OnMiss.DROP;
  }

  private static void requireAtLeast(String flag, long value, long least) {
    if (value < least) {
      throw new InvalidInputException(
          "%s: expected at least %d, found %d".formatted(flag, least, value));
    }
  }

  /// Batches of an epoch. Each training vertex is in one; of subgraphs, which any vertex may be in,
  /// there are so many that as many vertices are drawn, those that are drawn twice included, as the
  /// graph has.
  ///
  /// @param vertices of the graph
  /// @param training vertices
  public int batches(int vertices, int training) {
    return switch (sampler) {
      case Sampler.Sage sage -> Math.ceilDiv(training, batchSize);
      case Sampler.Ladies ladies -> Math.ceilDiv(training, batchSize);
      case Sampler.FastGcn fastGcn -> Math.ceilDiv(training, batchSize);
      case Sampler.SaintNode node -> Math.ceilDiv(vertices, node.draws());
      case Sampler.SaintEdge edge -> Math.toIntExact(Math.ceilDiv(vertices, 2L * edge.draws()));
      case Sampler.SaintWalk walk ->
          Math.toIntExact(Math.ceilDiv(vertices, (walk.length() + 1L) * walk.roots()));
    };
  }

  /// The same with another sampler.
  public MinibatchSettings withSampler(Sampler other) {
    return with(other, batchSize, bulk);
  }

  /// The same with batches of another size, subgraphs included.
  public MinibatchSettings withBatchSize(int size) {
    Sampler other =
        switch (sampler) {
          case Sampler.Sage sage -> sage;
          case Sampler.Ladies ladies -> ladies;
          case Sampler.FastGcn fastGcn -> fastGcn;
          case Sampler.SaintNode node -> Sampler.saintNode(node.layers(), size);
          case Sampler.SaintEdge edge -> Sampler.saintEdge(edge.layers(), size);
          case Sampler.SaintWalk walk ->
              Sampler.saintWalk(walk.layers(), size, walk.length(), walk.estimates());
        };
    return with(other, size, bulk);
  }

  /// The same with batches of each rank's own vertices.
  ///
  /// @param embeddings how those of other ranks are kept, or null to fetch what their features are
  public MinibatchSettings withOwnBatches(@Nullable HistoricalSettings embeddings) {
    return new MinibatchSettings(
        sampler,
        batchSize,
        bulk,
        stepBatches,
        partitioned,
        replication,
        cacheBytes,
        overlap,
        wire,
        testFanouts,
        true,
        embeddings);
  }

  /// The same with another bulk.
  public MinibatchSettings withBulk(int k) {
    return with(sampler, batchSize, k);
  }

  private MinibatchSettings with(Sampler other, int size, int k) {
    return new MinibatchSettings(
        other,
        size,
        k,
        stepBatches,
        partitioned,
        replication,
        cacheBytes,
        overlap,
        wire,
        testFanouts,
        ownBatches,
        historical);
  }
}
