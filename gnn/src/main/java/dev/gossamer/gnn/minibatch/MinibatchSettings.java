package dev.gossamer.gnn.minibatch;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.matrix.format.RowFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How minibatches are made and used: [#of] a sampler, with defaults that `withX` replaces.
///
/// ```java
/// MinibatchSettings.of(Sampler.sage(15, 10)).withBatchSize(1024)
/// ```
///
/// @param batching how batches are drawn, and which of them make a step
/// @param distribution where graph, features and batches are
/// @param testFanouts neighbours per vertex and layer in evaluation, from the outputs on; empty for
///   all neighbours
/// @param historical how embeddings of remote vertices are kept; null to compute each batch from
///   features, which are fetched
public record MinibatchSettings(
    Batching batching,
    Distribution distribution,
    List<Integer> testFanouts,
    @Nullable HistoricalSettings historical) {

  /// Whether the next bulk is drawn, and the next batch's features are fetched, while this batch is
  /// computed. It changes no bit of the result.
  public enum Overlap {
    /// They are.
    ON,
    /// One thing after the other.
    OFF
  }

  /// Where the rows of the graph are. The batches are the same.
  public enum GraphPlace {
    /// Each rank holds the graph.
    REPLICATED,
    /// Each rank holds a block of rows, and fetches others.
    PARTITIONED
  }

  /// Whose training vertices a batch has.
  public enum BatchOwner {
    /// Batches are cut from all training vertices alike, and are the same for any number of ranks.
    SHARED,
    /// Those of the rank that trains on it. Subgraphs are drawn in its own rows of the graph, with
    /// historical embeddings alone.
    OWN
  }

  /// What [Step#batchSize] counts.
  public enum BatchScope {
    /// What a step takes; its batches, one of each rank or more, divide it evenly. Steps, and what
    /// is learned, are then the same for any number of ranks.
    STEP,
    /// What each rank takes for a step: the more ranks, the larger a step and the fewer steps.
    RANK
  }

  /// What an optimizer step takes, and in how many batches.
  ///
  /// @param batchSize training vertices, at most; of subgraphs, what is drawn for them: vertices,
  ///   edges, or walks
  /// @param scope whether of the step or of each rank
  /// @param batches that divide a step and whose mean gradient makes it, a multiple of the ranks,
  ///   or [#ONE_PER_RANK]
  public record Step(int batchSize, BatchScope scope, int batches) {
    /// A step takes one batch of each rank, however many there are.
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
  /// @param step what a step takes
  /// @param bulk batches that a rank draws at a time; the result does not depend on it
  /// @param overlap of drawing and fetching with computing
  public record Batching(Sampler sampler, Step step, int bulk, Overlap overlap) {
    /// As many batches at a time as are worth it and fit ([MinibatchPlan#automaticBulk]); decided
    /// before training.
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

  /// Where graph, features and batches are.
  ///
  /// @param graph where its rows are
  /// @param replication `c` of the grid over which features, and a partitioned graph, are spread
  /// @param cacheBytes of remote features that each rank keeps
  /// @param wire what remote dense rows are on their way and in the cache: features, and in
  ///   evaluation hidden rows
  /// @param owner whose training vertices a batch has
  public record Distribution(
      GraphPlace graph, int replication, long cacheBytes, RowFormat wire, BatchOwner owner) {
    /// The whole graph on each rank, nothing cached, rows as they are, batches that are the same
    /// for any number of ranks: nothing depends on the machine.
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

  /// Checks that the settings go together.
  ///
  /// @throws InvalidSettingException if a number is too small, or settings do not go together
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
              + " ({historical}); expected a sampler that goes layer by layer, found "
              + sampler.name());
    }
    if (historical.onMiss() != OnMiss.DROP) {
      throw new InvalidSettingException(
          "{onMiss}: %s draws the vertices of a rank, and computes no others; expected drop, found fetch"
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

  /// The defaults for a sampler: its usual batch size for a step, which the ranks divide among
  /// them; one batch at a time, drawn ahead ([Overlap#ON]); [Distribution#DEFAULT]; evaluation with
  /// all neighbours.
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

  /// {@return the defaults for the usual sampler ([Samplers#DEFAULT_NAME]), with a bulk that is
  /// chosen}
  ///
  /// @param layers of the network
  public static MinibatchSettings usual(int layers) {
    return of(Samplers.of(Samplers.DEFAULT_NAME).make(SamplerRequest.ofLayers(layers)))
        .withAutomaticBulk();
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

  /// Whether a step has one subgraph, which its batches divide among them.
  boolean dividesSubgraphs() {
    return sampler().drawsSubgraphs()
        && !ownBatches()
        && batching.step().scope() == BatchScope.STEP;
  }

  /// {@return training vertices of a step, or of each rank ([BatchScope]); of subgraphs, what is
  /// drawn for them}
  public int batchSize() {
    return batching.step().batchSize();
  }

  /// {@return training vertices of a step, at most; of subgraphs, what is drawn for them}
  ///
  /// @param ranks that train
  public int stepSize(int ranks) {
    long size = batchSize();
    return (int)
        Math.min(
            Integer.MAX_VALUE, batching.step().scope() == BatchScope.RANK ? size * ranks : size);
  }

  /// {@return training vertices of one batch, at most} How large a subgraph is, [#sampler(int)]
  /// knows.
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

  /// {@return whether the graph is spread over the ranks; else each holds it whole}
  public boolean partitioned() {
    return distribution.graph() == GraphPlace.PARTITIONED;
  }

  /// {@return `c` of the grid over which features, and a partitioned graph, are spread}
  public int replication() {
    return distribution.replication();
  }

  /// {@return bytes of remote features that each rank keeps}
  public long cacheBytes() {
    return distribution.cacheBytes();
  }

  /// {@return what remote dense rows are on their way and in the cache}
  public RowFormat wire() {
    return distribution.wire();
  }

  /// {@return whether the training vertices of a batch are of the rank that trains on it}
  public boolean ownBatches() {
    return distribution.owner() == BatchOwner.OWN;
  }

  /// {@return steps per epoch} Each training vertex is in one; of subgraphs, which any vertex may
  /// be in, there are enough to draw as many vertices as the graph has, those drawn twice included.
  /// Ranks whose own vertices are far from even take more.
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
  /// @param training vertices that the rank draws its batches from
  /// @param trainingOfRanks training vertices of each rank, if each has batches of its own
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

  /// Whether the next batches are drawn and fetched while this one is computed: not those that end
  /// where a cache decides, which changes with each batch.
  boolean ahead() {
    return overlaps() && historical == null;
  }

  /// How graph and features are divided among ranks.
  RankShare.Division division() {
    RankShare.GraphRows rows =
        samplesOwnRowsOnly()
            ? RankShare.GraphRows.OWN
            : partitioned() ? RankShare.GraphRows.PARTITIONED : RankShare.GraphRows.REPLICATED;
    return new RankShare.Division(rows, replication(), wire());
  }

  /// Whether a rank holds the rows of its own vertices for themselves.
  boolean holdsBlock() {
    return partitioned() || historical != null;
  }

  /// Whether batches fetch until embeddings move slowly enough to be kept.
  boolean fetchesAtFirst() {
    return historical != null && historical.fetchesAtFirst(sampler());
  }

  /// {@return whether a rank has, and draws from, the rows of its own vertices and no others}
  public boolean samplesOwnRowsOnly() {
    return historical != null && historical.onMiss() == OnMiss.DROP && !fetchesAtFirst();
  }

  /// {@return the same with steps of another size}
  ///
  /// @param size training vertices of a step; of subgraphs, what is drawn for them. Of each rank,
  ///   if the size that is replaced is
  public MinibatchSettings withBatchSize(int size) {
    Step step = batching.step();
    return with(new Step(size, step.scope(), step.batches()));
  }

  /// {@return the same with steps whose size grows with the number of ranks}
  ///
  /// @param size training vertices that each rank takes for a step
  public MinibatchSettings withBatchPerRank(int size) {
    return with(new Step(size, BatchScope.RANK, batching.stepBatches()));
  }

  /// {@return whether the bulk is still to be decided}
  public boolean hasAutomaticBulk() {
    return bulk() == Batching.AUTOMATIC_BULK;
  }

  /// {@return the same with as many batches drawn at a time as are worth it and fit}
  public MinibatchSettings withAutomaticBulk() {
    return drawing(Batching.AUTOMATIC_BULK);
  }

  /// {@return the same with another bulk}
  ///
  /// @param k batches drawn at a time
  public MinibatchSettings withBulk(int k) {
    InvalidSettingException.requireAtLeast("bulk", k, 1);
    return drawing(k);
  }

  private MinibatchSettings drawing(int k) {
    return with(new Batching(sampler(), batching.step(), k, batching.overlap()));
  }

  /// {@return the same with steps that are divided into another number of batches, a multiple of
  /// the ranks}
  ///
  /// @param batches of a step
  public MinibatchSettings withStepBatches(int batches) {
    InvalidSettingException.requireAtLeast("stepBatches", batches, 1);
    return with(new Step(batchSize(), batching.step().scope(), batches));
  }

  /// {@return the same with or without overlap}
  ///
  /// @param overlap whether drawing and fetching overlap with computing
  public MinibatchSettings withOverlap(Overlap overlap) {
    return with(new Batching(sampler(), batching.step(), bulk(), overlap));
  }

  /// {@return the same with the graph elsewhere}
  ///
  /// @param place where the graph is
  public MinibatchSettings withGraph(GraphPlace place) {
    return with(new Distribution(place, replication(), cacheBytes(), wire(), distribution.owner()));
  }

  /// {@return the same with another replication of blocks}
  ///
  /// @param c copies of each block
  public MinibatchSettings withReplication(int c) {
    return with(
        new Distribution(distribution.graph(), c, cacheBytes(), wire(), distribution.owner()));
  }

  /// {@return the same with a cache of another size for remote features}
  ///
  /// @param bytes that each rank keeps
  public MinibatchSettings withCacheBytes(long bytes) {
    return with(
        new Distribution(distribution.graph(), replication(), bytes, wire(), distribution.owner()));
  }

  /// {@return the same with rows in another format on their way}
  ///
  /// @param format in which rows travel
  public MinibatchSettings withWire(RowFormat format) {
    return with(
        new Distribution(
            distribution.graph(), replication(), cacheBytes(), format, distribution.owner()));
  }

  /// {@return the same with some neighbours in evaluation, or with all if the list is empty}
  ///
  /// @param fanouts neighbours per layer
  public MinibatchSettings withTestFanouts(List<Integer> fanouts) {
    return new MinibatchSettings(batching, distribution, fanouts, historical);
  }

  /// {@return the same with batches of each rank's own vertices}
  ///
  /// @param embeddings how those of remote vertices are kept, or null to fetch what their features
  ///   are
  public MinibatchSettings withOwnBatches(@Nullable HistoricalSettings embeddings) {
    Distribution own =
        new Distribution(distribution.graph(), replication(), cacheBytes(), wire(), BatchOwner.OWN);
    return new MinibatchSettings(batching, own, testFanouts, embeddings);
  }

  /// {@return the same with batches of all ranks' vertices, which are fetched}
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
