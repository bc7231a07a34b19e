package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Draws minibatches in bulk (MBS): `k` of them at a time, by products of sparse matrices.
///
/// A batch depends only on the seed, the epoch and its number: not on threads, on `k`, or on the
/// rank that draws it. One bulk at a time.
public final class BulkSampler {
  private final Sampler sampler;
  private final Sampling sampling;
  private final int[] degrees;
  private final int threads;

  /// Binds a sampler to a graph; see [Sampler#sampling].
  ///
  /// @param sampler how batches are drawn
  /// @param a `Â`
  /// @param training the training vertices
  /// @param seed of the run
  /// @param workers that draw; borrowed
  /// @throws dev.gossamer.base.InvalidInputException if the sampler needs edges and the graph has
  ///   none
  public BulkSampler(Sampler sampler, AdjacencyRows a, int[] training, long seed, Workers workers) {
    this.sampler = sampler;
    sampling = sampler.sampling(a, training, seed, workers);
    degrees = a.rowLengths();
    threads = workers.threads();
  }

  /// Records the steps of drawing on a timeline from now on.
  ///
  /// @param timeline of the rank
  public void drawOn(Timeline timeline) {
    sampling.drawOn(timeline);
  }

  /// {@return breakdown of the time of drawing so far}
  public SamplingSeconds seconds() {
    return sampling.seconds();
  }

  /// {@return the sampler}
  public Sampler sampler() {
    return sampler;
  }

  /// Draws a bulk. Collective if the graph is distributed.
  ///
  /// @param arena shared, owner of the matrices of all batches
  /// @param epoch of the run
  /// @param first number of the first batch in its epoch
  /// @param batches the vertices of each batch, distinct; for subgraphs only their number counts;
  ///   empty if other ranks have more bulks
  /// @return one for each, in order
  public List<SampledBatch> sample(Arena arena, long epoch, int first, List<int[]> batches) {
    return sample(arena, epoch, first, 1, batches);
  }

  /// {@return the same for every `stride`-th batch of the epoch}
  ///
  /// @param arena shared, owner of the matrices of all batches
  /// @param epoch of the run
  /// @param first number of the first batch in its epoch
  /// @param stride from one batch to the next
  /// @param batches the vertices of each batch
  public List<SampledBatch> sample(
      Arena arena, long epoch, int first, int stride, List<int[]> batches) {
    return sample(arena, epoch, first, stride, batches, null);
  }

  /// {@return the same for batches that end at a boundary}
  ///
  /// @param arena shared, owner of the matrices of all batches
  /// @param epoch of the run
  /// @param first number of the first batch in its epoch
  /// @param stride from one batch to the next
  /// @param batches the vertices of each batch
  /// @param boundary where the batches end; null if they do not
  public List<SampledBatch> sample(
      Arena arena,
      long epoch,
      int first,
      int stride,
      List<int[]> batches,
      @Nullable Boundary boundary) {
    return sampling.sample(arena, epoch, new BatchNumbers(first, stride), batches, boundary);
  }

  /// {@return upper bound of the bytes of a bulk and of this sampler} Fetched remote rows are not
  /// included. Cost: a pass over the vertices.
  ///
  /// @param k batches
  /// @param batchSize vertices of a batch
  public long bytes(int k, int batchSize) {
    Degrees known = new Degrees(degrees, false);
    SamplingMemory memory = sampler.memory(known, sampler.blocks(known, batchSize));
    return memory.bytesKept(threads) + memory.bytesOfBulks(1, k, threads);
  }
}
