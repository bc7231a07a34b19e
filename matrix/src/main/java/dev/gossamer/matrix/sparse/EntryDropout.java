package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.LongVector;

/// Dropout of the edges of a graph (DropEdge: Y. Rong et al., ICLR 2020): an edge is dropped with
/// probability `rate`, again in each step.
///
/// Whether it is kept depends only on the seed, the step and the data set's ids of its two ends,
/// not on threads, ranks or storage: neither on which rank owns it, nor on its direction, so that
/// what is left of a symmetric matrix is symmetric. All edges between two vertices are kept or
/// dropped together. Entries on the diagonal are always kept. A draw has 32 bits, so the
/// probability is `rate` rounded to a multiple of `2^-32`; its [Philox] counter is `smaller id 2^32
/// + larger id`.
///
/// @param seed of the run
/// @param rate probability of a dropped edge, `0 <= rate < 1`
public record EntryDropout(long seed, float rate) {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// The stream of random numbers that only edges draw from.
  private static final int STREAM = 0x45444745;

  /// Entries that one task takes.
  private static final int ENTRIES = 1 << 14;

  private static final long LOW = 0xFFFF_FFFFL;

  /// Checks the rate.
  ///
  /// @throws IllegalArgumentException if the rate is not in `[0, 1)`
  public EntryDropout {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException(
          "edge dropout: expected a rate of at least 0 and less than 1, found " + rate);
    }
  }

  /// What becomes of an entry.
  ///
  /// @param kept factor of the value of a kept entry
  /// @param diagonal factor of the value of an entry on the diagonal
  /// @param dropped value of a dropped entry
  public record Outcome(float kept, float diagonal, float dropped) {}

  /// {@return the factor of kept entries in a sum: `1 / (1 - rate)`}
  public float scale() {
    return 1f / (1f - rate);
  }

  /// {@return what becomes of entries of a matrix of weights: kept ones are multiplied by [#scale],
  /// so that the expected value of each entry is what it is without dropout, and others are 0}
  public Outcome scaled() {
    return new Outcome(scale(), 1f, 0f);
  }

  /// {@return whether the edges between two vertices are kept; the definition of dropout}
  ///
  /// @param step epoch or batch
  /// @param u the data set's id of one end
  /// @param v that of the other
  public boolean keeps(long step, int u, int v) {
    Philox philox = Philox.keyed(seed, STREAM, step);
    return u == v || (philox.low(Math.max(u, v), Math.min(u, v), 0, 0) & LOW) >= threshold();
  }

  /// Draws below it are dropped.
  private long threshold() {
    return Math.round(rate * 0x1p32);
  }

  /// Applies dropout to the entries of a matrix: `out[e] = factor value[e] c[column[e]]` with its
  /// column scale `c`, or the value of a dropped entry. Row scales are ignored.
  ///
  /// @param a the matrix; without values, each is 1
  /// @param step epoch or batch
  /// @param rows the data set's ids of the rows
  /// @param cols the data set's ids of the columns
  /// @param outcome what becomes of an entry
  /// @param out `float32[nnz]`, overwritten; may be the values of `a`
  /// @param w threads that share the work
  public void apply(
      CsrMatrix a,
      long step,
      RowIds rows,
      RowIds cols,
      Outcome outcome,
      MemorySegment out,
      Workers w) {
    if (out.byteSize() != a.nnz() * Float.BYTES) {
      throw new IllegalArgumentException(
          "edge dropout: the matrix is %s but the result has room for %d"
              .formatted(a, out.byteSize() / Float.BYTES));
    }
    Philox philox = Philox.keyed(seed, STREAM, step);
    w.run(
        Math.toIntExact(Math.ceilDiv(a.nnz(), ENTRIES)),
        (task, _) -> {
          long begin = (long) task * ENTRIES;
          long end = Math.min(a.nnz(), begin + ENTRIES);
          part(philox, a, begin, end, rows, cols, outcome, out);
        },
        a.columns(),
        out);
  }

  /// Draws for a vector of entries at a time.
  private void part(
      Philox philox,
      CsrMatrix a,
      long begin,
      long end,
      RowIds rows,
      RowIds cols,
      Outcome outcome,
      MemorySegment out) {
    int lanes = Philox.SPECIES.length();
    long[] pairs = new long[lanes];
    long[] words = new long[2 * lanes];
    long threshold = threshold();
    long row = a.rowOf(begin);
    for (long e = begin; e < end; e += lanes) {
      int count = (int) Math.min(lanes, end - e);
      for (int l = 0; l < count; l++) {
        while (a.rowPointer(row + 1) <= e + l) {
          row++;
        }
        long v = rows.id(row);
        long u = cols.id(a.column(e + l));
        pairs[l] = Math.min(u, v) << Integer.SIZE | Math.max(u, v);
      }
      philox.draw(LongVector.fromArray(Philox.SPECIES, pairs, 0), words, 0, lanes);
      for (int l = 0; l < count; l++) {
        boolean own = pairs[l] >>> Integer.SIZE == (pairs[l] & LOW);
        float weight = a.value(e + l) * a.columnScale(a.column(e + l));
        float left =
            own
                ? outcome.diagonal() * weight
                : (words[l] & LOW) >= threshold ? outcome.kept() * weight : outcome.dropped();
        out.set(FLOAT, (e + l) * Float.BYTES, left);
      }
    }
  }
}
