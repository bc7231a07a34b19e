package dev.gossamer.planner;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.gnn.sampling.BatchItems;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Draws the batches of the first epoch in one process, as the ranks will draw them, since what
/// minibatches read is not known otherwise.
///
/// An epoch is drawn in bulks, either all of them or evenly spaced ones, up to a limit on the
/// number of edges.
final class DrawnEpoch implements AutoCloseable {
  /// Edges after which no further bulk is drawn: seconds of drawing.
  private static final long EDGES = 20_000_000;

  private final Arena arena = Arena.ofShared();
  private final Workers workers;
  private final GraphData dataset;
  private final MinibatchSettings settings;
  private final Placement placement;
  private final CsrMatrix rows;
  private final AdjacencyRows adjacency;
  private final Objective objective;
  private final int[] training;

  /// The rank of each training vertex, if ranks have batches of their own.
  private final int[] trainers;

  private final Features input;
  private final int ranks;
  private final long seed;
  private @Nullable BulkSampler whole;

  /// Draws from the rows of [#last] alone.
  private @Nullable BulkSampler ofBlock;

  private int last = -1;

  /// @param placement of the vertices in a block for each process row
  /// @param settings with a bulk
  DrawnEpoch(MinibatchPlan plan, MinibatchSettings settings, Placement placement, int threads) {
    dataset = plan.dataset();
    objective = plan.training().objective();
    this.settings = settings;
    this.placement = placement;
    ranks = plan.ranks();
    seed = plan.training().seed();
    input = plan.training().network().input(dataset.features());
    workers = new Workers(threads);
    try {
      rows = placement.allRows(arena, plan.training().network().propagation(dataset)).forward();
      adjacency = AdjacencyRows.whole(rows);
      training = Arrays.stream(dataset.batched()).map(placement::newId).toArray();
      trainers = RankShare.trainers(distribution(), training, settings.replication());
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /// Returns `Â` in the numbering of the placement.
  CsrMatrix rows() {
    return rows;
  }

  RowDistribution distribution() {
    return placement.distribution();
  }

  Placement placement() {
    return placement;
  }

  /// Returns kind and width of what the first layer reads.
  Features input() {
    return input;
  }

  /// Entries of the features of a vertex, if they are sparse.
  long featureEntries(int vertex) {
    return input instanceof Features.Sparse sparse
        ? sparse.x().rowLength(placement.oldId(vertex))
        : 0;
  }

  /// Returns how often batches read the features of each vertex.
  double[] accesses() {
    return settings.sampler(ranks).inputProbabilities(adjacency, training, settings.batchOf(ranks));
  }

  /// Returns the batches of a rank, as in its trainer.
  BatchDeal deal(int rank) {
    return settings.deal(
        rank, dataset.vertices(), items(rank).count(), RankShare.trainingOfRanks(trainers, ranks));
  }

  /// The items that a rank draws its batches from.
  private BatchItems items(int rank) {
    int[] vertices =
        settings.ownBatches() ? RankShare.trainedBy(rank, trainers, training) : training;
    return BatchItems.of(objective, vertices, placement, seed);
  }

  /// Receives one bulk of all ranks.
  @FunctionalInterface
  interface Bulk {
    /// @param from its first turn
    /// @param to the turn after its last
    /// @param ofRanks batches of each rank, turn by turn; null where a rank has none
    void drawn(int from, int to, List<List<@Nullable SampledBatch>> ofRanks);
  }

  /// Draws the bulks.
  ///
  /// @return share of the turns that was drawn
  double draw(Bulk listener) {
    List<BatchDeal> deals = new ArrayList<>();
    List<IntFunction<int[]>> vertices = new ArrayList<>();
    @Nullable IntFunction<int[]> shared = null;
    for (int r = 0; r < ranks; r++) {
      BatchDeal deal = deal(r);
      deals.add(deal);
      if (settings.sampler().drawsSubgraphs()) {
        vertices.add(number -> new int[0]);
      } else {
        IntFunction<int[]> batches =
            shared == null ? items(r).batches(deal.cutTogether(), 0) : shared;
        shared = settings.ownBatches() ? null : batches;
        vertices.add(batches);
      }
    }
    int turns = deals.getFirst().turns();
    int bulks = Math.ceilDiv(turns, settings.bulk());
    long edges = 0;
    int done = 0;
    int drawnTurns = 0;
    int wanted = bulks;
    while (done < wanted) {
      int bulk = (int) ((long) done * bulks / wanted);
      int from = bulk * settings.bulk();
      int to = Math.min(turns, from + settings.bulk());
      try (Arena working = Arena.ofShared()) {
        List<List<@Nullable SampledBatch>> ofRanks = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
          BatchDeal deal = deals.get(r);
          List<SampledBatch> drawn =
              sampler(r)
                  .sample(
                      working,
                      0,
                      deal.number(from),
                      ranks,
                      deal.vertices(vertices.get(r), from, to),
                      boundary(r));
          List<@Nullable SampledBatch> byTurn = new ArrayList<>();
          for (int turn = from; turn < to; turn++) {
            byTurn.add(deal.hasBatch(turn) ? drawn.get(turn - from) : null);
          }
          edges += drawn.stream().mapToLong(DrawnEpoch::edges).sum();
          ofRanks.add(byTurn);
        }
        listener.drawn(from, to, ofRanks);
      }
      done++;
      drawnTurns += to - from;
      if (done == 1) {
        wanted = Math.clamp(EDGES / Math.max(1, edges), 1, bulks);
      }
    }
    return (double) drawnTurns / turns;
  }

  /// Draws the batches of an evaluation that samples neighbours, turn by turn, as
  /// [dev.gossamer.gnn.inference.SampledInference] does.
  ///
  /// @return share of the turns that was drawn
  double drawEvaluation(Bulk listener) {
    BulkSampler test =
        new BulkSampler(
            new SageSampler(settings.testFanouts()), adjacency, training, seed, workers);
    int[] labelled =
        IntStream.range(0, dataset.vertices())
            .filter(v ->
                Stream.of(Split.TRAIN, Split.VALIDATION, Split.TEST)
                    .anyMatch(part -> dataset.isLabelled(placement.oldId(v), part)))
            .toArray();
    int size = settings.batchOf(ranks);
    int turns = Math.ceilDiv(Math.ceilDiv(labelled.length, size), ranks);
    int wanted = turns;
    for (int done = 0; done < wanted; done++) {
      int turn = (int) ((long) done * turns / wanted);
      long edges = 0;
      try (Arena working = Arena.ofShared()) {
        List<List<@Nullable SampledBatch>> ofRanks = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
          int number = turn * ranks + r;
          int from = Math.min(labelled.length, number * size);
          int[] asked = Arrays.copyOfRange(labelled, from, Math.min(labelled.length, from + size));
          SampledBatch batch =
              asked.length == 0
                  ? null
                  : test.sample(working, -1, number, List.of(asked)).getFirst();
          edges += batch == null ? 0 : edges(batch);
          ofRanks.add(Collections.singletonList(batch));
        }
        listener.drawn(turn, turn + 1, ofRanks);
      }
      if (done == 0) {
        wanted = Math.clamp(EDGES / Math.max(1, edges), 1, turns);
      }
    }
    return turns == 0 ? 1 : (double) wanted / turns;
  }

