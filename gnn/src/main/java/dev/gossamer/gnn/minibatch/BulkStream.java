package dev.gossamer.gnn.minibatch;

import dev.gossamer.base.Resources;
import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// The batches of one rank in one epoch, turn by turn, drawn in bulk. With a thread, the next bulk
/// is drawn while the current one is in use.
///
/// A bulk is freed when the second bulk after it begins, so that the batches of two consecutive
/// turns may be in use.
final class BulkStream implements AutoCloseable {
  private final BulkSampler sampler;
  private final IntFunction<int[]> vertices;
  private final BatchDeal deal;
  private final int bulk;
  private final int epoch;
  private final @Nullable ExecutorService thread;
  private final LongAdder nanos;
  private final Deque<Bulk> open = new ArrayDeque<>();
  private @Nullable CompletableFuture<Bulk> ahead;
  private int sampledTurns;
  private int turn;
  private int firstTurn;
  private List<SampledBatch> batches = List.of();

  /// A bulk and the memory of its matrices.
  private record Bulk(Arena arena, List<SampledBatch> batches) {}

  /// @param vertices of a batch, by its number
  /// @param bulk turns drawn at a time
  /// @param thread draws the next bulk; null to draw it on demand
  /// @param nanos counts the time of drawing
  BulkStream(
      BulkSampler sampler,
      IntFunction<int[]> vertices,
      BatchDeal deal,
      int bulk,
      int epoch,
      @Nullable ExecutorService thread,
      LongAdder nanos) {
    this.sampler = sampler;
    this.vertices = vertices;
    this.deal = deal;
    this.bulk = bulk;
    this.epoch = epoch;
    this.thread = thread;
    this.nanos = nanos;
  }

  /// Returns the batch of the next turn; null if only other ranks have one. Collective when it
  /// draws a bulk, if the graph is distributed.
  @Nullable SampledBatch next() {
    if (turn == sampledTurns) {
      Bulk taken = take();
      open.add(taken);
      if (open.size() > 2) {
        open.remove().arena().close();
      }
      firstTurn = turn;
      batches = taken.batches();
    }
    SampledBatch batch = deal.hasBatch(turn) ? batches.get(turn - firstTurn) : null;
    turn++;
    // A subgraph may have fewer training vertices than parts.
    return batch == null || batch.seeds().length == 0 ? null : batch;
  }

  /// The next bulk; after it, the one that follows is begun.
  private Bulk take() {
    CompletableFuture<Bulk> begun = ahead == null ? begin(sampledTurns) : ahead;
    Bulk taken;
    try {
      taken = begun.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
    sampledTurns = Math.min(deal.turns(), sampledTurns + bulk);
    ahead = thread != null && sampledTurns < deal.turns() ? begin(sampledTurns) : null;
    return taken;
  }

  private CompletableFuture<Bulk> begin(int from) {
    return thread == null
        ? CompletableFuture.completedFuture(sample(from))
        : CompletableFuture.supplyAsync(() -> sample(from), thread);
  }

  private Bulk sample(int from) {
    int to = Math.min(deal.turns(), from + bulk);
    long start = System.nanoTime();
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          List<SampledBatch> drawn =
              sampler.sample(
                  arena, epoch, deal.number(from), deal.ranks(), deal.vertices(vertices, from, to));
          nanos.add(System.nanoTime() - start);
          return new Bulk(arena, drawn);
        });
  }

  /// Frees the bulks. Does not wait for a bulk that is being drawn because the run failed; its
  /// thread frees it.
  @Override
  public void close() {
    if (ahead != null) {
      ahead =
          ahead.whenComplete((drawn, failure) -> {
            if (drawn != null) {
              drawn.arena().close();
            }
          });
    }
    open.forEach(each -> each.arena().close());
    open.clear();
  }
}
