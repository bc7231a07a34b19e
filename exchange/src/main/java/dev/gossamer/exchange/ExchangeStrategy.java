package dev.gossamer.exchange;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// How ranks exchange rows for a distributed sparse product.
///
/// @param kind which rows are sent
/// @param replication `c`: ranks that hold each block row; 1 is 1D, more is 1.5D (SA, section 4.2)
/// @param overlap whether rows are sent while the rank multiplies (MG, section 4.3)
/// @param wire the format in which rows are sent; sums over process rows stay float32
public record ExchangeStrategy(Kind kind, int replication, boolean overlap, RowFormat wire) {
  /// Which rows are sent.
  public enum Kind {
    /// Sends all rows of a block to every rank: broadcasts, as in CAGNET and MG.
    OBLIVIOUS,
    /// Sends only the rows that nonzero entries need (SA).
    SPARSITY_AWARE
  }

  /// Checks the replication.
  public ExchangeStrategy {
    InvalidSettingException.requireAtLeast("replication", replication, 1);
  }

  /// Creates a strategy that sends rows unchanged, in float32.
  ///
  /// @param kind which rows are sent
  /// @param replication `c`, copies of each block row
  /// @param overlap whether to multiply while rows are being sent
  public ExchangeStrategy(Kind kind, int replication, boolean overlap) {
    this(kind, replication, overlap, RowFormat.FLOAT32);
  }

  /// {@return the first rank's strategy, on all ranks} Collective.
  ///
  /// @param world all ranks
  /// @param decided on rank 0; on other ranks only the format of sent rows is read, which is the
  ///   same on all ranks
  public static ExchangeStrategy broadcast(Communicator world, ExchangeStrategy decided) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment numbers =
          arena.allocateFrom(
              ValueLayout.JAVA_INT,
              decided.kind() == Kind.OBLIVIOUS ? 1 : 0,
              decided.replication(),
              decided.overlap() ? 1 : 0);
      world.broadcast(0, numbers);
      int[] all = numbers.toArray(ValueLayout.JAVA_INT);
      return new ExchangeStrategy(
          all[0] == 1 ? Kind.OBLIVIOUS : Kind.SPARSITY_AWARE, all[1], all[2] == 1, decided.wire());
    }
  }

  /// {@return block rows for `ranks` ranks: `p / c`}
  ///
  /// @param ranks `p`
  /// @throws IllegalArgumentException if `c` does not divide `p`, or `c^2` does not
  public int blocks(int ranks) {
    requireGrid(ranks, replication);
    return ranks / replication;
  }

  /// {@return whether `c` divides `p` and `c^2` does}
  ///
  /// @param ranks `p`
  public boolean validFor(int ranks) {
    return isGrid(ranks, replication);
  }

  static void requireGrid(int ranks, int c) {
    if (!isGrid(ranks, c)) {
      throw new IllegalArgumentException(
          "grid: %d ranks with replication %d; the replication and its square must divide the ranks"
              .formatted(ranks, c));
    }
  }

  /// {@return whether `c` divides `p` and `c^2` does}
  ///
  /// @param ranks `p`
  /// @param c the replication
  public static boolean isGrid(int ranks, int c) {
    return ranks >= 1 && c >= 1 && ranks % c == 0 && ranks / c % c == 0;
  }
}
