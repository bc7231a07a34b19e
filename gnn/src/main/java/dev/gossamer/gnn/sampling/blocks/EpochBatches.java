package dev.gossamer.gnn.sampling.blocks;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The batches of one epoch: a seeded permutation of the training vertices, divided evenly. Each
/// vertex is in exactly one batch, and sizes differ by at most one: a small last batch would change
/// the weights as much as a full one. Immutable.
public final class EpochBatches {
  private final int[] order;
  private final int count;

  /// Permutes and cuts the training vertices.
  ///
  /// @param training the training vertices; not kept
  /// @param size vertices of a batch, at most
  /// @param seed of the run
  /// @param epoch of the run
  /// @throws InvalidSettingException if the size is less than 1
  public EpochBatches(int[] training, int size, long seed, long epoch) {
    this(count(training, size), training, seed, epoch);
  }

  /// Permutes the training vertices and cuts them into a number of batches, of which some are empty
  /// if there are fewer vertices.
  ///
  /// @param training the training vertices; not kept
  /// @param count batches
  /// @param seed of the run
  /// @param epoch of the run
  /// @return the batches
  public static EpochBatches cut(int[] training, int count, long seed, long epoch) {
    return new EpochBatches(count, training, seed, epoch);
  }

  private EpochBatches(int count, int[] training, long seed, long epoch) {
    this.count = count;
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

  private static int count(int[] training, int size) {
    InvalidSettingException.requireAtLeast("batchSize", size, 1);
    return Math.ceilDiv(training.length, size);
  }

  /// {@return where batch `i` of `k` begins in `n` items that are cut evenly: `floor(n i / k)`}
  ///
  /// @param n items
  /// @param k batches, at least 1
  /// @param i from 0 to `k`
  public static long begin(long n, long k, long i) {
    // n i may be more than 2^63 - 1.
    return n / k * i + n % k * i / k;
  }

  /// {@return number of batches}
  public int count() {
    return count;
  }

  /// {@return the vertices of a batch, as a copy}
  ///
  /// @param number of the batch in its epoch
  public int[] batch(int number) {
    int from = (int) begin(order.length, count, number);
    int to = (int) begin(order.length, count, number + 1L);
    return Arrays.copyOfRange(order, from, to);
  }

  /// {@return some consecutive batches: a bulk}
  ///
  /// @param from number of the first
  /// @param to number after the last
  public List<int[]> batches(int from, int to) {
    return IntStream.range(from, to).mapToObj(this::batch).toList();
  }
}
