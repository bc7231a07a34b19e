package dev.gossamer.comm;

/// One rank failed and the run is over on all of them: `rank 2 of 4 failed:
/// java.lang.IllegalStateException: no more rows`.
///
/// The other ranks get it from the operation that they wait in or call next; the starter of the
/// ranks gets it too. The cause is what the failed rank threw.
public final class RankFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The rank that failed first.
  private final int rank;

  /// Creates the exception of a failure that ends all ranks.
  ///
  /// @param rank the rank that failed, of `size`
  /// @param size ranks
  /// @param cause what it threw
  public RankFailedException(int rank, int size, Throwable cause) {
    super("rank %d of %d failed: %s".formatted(rank, size, cause), cause);
    this.rank = rank;
  }

  /// {@return the rank that failed first}
  public int rank() {
    return rank;
  }
}
