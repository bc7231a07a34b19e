package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.random.Philox;

/// A counter-based random sequence, identified by seed, purpose, epoch, batch, and the vertex or
/// row that draws. It does not depend on which thread or rank draws, or when.
final class Draws {
  /// Purposes of random numbers, distinct from those of other packages.
  enum Purpose {
    LAYER(0x53414d00),
    ROOTS(0x53414e00),
    PERMUTATION(0x53414f00),
    ESTIMATES(0x53415000);

    private final int stream;

    Purpose(int stream) {
      this.stream = stream;
    }
  }

  private final Philox philox;
  private int first;
  private int second;
  private int third;
  private int call;
  private long words;
  private boolean half;

  /// @param index layer or step, less than 256
  Draws(long seed, Purpose purpose, int index, long epoch) {
    philox = Philox.keyed(seed, purpose.stream + index, epoch);
  }

  /// Moves to the first number of a place.
  void at(int vertex, int batch) {
    at(vertex, batch, 0);
  }

  /// Moves to the first number of a step of a walk.
  void at(int walk, int batch, int step) {
    first = walk;
    second = batch;
    third = step;
    call = 0;
    half = false;
  }

  private long pair() {
    return philox.low(first, second, call++, third);
  }

  private int word() {
    half = !half;
    if (half) {
      words = pair();
      return (int) words;
    }
    return (int) (words >>> 32);
  }

  /// Uniform in `0..bound-1`, exactly (D. Lemire, *Fast random integer generation in an interval*,
  /// ACM TOMACS 29, 2019).
  int below(int bound) {
    long product = (word() & 0xFFFFFFFFL) * bound;
    if ((int) product + Integer.MIN_VALUE < bound + Integer.MIN_VALUE) {
      int least = Integer.remainderUnsigned(-bound, bound);
      while ((int) product + Integer.MIN_VALUE < least + Integer.MIN_VALUE) {
        product = (word() & 0xFFFFFFFFL) * bound;
      }
    }
    return (int) (product >>> 32);
  }

  /// Uniform in `[0, 1)`, of 53 bits.
  double uniform() {
    return (pair() >>> 11) * 0x1p-53;
  }

  /// Exponential with mean 1.
  double exponential() {
    return -Math.log1p(-uniform());
  }
}
