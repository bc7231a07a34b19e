package dev.gossamer.comm;

/// One rank failed, which ended the run on all ranks: `rank 2 of 4 failed:
/// java.lang.IllegalStateException: no more rows`.
///
/// It is thrown on the other ranks from their current or next operation, and by the method that
/// started the ranks. The cause is the exception of the failed rank.
public final class RankFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The rank that failed first.
  private final int rank;

  /// Creates the exception of a failure that ends all ranks.
  ///
  /// @param rank the rank that failed, of `size`
  /// @param size number of ranks
  /// @param cause its exception
  public RankFailedException(int rank, int size, Throwable cause) {
    super("rank %d of %d failed: %s".formatted(rank, size, cause), cause);
    this.rank = rank;
  }

  /// {@return the rank that failed first}
  public int rank() {
    return rank;
  }
}
