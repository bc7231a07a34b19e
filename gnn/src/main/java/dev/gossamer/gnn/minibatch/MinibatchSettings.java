package dev.gossamer.gnn.minibatch;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.matrix.format.RowFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Settings of minibatches: start with [#of] a sampler and change what differs.
///
/// ```java
/// MinibatchSettings.of(Sampler.sage(15, 10)).withBatchSize(1024)
/// ```
///
/// If edges are predicted, batches have training edges where training vertices are named here, and
/// draw around their ends.
///
/// @param batching how batches are drawn, and which of them make a step
/// @param distribution of graph, features and batches over the ranks
/// @param testFanouts neighbours per vertex and layer in evaluation, the output layer first; empty
///   for all neighbours
/// @param historical settings of historical embeddings; null to fetch the features of all remote
///   vertices
public record MinibatchSettings(
    Batching batching,
    Distribution distribution,
    List<Integer> testFanouts,
    @Nullable HistoricalSettings historical) {

  /// Whether the next bulk and the next batch's features are prefetched while a batch is computed.
  /// Results are bit-identical.
  public enum Overlap {
    /// With prefetching.
    ON,
    /// Without prefetching.
    OFF
  }

  /// Where the rows of the graph are stored. Batches do not depend on it.
  public enum GraphPlace {
    /// Each rank holds the whole graph.
    REPLICATED,
    /// Each rank holds a block of rows and fetches others.
    PARTITIONED
  }

  /// Which training vertices a batch has.
  public enum BatchOwner {
    /// Those of all ranks; batches are the same for any number of ranks.
    SHARED,
    /// Those of the rank that trains on it. Subgraphs are drawn in its own rows of the graph, and
    /// only with historical embeddings.
    OWN
  }

  /// What [Step#batchSize] counts.
  public enum BatchScope {
    /// The training vertices of a step, which its batches, one or more per rank, divide evenly.
    /// Steps and learning are then the same for any number of ranks.
    STEP,
    /// The training vertices of each rank per step: more ranks make larger and fewer steps.
    RANK
  }

  /// The training vertices of an optimizer step, and the number of its batches.
  ///
  /// @param batchSize maximum training vertices; for subgraphs, the number of drawn vertices, edges
  ///   or walks
  /// @param scope whether per step or per rank
  /// @param batches whose mean gradient makes a step, a multiple of the ranks, or [#ONE_PER_RANK]
  public record Step(int batchSize, BatchScope scope, int batches) {
    /// One batch per rank and step.
    public static final int ONE_PER_RANK = 0;

    /// Checks the numbers.
    ///
    /// @throws InvalidSettingException if a number is too small
    public Step {
      InvalidSettingException.requireAtLeast("batchSize", batchSize, 1);
      InvalidSettingException.requireAtLeast("stepBatches", batches, ONE_PER_RANK);
    }
  }

  /// How batches are drawn, and which of them make a step.
  ///
  /// @param sampler with as many layers as the network, for batches of `step.batchSize`
  /// @param step vertices and batches of a step
  /// @param bulk batches that a rank draws at a time; results do not depend on it
  /// @param overlap of drawing and fetching with computing
  public record Batching(Sampler sampler, Step step, int bulk, Overlap overlap) {
    /// An automatic bulk, chosen before training by time and memory
    /// ([MinibatchPlan#automaticBulk]).
    public static final int AUTOMATIC_BULK = 0;

    /// Checks the numbers.
    ///
    /// @throws InvalidSettingException if a number is too small
    public Batching {
      InvalidSettingException.requireAtLeast("bulk", bulk, AUTOMATIC_BULK);
      sampler = sampler.withBatchSize(step.batchSize());
    }

    /// {@return batches of a step, or [Step#ONE_PER_RANK]}
    public int stepBatches() {
      return step.batches();
    }
  }

  /// Distribution of graph, features and batches over the ranks.
  ///
  /// @param graph where its rows are stored
  /// @param replication `c` of the grid over which features, and a partitioned graph, are
  ///   distributed
  /// @param cacheBytes size of each rank's cache of remote features
  /// @param wire format of remote dense rows in messages and in the cache: features, and in
  ///   evaluation hidden rows
  /// @param owner which training vertices a batch has
  public record Distribution(
      GraphPlace graph, int replication, long cacheBytes, RowFormat wire, BatchOwner owner) {
    /// The whole graph on each rank, no cache, no compression of rows, and the same batches for any
    /// number of ranks: independent of the machine.
    public static final Distribution DEFAULT =
        new Distribution(GraphPlace.REPLICATED, 1, 0, RowFormat.FLOAT32, BatchOwner.SHARED);

    /// Checks the numbers.
    ///
    /// @throws InvalidSettingException if a number is too small
    public Distribution {
      InvalidSettingException.requireAtLeast("replication", replication, 1);
      InvalidSettingException.requireAtLeast("cacheBytes", cacheBytes, 0);
    }
  }

  /// Checks that the settings are compatible.
  ///
  /// @throws InvalidSettingException if a number is too small, or settings are incompatible
  public MinibatchSettings {
    testFanouts = List.copyOf(testFanouts);
    testFanouts.forEach(s -> InvalidSettingException.requireAtLeast("testFanouts", s, 1));
    if (distribution.owner() == BatchOwner.OWN && batching.sampler().drawsSubgraphs()) {
      requireOwnSubgraphs(batching.sampler(), historical);
    }
    if (historical != null) {
      requireHistorical(distribution, testFanouts, historical.onMiss());
    }
  }

  private static void requireOwnSubgraphs(
      Sampler sampler, @Nullable HistoricalSettings historical) {
    if (historical == null) {
      throw new InvalidSettingException(
          "{sampler}: subgraphs of a rank's own vertices ({placement}) need historical embeddings"
              + " ({historical}); expected a layer-by-layer sampler, found "
              + sampler.name());
    }
    if (historical.onMiss() != OnMiss.DROP) {
      throw new InvalidSettingException(
          "{onMiss}: %s draws among the vertices of a rank and computes no others; expected drop, found fetch"
              .formatted(sampler.name()));
    }
  }

  private static void requireHistorical(
      Distribution distribution, List<Integer> testFanouts, OnMiss onMiss) {
    if (distribution.owner() != BatchOwner.OWN) {
      throw new InvalidSettingException(
          "{historical}: embeddings are kept for batches of a rank's own vertices; found shared"
              + " batches");
    }
    if (onMiss == OnMiss.DROP && !testFanouts.isEmpty()) {
      throw new InvalidSettingException(
          "{testFanouts}: a rank that drops misses sees no remote rows; expected none, found "
              + testFanouts);
    }
    if (onMiss == OnMiss.DROP && distribution.cacheBytes() != 0) {
      throw new InvalidSettingException(
          "{cacheBytes}: a rank that drops misses sees no remote rows; expected 0, found "
              + distribution.cacheBytes());
    }
  }

  /// Returns the defaults for a sampler: its usual batch size per step, which the ranks divide; one
  /// batch at a time, prefetched ([Overlap#ON]); [Distribution#DEFAULT]; evaluation with all
  /// neighbours.
  ///
  /// @param sampler with as many layers as the network
  /// @return settings to change with the methods below
  public static MinibatchSettings of(Sampler sampler) {
    return new MinibatchSettings(
        new Batching(
            sampler,
            new Step(sampler.usualBatchSize(), BatchScope.STEP, Step.ONE_PER_RANK),
            1,
            Overlap.ON),
        Distribution.DEFAULT,
        List.of(),
        null);
  }

  /// {@return the defaults for the usual sampler ([Samplers#usualName]), with an automatic bulk}
  ///
  /// @param kind of layer
  /// @param hidden width of each hidden layer
  public static MinibatchSettings usual(LayerKind kind, List<Integer> hidden) {
    String name = Samplers.usualName(kind.sight() != LayerKind.Sight.NONE);
    int layers = kind.widths(hidden, 1).size();
    return of(Samplers.of(name).make(SamplerRequest.ofLayers(layers))).withAutomaticBulk();
  }

  /// {@return the sampler, with as many layers as the network, for a batch of [#batchSize]}
  public Sampler sampler() {
    return batching.sampler();
  }

  /// {@return the sampler of the batches that ranks draw}
  ///
  /// @param ranks that train
  public Sampler sampler(int ranks) {
    if (batching.step().scope() == BatchScope.RANK) {
      return sampler().withBatchSize(batchOf(ranks));
    }
    return ownBatches()
        ? sampler().ofStep(stepSize(ranks), stepBatches(ranks))
        : sampler().ofSharedStep(stepSize(ranks), stepBatches(ranks));
  }

  /// Whether a step has one subgraph, which its batches divide.
  boolean dividesSubgraphs() {
    return sampler().drawsSubgraphs()
        && !ownBatches()
        && batching.step().scope() == BatchScope.STEP;
  }

  /// {@return training vertices of a step or of each rank ([BatchScope]); for subgraphs, the number
  /// of draws}
  public int batchSize() {
    return batching.step().batchSize();
  }

  /// {@return maximum training vertices of a step; for subgraphs, the number of draws}
  ///
  /// @param ranks that train
  public int stepSize(int ranks) {
    long size = batchSize();
    return (int)
        Math.min(
            Integer.MAX_VALUE, batching.step().scope() == BatchScope.RANK ? size * ranks : size);
  }

  /// {@return maximum training vertices of a batch} For subgraphs see [#sampler(int)].
  ///
  /// @param ranks that train
  public int batchOf(int ranks) {
    return Math.ceilDiv(stepSize(ranks), stepBatches(ranks));
  }

  /// {@return batches that a rank draws at a time}
  public int bulk() {
    return batching.bulk();
  }

  /// {@return batches whose mean gradient makes a step}
  ///
  /// @param ranks that train
  public int stepBatches(int ranks) {
    return batching.stepBatches() == Step.ONE_PER_RANK ? ranks : batching.stepBatches();
  }

  /// {@return whether drawing and fetching overlap with computing}
  public boolean overlaps() {
    return batching.overlap() == Overlap.ON;
  }

  /// {@return whether the graph is distributed over the ranks; otherwise each holds it whole}
  public boolean partitioned() {
    return distribution.graph() == GraphPlace.PARTITIONED;
  }

  /// {@return `c` of the grid over which features, and a partitioned graph, are distributed}
  public int replication() {
    return distribution.replication();
  }

  /// {@return size of each rank's cache of remote features, in bytes}
  public long cacheBytes() {
    return distribution.cacheBytes();
  }

  /// {@return format of remote dense rows in messages and in the cache}
  public RowFormat wire() {
    return distribution.wire();
  }

  /// {@return whether each rank trains on batches of its own vertices}
  public boolean ownBatches() {
    return distribution.owner() == BatchOwner.OWN;
  }

  /// {@return steps per epoch} Each training vertex is in one step. For subgraphs, which may
  /// contain any vertex, the number of draws per epoch, including repeated ones, is the number of
  /// vertices of the graph. Ranks with uneven numbers of own vertices take more steps.
  ///
  /// @param vertices of the graph
  /// @param training training vertices
  /// @param ranks that train
  public int steps(int vertices, int training, int ranks) {
    int size = stepSize(ranks);
    return sampler().withBatchSize(size).batches(vertices, training, size);
  }

  /// {@return how the batches of an epoch are dealt}
  ///
  /// @param rank number of the rank
  /// @param vertices of the graph
  /// @param training vertices from which the rank draws its batches
  /// @param trainingOfRanks training vertices of each rank, if ranks have their own batches
  public BatchDeal deal(int rank, int vertices, int training, long[] trainingOfRanks) {
    int ranks = trainingOfRanks.length;
    int perStep = stepBatches(ranks);
    int stepSize = stepSize(ranks);
    if (sampler().drawsSubgraphs()) {
      long steps = steps(vertices, training, ranks);
      return BatchDeal.shared(steps * perStep, perStep, ranks, rank, perStep);
    }
    return ownBatches()
        ? BatchDeal.own(trainingOfRanks, stepSize, rank, perStep)
        : BatchDeal.shared(training, stepSize, ranks, rank, perStep);
  }

  /// Whether batches are prefetched: not if their boundary depends on a cache, which changes with
  /// each batch.
  boolean ahead() {
    return overlaps() && historical == null;
  }

  /// {@return how graph and features are divided among ranks}
  public RankShare.Division division() {
    RankShare.GraphRows rows =
        samplesOwnRowsOnly()
            ? RankShare.GraphRows.OWN
            : partitioned() ? RankShare.GraphRows.PARTITIONED : RankShare.GraphRows.REPLICATED;
    return new RankShare.Division(rows, replication(), wire());
  }

  /// Whether a rank holds the rows of its own vertices separately.
  boolean holdsBlock() {
    return partitioned() || historical != null;
  }

  /// Whether batches fetch until embeddings change slowly enough to be cached.
  boolean fetchesAtFirst() {
    return historical != null && historical.fetchesAtFirst(sampler());
  }

  /// {@return whether a rank has, and draws from, only the rows of its own vertices}
  public boolean samplesOwnRowsOnly() {
    return historical != null && historical.onMiss() == OnMiss.DROP && !fetchesAtFirst();
  }

  /// {@return a copy with another batch size of the same scope}
  ///
  /// @param size training vertices; for subgraphs, the number of draws
  public MinibatchSettings withBatchSize(int size) {
    Step step = batching.step();
    return with(new Step(size, step.scope(), step.batches()));
  }

  /// {@return a copy with steps whose size grows with the number of ranks}
  ///
  /// @param size training vertices of each rank per step
  public MinibatchSettings withBatchPerRank(int size) {
    return with(new Step(size, BatchScope.RANK, batching.stepBatches()));
  }

  /// {@return whether the bulk is automatic}
  public boolean hasAutomaticBulk() {
    return bulk() == Batching.AUTOMATIC_BULK;
  }

  /// {@return a copy with an automatic bulk}
  public MinibatchSettings withAutomaticBulk() {
    return drawing(Batching.AUTOMATIC_BULK);
  }

  /// {@return a copy with another bulk}
  ///
  /// @param k batches drawn at a time
  public MinibatchSettings withBulk(int k) {
    InvalidSettingException.requireAtLeast("bulk", k, 1);
    return drawing(k);
  }

  private MinibatchSettings drawing(int k) {
    return with(new Batching(sampler(), batching.step(), k, batching.overlap()));
  }

  /// {@return a copy with another number of batches per step}
  ///
  /// @param batches of a step, a multiple of the ranks
  public MinibatchSettings withStepBatches(int batches) {
    InvalidSettingException.requireAtLeast("stepBatches", batches, 1);
    return with(new Step(batchSize(), batching.step().scope(), batches));
  }

  /// {@return a copy with or without overlap}
  ///
  /// @param overlap whether drawing and fetching overlap with computing
  public MinibatchSettings withOverlap(Overlap overlap) {
    return with(new Batching(sampler(), batching.step(), bulk(), overlap));
  }

  /// {@return a copy with another place of the graph}
  ///
  /// @param place where its rows are stored
  public MinibatchSettings withGraph(GraphPlace place) {
    return with(new Distribution(place, replication(), cacheBytes(), wire(), distribution.owner()));
  }

  /// {@return a copy with another replication of blocks}
  ///
  /// @param c copies of each block
  public MinibatchSettings withReplication(int c) {
    return with(
        new Distribution(distribution.graph(), c, cacheBytes(), wire(), distribution.owner()));
  }

  /// {@return a copy with a cache of another size for remote features}
  ///
  /// @param bytes of each rank
  public MinibatchSettings withCacheBytes(long bytes) {
    return with(
        new Distribution(distribution.graph(), replication(), bytes, wire(), distribution.owner()));
  }

  /// {@return a copy with another message format of rows}
  ///
  /// @param format of dense rows
  public MinibatchSettings withWire(RowFormat format) {
    return with(
        new Distribution(
            distribution.graph(), replication(), cacheBytes(), format, distribution.owner()));
  }

  /// {@return a copy with sampled neighbours in evaluation}
  ///
  /// @param fanouts neighbours per layer; empty for all neighbours
  public MinibatchSettings withTestFanouts(List<Integer> fanouts) {
    return new MinibatchSettings(batching, distribution, fanouts, historical);
  }

  /// {@return a copy with batches of each rank's own vertices}
  ///
  /// @param embeddings settings of historical embeddings, or null to fetch the features of remote
  ///   vertices
  public MinibatchSettings withOwnBatches(@Nullable HistoricalSettings embeddings) {
    Distribution own =
        new Distribution(distribution.graph(), replication(), cacheBytes(), wire(), BatchOwner.OWN);
    return new MinibatchSettings(batching, own, testFanouts, embeddings);
  }

  /// {@return a copy with batches of all ranks' vertices, whose features are fetched}
  public MinibatchSettings withSharedBatches() {
    Distribution shared =
        new Distribution(
            distribution.graph(), replication(), cacheBytes(), wire(), BatchOwner.SHARED);
    return new MinibatchSettings(batching, shared, testFanouts, null);
  }

  private MinibatchSettings with(Step other) {
    return with(new Batching(sampler(), other, bulk(), batching.overlap()));
  }

  private MinibatchSettings with(Batching other) {
    return new MinibatchSettings(other, distribution, testFanouts, historical);
  }

  private MinibatchSettings with(Distribution other) {
    return new MinibatchSettings(batching, other, testFanouts, historical);
  }
}
