package dev.gossamer.planner;

import dev.gossamer.matrix.io.InvalidSettingException;

/// Rates that were measured at some sizes, by one thread while the others rest and by all threads
/// of a node together, and are interpolated in between ([RateTable]).
///
/// A width below the smallest that was measured takes as long as that one: it fills the same
/// vectors and cache lines. A rate stays what it is beyond the largest.
///
/// One thread of several that are all at work has a share of the memory's bandwidth, and `threads =
/// 1` is the time that it takes with all of it. So where several ranks of a node compute at once,
/// ask for what they do together, with all their threads.
///
/// @param threads of the node: those that `all` were
/// @param start seconds until several threads have begun a kernel and all have ended
/// @param matmul seconds of a multiply-add, by columns of `X` and columns of `W`
/// @param spmm seconds of an entry, by rows of the matrix, entries in a row and columns of the
///   dense operand. A square matrix: the rows say how much of the dense operand caches hold
/// @param stream seconds of a byte, by the bytes of the pass
/// @param sampling seconds of a drawn edge; no axis
/// @param gather seconds of a row, by its bytes
public record MeasuredRates(
    int threads,
    double start,
    RateTable matmul,
    RateTable spmm,
    RateTable stream,
    RateTable sampling,
    RateTable gather)
    implements Rates {
  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no thread, the start takes no time, or a table has
  ///   another number of axes
  public MeasuredRates {
    InvalidSettingException.requireAtLeast("threads", threads, 1);
    Seconds.requirePositive("start", start);
    requireAxes("matmul", matmul, 2);
    requireAxes("spmm", spmm, 3);
    requireAxes("stream", stream, 1);
    requireAxes("sampling", sampling, 0);
    requireAxes("gather", gather, 1);
  }

  private static void requireAxes(String component, RateTable table, int expected) {
    if (table.dimensions() != expected) {
      throw new InvalidSettingException(
          "{%s}: expected points of %d sizes, found %d"
              .formatted(component, expected, table.dimensions()));
    }
  }

  @Override
  public double matmul(long rows, int in, int out, int sharing) {
    double wideIn = Math.max(in, matmul.smallest(0));
    double wideOut = Math.max(out, matmul.smallest(1));
    return work(rows * wideIn * wideOut, matmul.seconds(sharing, threads, wideIn, wideOut), sharing);
  }

  @Override
  public double spmm(long rows, long entries, int width, int sharing) {
    if (rows == 0) {
      return 0;
    }
    double most = Math.max(entries, (double) rows * spmm.smallest(1));
    double beyond = Math.max(1, (double) width / spmm.largest(2));
    return work(most * beyond, spmm.seconds(sharing, threads, rows, most / rows, width), sharing);
  }

  @Override
  public double stream(double bytes, int sharing) {
    return work(bytes, stream.seconds(sharing, threads, bytes), sharing);
  }

  @Override
  public double sampling(double edges, int sharing) {
    return work(edges, sampling.seconds(sharing, threads), sharing);
  }

  @Override
  public double gather(double rows, int rowBytes, int sharing) {
    double beyond = Math.max(1, (double) rowBytes / gather.largest(0));
    return work(rows * beyond, gather.seconds(sharing, threads, rowBytes), sharing);
  }

  /// Nothing to do takes no time.
  private double work(double units, double seconds, int sharing) {
    return units == 0 ? 0 : units * seconds + (sharing > 1 ? start : 0);
  }
}
