package dev.gossamer.gnn.feature;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.CommunicationException;
import dev.gossamer.graph.Features;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Fetches the feature rows of one batch after another, on request those of the next batch while
/// the current one is computed: `begin(1)`, then for each batch `finish()`, `begin(next)`, compute.
/// Both give bit-identical results.
///
/// All ranks make the same calls; a rank without a batch passes no vertices. Fetching ahead uses a
/// separate thread, which waits for messages, packing and disk pages. The source must then have its
/// own communicators, as those of this package do.
public final class FeatureFetch implements AutoCloseable {
  private final FeatureSource source;
  private final Workers workers;
  private final @Nullable ExecutorService thread;
  private final FetchedRows[] rows;
  private int turn;
  private int @Nullable [] wanted;
  private @Nullable Future<?> pending;

  private FeatureFetch(
      FeatureSource source, Workers workers, @Nullable ExecutorService thread, int slots) {
    this.source = source;
    this.workers = workers;
    this.thread = thread;
    rows = new FetchedRows[slots];
    for (int i = 0; i < slots; i++) {
      rows[i] = new FetchedRows();
    }
  }

  /// {@return a fetch that runs in [#finish] and stores the rows of one batch}
  ///
  /// @param source borrowed
  /// @param workers threads that copy; may be used elsewhere between calls; borrowed
  public static FeatureFetch inTurn(FeatureSource source, Workers workers) {
    return new FeatureFetch(source, workers, null, 1);
  }

  /// {@return a fetch that runs in a separate thread from [#begin] on and stores the rows of two
  /// batches}
  ///
  /// @param source borrowed, and used by nothing else
  public static FeatureFetch ahead(FeatureSource source) {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform()
                .daemon()
                .name(Thread.currentThread().getName() + "-fetch")
                .factory());
    return new FeatureFetch(source, new Workers(1), thread, 2);
  }

  /// Begins to fetch the rows of a batch. Collective if the source is.
  ///
  /// @param vertices as [FeatureSource#fetch]; must not change before [#finish]
  /// @throws IllegalStateException if a fetch has begun and is not finished
  public void begin(int[] vertices) {
    if (wanted != null) {
      throw new IllegalStateException("fetch: started twice; finish the previous one first");
    }
    wanted = vertices;
    turn = (turn + 1) % rows.length;
    if (thread != null) {
      FetchedRows into = rows[turn];
      pending = thread.submit(() -> source.fetch(vertices, into, workers));
    }
  }

  /// Waits for the rows, one per vertex.
  ///
  /// @return dense or sparse rows, as in the source, valid until the next call of this method
  /// @throws IllegalStateException if no fetch has begun
  public Features finish() {
    int[] vertices = wanted;
    if (vertices == null) {
      throw new IllegalStateException("fetch: finished without being started");
    }
    if (pending == null) {
      source.fetch(vertices, rows[turn], workers);
    } else {
      await(pending);
      pending = null;
    }
    wanted = null;
    return rows[turn].features();
  }

  private static void await(Future<?> fetch) {
    try {
      fetch.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommunicationException("fetch: interrupted while waiting for feature rows", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }

  /// Frees the rows. Does not wait for a fetch that is running because the run failed; its thread
  /// frees the rows at its end.
  @Override
  public void close() {
    if (thread == null) {
      free();
      return;
    }
    if (pending == null || pending.isDone()) {
      free();
    } else {
      thread.execute(this::free);
    }
    thread.shutdown();
  }

  private void free() {
    if (thread != null) {
      workers.close();
    }
    for (FetchedRows each : rows) {
      each.close();
    }
  }
}
