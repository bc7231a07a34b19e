package dev.gossamer.graph;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import java.util.function.DoubleConsumer;

/// The pairs of vertices with an edge in the order of their times. The time of a pair is the
/// earliest of its edges, in either direction; an edge from a vertex to itself is no pair, and
/// neither is one that cannot be held out ([Negatives#areThereFor]).
///
/// Times are found by their rank digit by digit, so that they need not be sorted: each pass over
/// the edges counts the times that begin as the wanted one does by their next 16 bits.
///
/// @param data the graph
/// @param times of the entries of `A`
record TimeOrder(GraphData data, EdgeTimes times) {
  private static final int DIGIT = Short.SIZE;

  /// The times of a graph.
  ///
  /// @throws InvalidSettingException if it has none
  static TimeOrder of(GraphData data) {
    EdgeTimes times = data.times();
    if (times == null) {
      throw new InvalidSettingException(
          "%s: {linkSplitBy}: expected a time of each edge, found none; a schema of tables names the column of edges that has it: time"
              .formatted(data.name()));
    }
    return new TimeOrder(data, times);
  }

  /// The time of a pair.
  ///
  /// @param source row of the entry
  /// @param target column of the entry
  /// @param entry of `A`
  double of(int source, int target, long entry) {
    double time = times.of(entry);
    long against = data.info().directed() ? data.adjacency().find(target, source) : -1;
    return against < 0 ? time : Math.min(time, times.of(against));
  }

  /// The latest times of two parts, if pairs are divided in the order of their times. Pairs of one
  /// time are in the part of the first of them: of `m` pairs, one that `e` are earlier than has the
  /// place `(e + 1/2) / m`, and is in training below the first share, and in validation below the
  /// sum of both. So the latest training time is that of the last pair whose own place is below the
  /// share.
  ///
  /// @throws InvalidSettingException if no edge is left to test
  LinkSplit.Latest latest(LinkSplit.Proportions shares) {
    long[] pairs = new long[1];
    double[] most = {Double.NEGATIVE_INFINITY};
    forEach(time -> {
      pairs[0]++;
      most[0] = Math.max(most[0], time);
    });
    double train = atRank(places(pairs[0], shares.train()) - 1);
    double validation = atRank(places(pairs[0], shares.train() + shares.validation()) - 1);
    if (pairs[0] > 0 && train == most[0]) {
      throw new InvalidSettingException(
          "%s: {linkSplitBy}: expected edges after the training edges, found none of %,d after %s, as those of one time are in one part"
              .formatted(data.name(), pairs[0], times.text(train)));
    }
    return new LinkSplit.Latest(times, train, validation);
  }

  /// The number of places below a share.
  private static long places(long pairs, double share) {
    long below = Math.round(share * pairs);
    while (below > 0 && (below - 0.5) / pairs >= share) {
      below--;
    }
    while (below < pairs && (below + 0.5) / pairs < share) {
      below++;
    }
    return below;
  }

  /// The time with this many earlier or equal ones before it; the least possible for -1.
  private double atRank(long rank) {
    if (rank < 0) {
      return Double.NEGATIVE_INFINITY;
    }
    long known = 0;
    long left = rank;
    for (int shift = Long.SIZE - DIGIT; shift >= 0; shift -= DIGIT) {
      long[] counts = new long[1 << DIGIT];
      long begin = known;
      int by = shift;
      forEach(time -> {
        long key = key(time);
        // A shift by 64 bits would be none.
        if (by == Long.SIZE - DIGIT || (key ^ begin) >>> (by + DIGIT) == 0) {
          counts[(int) (key >>> by) & 0xffff]++;
        }
      });
      int digit = 0;
      while (left >= counts[digit]) {
        left -= counts[digit++];
      }
      known |= (long) digit << shift;
    }
    return time(known);
  }

  /// A number that is greater, without a sign, for greater times.
  private static long key(double time) {
    // 0 and -0 are one time.
    long bits = Double.doubleToLongBits(time + 0.0);
    return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
  }

  private static double time(long key) {
    return Double.longBitsToDouble(key < 0 ? key ^ Long.MIN_VALUE : ~key);
  }

  /// Passes the time of each pair once.
  private void forEach(DoubleConsumer sink) {
    CsrMatrix a = data.adjacency();
    boolean directed = data.info().directed();
    for (int v = 0; v < a.rows(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        int u = a.column(e);
        boolean first = u > v || (directed && u < v && a.find(u, v) < 0);
        if (first && Negatives.areThereFor(data, v, u)) {
          sink.accept(of(v, u, e));
        }
      }
    }
  }
}
