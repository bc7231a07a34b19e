package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.Draws.Purpose;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The batches of one epoch: a seeded permutation of the training vertices, cut. Each vertex is in
/// exactly one batch, and all batches but the last have the same size. Immutable.
public final class EpochBatches {
  private final int[] order;
  private final int size;

  /// Permutes and cuts the training vertices.
  ///
  /// @param training the training vertices; not kept
  /// @param size vertices of a batch
  /// @param seed of the run
  /// @param epoch of the run
  /// @throws InvalidSettingException if the size is less than 1
  public EpochBatches(int[] training, int size, long seed, long epoch) {
    InvalidSettingException.requireAtLeast("batchSize", size, 1);
    this.size = size;
    order = training.clone();
    Draws draws = new Draws(seed, Purpose.PERMUTATION, 0, epoch);
    draws.at(0, 0);
    for (int i = order.length - 1; i > 0; i--) {
      int j = draws.below(i + 1);
      int vertex = order[i];
      order[i] = order[j];
      order[j] = vertex;
    }
  }

  /// {@return number of batches}
  public int count() {
    return Math.ceilDiv(order.length, size);
  }

  /// {@return the vertices of a batch, as a copy}
  ///
  /// @param number of the batch in its epoch
  public int[] batch(int number) {
    int from = Math.multiplyExact(number, size);
    return Arrays.copyOfRange(order, from, Math.min(order.length, from + size));
  }

  /// {@return some consecutive batches: a bulk}
  ///
  /// @param from number of the first
  /// @param to number after the last
  public List<int[]> batches(int from, int to) {
    return IntStream.range(from, to).mapToObj(this::batch).toList();
  }
}
