package dev.gossamer.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/// Threads that work on the entries of a stream of arcs, each on those of its own range of rows,
/// while the thread of the stream reads on. Each row has one owner, which meets the arcs in the
/// order of the stream; so the result does not depend on the number of threads.
///
/// Every owner sees all arcs: looking at one takes much less time than writing one at a random
/// place.
final class RowOwners {
  /// Works on a range of rows.
  @FunctionalInterface
  interface Work {
    /// Works on the entries of some arcs that are in a range of rows.
    ///
    /// @param begin first row
    /// @param end after the last row
    void on(ArcBatch arcs, int begin, int end);
  }

  /// Batches that wait for each owner, at most.
  private static final int WAITING = 4;

  private final int[] bounds;
  private final Work work;
  private final ExecutorService executor;
  private final Semaphore free;
  private final List<CompletableFuture<Void>> last = new ArrayList<>();
  private ArcBatch batch = new ArcBatch();

  private RowOwners(int[] bounds, Work work, ExecutorService executor) {
    this.bounds = bounds;
    this.work = work;
    this.executor = executor;
    free = new Semaphore(WAITING * owners());
    for (int i = 0; i < owners(); i++) {
      last.add(CompletableFuture.completedFuture(null));
    }
  }

  /// Reads a stream once.
  ///
  /// @param bounds of the ranges of rows, ascending: range `i` is `bounds[i]..bounds[i + 1] - 1`
  static void forEach(EdgeStream arcs, int[] bounds, Work work) {
    ExecutorService executor =
        Executors.newFixedThreadPool(
            bounds.length - 1, Thread.ofPlatform().daemon().name("gossamer-rows-", 0).factory());
    RowOwners owners = new RowOwners(bounds, work, executor);
    try {
      arcs.forEach(owners::add);
      owners.end();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    } finally {
      owners.last.forEach(RowOwners::await);
      executor.shutdown();
    }
  }

  private int owners() {
    return bounds.length - 1;
  }

  private void add(int source, int target, float weight) {
    if (batch.isFull()) {
      pass();
    }
    batch.add(source, target, weight);
  }

  /// Passes a batch to all owners, and begins another.
  private void pass() {
    ArcBatch full = batch;
    batch = new ArcBatch();
    free.acquireUninterruptibly(owners());
    for (int i = 0; i < owners(); i++) {
      int begin = bounds[i];
      int end = bounds[i + 1];
      CompletableFuture<Void> before = last.get(i);
      if (before.isCompletedExceptionally()) {
        before.join();
      }
      last.set(
          i,
          before
              .thenRunAsync(() -> work.on(full, begin, end), executor)
              .whenComplete((done, failure) -> free.release()));
    }
  }

  /// The last batch, or the only one of a small graph, is not worth another thread.
  private void end() {
    last.forEach(CompletableFuture::join);
    work.on(batch, bounds[0], bounds[owners()]);
  }

  /// Waits until an owner no longer works.
  private static void await(CompletableFuture<Void> owner) {
    owner.handle((done, failure) -> failure).join();
  }
}
