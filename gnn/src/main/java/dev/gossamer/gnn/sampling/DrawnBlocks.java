package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Propagation;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/// Estimates the sizes of blocks from drawn batches. Where batches share vertices, bounds by
/// degrees ([Sampler#blocks]) are several times as large.
///
/// The estimate is the largest drawn size plus [#DEVIATIONS] standard deviations: as sums of many
/// draws, sizes vary little. Deterministic.
public final class DrawnBlocks {
  /// Batches that are drawn.
  private static final int DRAWN = 8;

  private static final int DEVIATIONS = 3;

  private final Propagation propagation;
  private final Degrees degrees;
  private final Features features;
  private final BatchItems items;
  private final long seed;
  private final Map<Batch, Sizes> known = new HashMap<>();

  /// What is drawn.
  private record Batch(Sampler sampler, int size) {}

  /// The estimated size of a batch.
  ///
  /// @param blocks in the order of a forward pass
  /// @param inputEntries stored entries of the features that are read; 0 if those are dense
  public record Sizes(List<BlockBound> blocks, long inputEntries) {
    /// Copies the list.
    public Sizes {
      blocks = List.copyOf(blocks);
    }
  }

  /// Creates an estimate; draws on demand.
  ///
  /// @param propagation `Â`; rows of a directed graph are copied while batches are drawn
  /// @param degrees of `Â`
  /// @param features that batches read
  /// @param items that batches are made of
  /// @param seed of the draws
  public DrawnBlocks(
      Propagation propagation, Degrees degrees, Features features, BatchItems items, long seed) {
    this.propagation = propagation;
    this.degrees = degrees;
    this.features = features;
    this.items = items;
    this.seed = seed;
  }

  /// {@return the estimated size of a batch} Cost: one or two passes over the graph and a few
  /// batches, once.
  ///
  /// @param sampler of the batches
  /// @param batchSize items of a batch; subgraphs have their own size
  public synchronized Sizes of(Sampler sampler, int batchSize) {
    return known.computeIfAbsent(new Batch(sampler, batchSize), this::draw);
  }

  private Sizes draw(Batch batch) {
    List<BlockBound> most = batch.sampler().blocks(degrees, items.mostVertices(batch.size()));
    if (items.count() == 0) {
      return new Sizes(most, inputEntries(most.getFirst().sources()));
    }
    List<Sizes> drawn = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      // Self loops would have the entries of an undirected graph copied; each row has one more.
      Propagation withoutLoops =
          new Propagation(
              propagation.a(), propagation.directed(), propagation.normalisation(), false);
      AdjacencyRows rows = AdjacencyRows.whole(withoutLoops.all(arena).forward());
      Sampling sampling = batch.sampler().draft(rows, items.training(), seed, workers);
      for (int epoch = 0; epoch < DRAWN; epoch++) {
        int[] vertices = items.first(epoch, batch.size());
        try (Arena working = Arena.ofShared()) {
          sampling
              .sample(working, epoch, new BatchNumbers(0, 1), List.of(vertices), null)
              .forEach(each -> drawn.add(sizes(each)));
        }
      }
    }
    if (drawn.isEmpty()) {
      return new Sizes(most, inputEntries(most.getFirst().sources()));
    }
    List<BlockBound> bounds = new ArrayList<>();
    for (int l = 0; l < most.size(); l++) {
      int layer = l;
      bounds.add(bound(most.get(l), drawn.stream().map(each -> each.blocks().get(layer)).toList()));
    }
    long inputs = atMost(drawn, Sizes::inputEntries);
    return new Sizes(bounds, Math.min(inputEntries(bounds.getFirst().sources()), inputs));
  }

  private Sizes sizes(SampledBatch batch) {
    List<BlockBound> blocks =
        batch.blocks().stream()
            .map(block ->
                new BlockBound(block.destinations(), block.sources().length, block.matrix().nnz()))
            .toList();
    return new Sizes(blocks, inputEntries(batch.inputs()));
  }

  /// Entries of some rows of sparse features, at most.
  private long inputEntries(long rows) {
    return features instanceof Features.Sparse sparse
        ? sparse.x().rowLengths().sumOfLongest(rows)
        : 0;
  }

  /// Entries of rows of sparse features.
  private long inputEntries(int[] vertices) {
    return features instanceof Features.Sparse sparse
        ? IntStream.of(vertices).mapToLong(sparse.x()::rowLength).sum()
        : 0;
  }

  private BlockBound bound(BlockBound most, List<BlockBound> drawn) {
    long targets = atMost(drawn, BlockBound::targets);
    long loops = propagation.selfLoops() ? targets : 0;
    return new BlockBound(
        Math.min(most.targets(), targets),
        Math.min(most.sources(), atMost(drawn, BlockBound::sources)),
        Math.min(most.entries(), atMost(drawn, BlockBound::entries) + loops));
  }

  /// What a number is hardly ever above, from some that were drawn.
  private static <T> long atMost(List<T> drawn, ToLongFunction<T> number) {
    LongSummaryStatistics all = drawn.stream().mapToLong(number).summaryStatistics();
    double squares =
        drawn.stream()
            .mapToDouble(each -> Math.pow(number.applyAsLong(each) - all.getAverage(), 2))
            .sum();
    double deviation = Math.sqrt(squares / Math.max(1, drawn.size() - 1));
    return all.getMax() + (long) Math.ceil(DEVIATIONS * deviation);
  }
}
