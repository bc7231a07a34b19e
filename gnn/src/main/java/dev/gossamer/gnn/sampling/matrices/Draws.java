package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.matrix.random.Philox;

/// A sequence of random numbers that is known by its place: seed, purpose, epoch, batch, and the
/// vertex or row that draws. Who draws, when, and with how many others changes nothing.
public final class Draws {
  /// Purposes of random numbers, apart from those of other packages.
  public enum Purpose {
    /// What a layer draws.
    LAYER(0x53414d00),
    /// The vertices that a subgraph begins with.
    ROOTS(0x53414e00),
    /// The order of the training vertices in an epoch.
    PERMUTATION(0x53414f00),
    /// Subgraphs that are counted before the first epoch.
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

  /// Creates the sequence of a purpose.
  ///
  /// @param seed of the run
  /// @param purpose what is drawn
  /// @param index layer or step, less than 256
  /// @param epoch 0-based
  public Draws(long seed, Purpose purpose, int index, long epoch) {
    philox = Philox.keyed(seed, purpose.stream + index, epoch);
  }

  /// Goes to the first number of a place.
  ///
  /// @param vertex or row that draws
  /// @param batch number in its epoch
  public void at(int vertex, int batch) {
    at(vertex, batch, 0);
  }

  /// Goes to the first number of a place on a walk.
  ///
  /// @param walk number in its batch
  /// @param batch number in its epoch
  /// @param step of the walk
  public void at(int walk, int batch, int step) {
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

  /// {@return the next number, uniform in `0..bound-1`, exactly} (D. Lemire, *Fast random integer
  /// generation in an interval*, ACM TOMACS 29, 2019).
  ///
  /// @param bound more than 0
  public int below(int bound) {
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