  private static long edges(SampledBatch batch) {
    return batch.blocks().stream().mapToLong(block -> block.matrix().nnz()).sum();
  }

  /// What draws for a rank: from all rows, or from its own alone.
  private BulkSampler sampler(int rank) {
    if (settings.historical() == null) {
      BulkSampler made = whole;
      if (made == null) {
        made = new BulkSampler(settings.sampler(ranks), adjacency, training, seed, workers);
        whole = made;
      }
      return made;
    }
    int block = rank / settings.replication();
    BulkSampler made = ofBlock;
    if (made == null || last != block) {
      int begin = distribution().begin(block);
      CsrMatrix own = rows.rows(arena, begin, distribution().end(block));
      made =
          new BulkSampler(
              settings.sampler(ranks), AdjacencyRows.own(begin, own), training, seed, workers);
      ofBlock = made;
      last = block;
    }
    return made;
  }

  /// Beyond a rank's own vertices everything is there already, if embeddings are kept.
  private @Nullable Boundary boundary(int rank) {
    if (settings.historical() == null) {
      return null;
    }
    int block = rank / settings.replication();
    int begin = distribution().begin(block);
    int end = distribution().end(block);
    return (_, sources, destinations, fates) -> {
      for (int i = destinations; i < sources.length; i++) {
        if (sources[i] < begin || sources[i] >= end) {
          fates[i] = Boundary.Fate.SUPPLIED;
        }
      }
    };
  }

  @Override
  public void close() {
    workers.close();
    arena.close();
  }
}
