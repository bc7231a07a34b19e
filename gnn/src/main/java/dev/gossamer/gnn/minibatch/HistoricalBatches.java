package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.HistoricalEmbeddings;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Batches that take remote vertices from historical embeddings where possible (MB, Algorithm 2).
/// Each batch is drawn in its turn, by all threads, because its boundary depends on the current
/// contents of the caches.
final class HistoricalBatches implements BatchFeed {
  private final HistoricalEmbeddings embeddings;
  private final BulkSampler sampler;
  private final IntFunction<int[]> vertices;
  private final BatchDeal deal;
  private final int epoch;
  private final LongAdder sampleNanos;
  private final PhaseClock clock;
  private final FetchedRows inputs;
  private final FetchedRows fetched;
  private Arena arena = Arena.ofShared();
  private int turn;
  private @Nullable SampledBatch batch;

  /// Resources that batches reuse across epochs.
  record Means(
      HistoricalEmbeddings embeddings,
      BulkSampler sampler,
      FetchedRows inputs,
      FetchedRows fetched,
      LongAdder sampleNanos,
      PhaseClock clock)
      implements AutoCloseable {
    /// Collective.
    @Override
    public void close() {
      embeddings.close();
      inputs.close();
      fetched.close();
    }
  }

  /// @param from the first turn
  HistoricalBatches(Means means, IntFunction<int[]> vertices, BatchDeal deal, int epoch, int from) {
    embeddings = means.embeddings();
    sampler = means.sampler();
    inputs = means.inputs();
    fetched = means.fetched();
    sampleNanos = means.sampleNanos();
    clock = means.clock();
    this.vertices = vertices;
    this.deal = deal;
    this.epoch = epoch;
    turn = from - 1;
  }

  @Override
  public @Nullable SampledBatch next() {
    turn++;
    clock.measure(Phase.EXCHANGE, "receive pushed rows", embeddings::receive);
    clock.measure(Phase.SAMPLE, "sample", this::sample);
    clock.measure(Phase.MAP, "map solid to halo", () -> embeddings.announce(batch));
    return batch;
  }

  private void sample() {
    arena.close();
    arena = Arena.ofShared();
    long start = System.nanoTime();
    List<SampledBatch> drawn =
        sampler.sample(
            arena,
            epoch,
            deal.number(turn),
            deal.ranks(),
            deal.vertices(vertices, turn, turn + 1),
            embeddings.boundary());
    // A rank whose vertices have no edges draws empty subgraphs.
    batch = drawn.isEmpty() || drawn.getFirst().seeds().length == 0 ? null : drawn.getFirst();
    sampleNanos.add(System.nanoTime() - start);
  }

  @Override
  public Features inputs() {
    return clock.measured(Phase.FETCH, "fetch", () -> embeddings.inputs(batch, inputs, fetched));
  }

  @Override
  public void supply(int l, DenseMatrix rows) {
    clock.measure(Phase.FETCH, "load embeddings", () -> embeddings.load(l, rows));
  }

  @Override
  public void computed(List<DenseMatrix> hidden) {
    clock.measure(Phase.EXCHANGE, "push rows", () -> embeddings.push(hidden));
  }

  @Override
  public void close() {
    arena.close();
  }
}
