package dev.gossamer.exchange;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Fetches requested rows of a sparse matrix that is distributed over ranks in blocks of rows (MBS,
/// Algorithm 2, lines 4 to 11).
public final class CsrRowFetch {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final Communicator comm;
  private final RowDistribution distribution;
  private final CsrMatrix own;

  /// Prepares to fetch rows of a matrix.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param distribution who owns which rows
  /// @param own this rank's rows with all columns: on all ranks either with values or without, and
  ///   with row scales or without; borrowed
  /// @throws IllegalArgumentException if `own` does not have the rows of this rank's block
  public CsrRowFetch(Communicator comm, RowDistribution distribution, CsrMatrix own) {
    if (own.rows() != distribution.count(comm.rank())) {
      throw new IllegalArgumentException(
          "fetch: the block is %s; expected %d rows"
              .formatted(own, distribution.count(comm.rank())));
    }
    this.comm = comm;
    this.distribution = distribution;
    this.own = own;
  }

  /// {@return the lengths of all rows of a distributed matrix, on every rank} Collective: one
  /// all-gather.
  ///
  /// @param comm a group whose rank `i` owns block `i`
  /// @param distribution who owns which rows
  /// @param own this rank's rows
  public static int[] rowLengths(Communicator comm, RowDistribution distribution, CsrMatrix own) {
    long[] counts = new long[comm.size()];
    Arrays.setAll(counts, distribution::count);
    int[] mine = new int[(int) own.rows()];
    Arrays.setAll(mine, i -> (int) own.rowLength(i));
    try (Arena working = Arena.ofShared()) {
      MemorySegment all = working.allocate(ValueLayout.JAVA_INT, distribution.rows());
      comm.allGatherV(
          working.allocateFrom(ValueLayout.JAVA_INT, mine),
          all,
          PeerBlocks.packedRows(counts, Integer.BYTES));
      return all.toArray(ValueLayout.JAVA_INT);
    }
  }

  /// Fetches the rows that this rank requests, including its own, with the scales of all rows.
  /// Collective: two all-to-alls for the row numbers, one for their lengths, one for their columns,
  /// and one each for values and scales if there are any.
  ///
  /// @param arena shared, owner of the result
  /// @param rows global numbers, strictly ascending
  /// @return one row for each, in their order
  public CsrMatrix fetch(Arena arena, int[] rows) {
    ExchangePattern pattern = new ExchangePattern(comm, distribution, rows);
    int[] sent = pattern.sentRows();
    try (Arena working = Arena.ofShared()) {
      long[] sentTo = new long[comm.size()];
      long[] neededFrom = new long[comm.size()];
      MemorySegment lengths = lengths(working, pattern, sent);
      int at = 0;
      for (int peer = 0; peer < sentTo.length; peer++) {
        for (long k = 0; k < pattern.rowsToSend(peer); k++) {
          sentTo[peer] += own.rowLength(sent[at++]);
        }
      }
      int k = 0;
      for (int peer = 0; peer < neededFrom.length; peer++) {
        for (long count = pattern.rowsNeeded(peer); count > 0; count--) {
          neededFrom[peer] += lengths.getAtIndex(INT, k++);
        }
      }
      PeerBlocks sends = PeerBlocks.packedRows(sentTo, Integer.BYTES);
      PeerBlocks receives = PeerBlocks.packedRows(neededFrom, Integer.BYTES);
      MemorySegment columns = entries(working, own.columns(), sent, sends, receives);
      MemorySegment values =
          own.values() == null ? null : entries(working, own.values(), sent, sends, receives);
      MemorySegment scales =
          own.rowScale() == null ? null : scales(working, pattern, own.rowScale());
      return merged(arena, rows, lengths, columns, values, scales);
    }
  }

  /// Lengths of the rows that come.
  private MemorySegment lengths(Arena working, ExchangePattern pattern, int[] sent) {
    int[] mine = Arrays.stream(sent).map(row -> (int) own.rowLength(row)).toArray();
    return exchanged(
        working,
        working.allocateFrom(ValueLayout.JAVA_INT, mine),
        pattern.rowsByReceiver(Integer.BYTES),
        pattern.rowsByOwner(Integer.BYTES));
  }

  /// Columns or values of the rows that come: 4 bytes an entry both.
  private MemorySegment entries(
      Arena working, MemorySegment from, int[] sent, PeerBlocks sends, PeerBlocks receives) {
    MemorySegment packed = working.allocate(sends.totalBytes(), DenseMatrix.ALIGNMENT);
    long to = 0;
    for (int row : sent) {
      long bytes = own.rowLength(row) * Integer.BYTES;
      MemorySegment.copy(from, own.rowPointer(row) * Integer.BYTES, packed, to, bytes);
      to += bytes;
    }
    return exchanged(working, packed, sends, receives);
  }

  /// Scales of the rows that come.
  private MemorySegment scales(Arena working, ExchangePattern pattern, MemorySegment from) {
    int[] sent = pattern.sentRows();
    MemorySegment packed = working.allocate(ValueLayout.JAVA_INT, sent.length);
    for (int k = 0; k < sent.length; k++) {
      packed.setAtIndex(INT, k, from.getAtIndex(INT, sent[k]));
    }
    return exchanged(
        working, packed, pattern.rowsByReceiver(Float.BYTES), pattern.rowsByOwner(Float.BYTES));
  }

  private MemorySegment exchanged(
      Arena working, MemorySegment packed, PeerBlocks sends, PeerBlocks receives) {
    MemorySegment arrived = working.allocate(receives.totalBytes(), DenseMatrix.ALIGNMENT);
    comm.allToAllV(packed, sends, arrived, receives);
    return arrived;
  }

  /// Merges own and received rows in the order of their numbers. Received rows are already in that
  /// order.
  private CsrMatrix merged(
      Arena arena,
      int[] rows,
      MemorySegment lengths,
      MemorySegment columns,
      @Nullable MemorySegment values,
      @Nullable MemorySegment scales) {
    int begin = distribution.begin(comm.rank());
    int end = distribution.end(comm.rank());
    MemorySegment pointers = arena.allocate((rows.length + 1L) * Long.BYTES, Long.BYTES);
    MemorySegment mergedScales =
        scales == null ? null : arena.allocate((long) rows.length * Float.BYTES, Float.BYTES);
    int remote = 0;
    long nnz = 0;
    for (int k = 0; k < rows.length; k++) {
      boolean mine = rows[k] >= begin && rows[k] < end;
      if (mergedScales != null && scales != null && own.rowScale() != null) {
        int bits =
            mine ? own.rowScale().getAtIndex(INT, rows[k] - begin) : scales.getAtIndex(INT, remote);
        mergedScales.setAtIndex(INT, k, bits);
      }
      nnz += mine ? own.rowLength(rows[k] - begin) : lengths.getAtIndex(INT, remote++);
      pointers.setAtIndex(LONG, k + 1L, nnz);
    }
    CsrMatrix merged =
        CsrMatrix.wrap(
            rows.length,
            own.cols(),
            pointers,
            mergedEntries(arena, rows, pointers, columns, own.columns()),
            values == null || own.values() == null
                ? null
                : mergedEntries(arena, rows, pointers, values, own.values()));
    return merged.withScales(mergedScales, own.columnScale());
  }

  private MemorySegment mergedEntries(
      Arena arena, int[] rows, MemorySegment pointers, MemorySegment arrived, MemorySegment mine) {
    int begin = distribution.begin(comm.rank());
    int end = distribution.end(comm.rank());
    long nnz = pointers.getAtIndex(LONG, rows.length);
    MemorySegment merged = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    long from = 0;
    for (int k = 0; k < rows.length; k++) {
      long to = pointers.getAtIndex(LONG, k) * Integer.BYTES;
      long bytes = pointers.getAtIndex(LONG, k + 1L) * Integer.BYTES - to;
      if (rows[k] >= begin && rows[k] < end) {
        long at = own.rowPointer(rows[k] - begin) * Integer.BYTES;
        MemorySegment.copy(mine, at, merged, to, bytes);
      } else {
        MemorySegment.copy(arrived, from, merged, to, bytes);
        from += bytes;
      }
    }
    return merged;
  }
}
