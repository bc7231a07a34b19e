package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.pruned.layers.Statistics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The part of a rank in the iteration with the smallest validation loss since the last pruning:
/// weights, `float32[survivors]`, and running statistics.
final class BestWeights implements AutoCloseable {
  /// The best iteration.
  ///
  /// @param iteration 1-based; 0 before the first evaluation
  /// @param loss of validation
  /// @param worse number of evaluations since then
  record Standing(int iteration, double loss, int worse) {
    static final Standing NONE = new Standing(0, Double.POSITIVE_INFINITY, 0);
  }

  private final boolean kept;
  private @Nullable Arena arena;
  private @Nullable MemorySegment weights;
  private @Nullable MemorySegment running;
  private Standing standing = Standing.NONE;

  /// @param kept whether weights are kept, and not only their loss
  BestWeights(boolean kept) {
    this.kept = kept;
  }

  Standing standing() {
    return standing;
  }

  /// Returns whether there are weights to restore.
  boolean hasWeights() {
    return weights != null;
  }

  /// Discards weights from before pruning.
  void clear() {
    close();
    standing = Standing.NONE;
  }

  /// Called after an evaluation.
  ///
  /// @param iteration 1-based
  /// @param loss of validation
  void offer(int iteration, double loss, ModelState model, Statistics statistics) {
    if (loss < standing.loss()) {
      standing = new Standing(iteration, loss, 0);
      if (kept) {
        copy(model.weights(), statistics.running());
      }
    } else {
      standing = new Standing(standing.iteration(), standing.loss(), standing.worse() + 1);
    }
  }

  private void copy(MemorySegment newWeights, MemorySegment newRunning) {
    allocate(newWeights.byteSize(), newRunning.byteSize());
    weights().copyFrom(newWeights);
    running().copyFrom(newRunning);
  }

  private void allocate(long bytesOfWeights, long bytesOfStatistics) {
    if (arena == null) {
      arena = Arena.ofShared();
      weights = arena.allocate(bytesOfWeights, DenseMatrix.ALIGNMENT);
      running = arena.allocate(bytesOfStatistics, DenseMatrix.ALIGNMENT);
    }
  }

  /// `float32[survivors]` as [ModelState#weights] of the state at that time.
  MemorySegment weights() {
    if (weights == null) {
      throw new IllegalStateException("no weights are kept");
    }
    return weights;
  }

  /// Running statistics, `float32[count]`.
  MemorySegment running() {
    if (running == null) {
      throw new IllegalStateException("no weights are kept");
    }
    return running;
  }

  /// Continues from a checkpoint, which then fills [#weights] and [#running] if any were kept.
  void restore(Standing before, ModelState model, Statistics statistics) {
    clear();
    standing = before;
    if (kept && before.iteration() > 0) {
      allocate(model.weights().byteSize(), statistics.running().byteSize());
    }
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
      arena = null;
      weights = null;
      running = null;
    }
  }
}
