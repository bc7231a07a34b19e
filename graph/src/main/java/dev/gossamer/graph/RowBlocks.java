package dev.gossamer.graph;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/// The rows of a matrix in blocks of about as many entries. Entries are appended to their block:
/// there are so few that the place where each goes on stays in a cache, where those of all rows
/// would not. Then each block is sorted alone, to its own beginning, by any thread.
final class RowBlocks {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  /// Ranges of rows whose entries are counted: at most two to this power.
  private static final int RANGE_BITS = 16;

  private static final int MOST_BLOCKS = 1 << 10;

  /// Entries of a block; fewer are not worth the work on one.
  private static final long LEAST_ENTRIES = 1 << 16;

  private final int rows;
  private final int shift;

  /// The block of each range of `2^shift` rows.
  private final char[] blocks;

  /// The first row of each block, and the number of rows.
  private final int[] bounds;

  /// The first entry of each block, and the number of entries for which there is room.
  private final long[] begins;

  /// After the last entry of each block.
  private final long[] ends;

  /// @param rows of the matrix
  /// @param counts entries of each range of rows, at most
  RowBlocks(int rows, long[] counts) {
    this.rows = rows;
    shift = shift(rows);
    blocks = new char[counts.length];
    int[] firstRows = new int[MOST_BLOCKS + 1];
    long[] firstEntries = new long[MOST_BLOCKS + 1];
    long all = Arrays.stream(counts).sum();
    long enough = Math.max(LEAST_ENTRIES, all / (MOST_BLOCKS - 1) + 1);
    int block = 0;
    long entries = 0;
    for (int range = 0; range < counts.length; range++) {
      if (entries - firstEntries[block] >= enough) {
        block++;
        firstRows[block] = range << shift;
        firstEntries[block] = entries;
      }
      blocks[range] = (char) block;
      entries += counts[range];
    }
    firstRows[block + 1] = rows;
    firstEntries[block + 1] = all;
    bounds = Arrays.copyOf(firstRows, block + 2);
    begins = Arrays.copyOf(firstEntries, block + 2);
    ends = Arrays.copyOf(firstEntries, block + 1);
  }

  /// The shift of a row that gives the number of its range.
  static int shift(int rows) {
    return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(rows) - RANGE_BITS);
  }

  /// The number of ranges.
  static int ranges(int rows) {
    return (int) (((long) rows + (1L << shift(rows)) - 1) >> shift(rows));
  }

  /// Entries for which there is room.
  long room() {
    return begins[ends.length];
  }

  /// Bounds of ranges of rows, each of whole blocks, with about as many entries each.
  int[] owners(int count) {
    int[] owners = new int[count + 1];
    int block = 0;
    for (int i = 1; i < count; i++) {
      while (begins[block] < room() / count * i) {
        block++;
      }
      owners[i] = bounds[block];
    }
    owners[count] = rows;
    return owners;
  }

  /// {@return the place of one more entry of a row} Blocks are filled by one thread each.
  long next(int row) {
    return ends[blocks[row >> shift]]++;
  }

  /// Sorts the entries of each row and merges repeats.
  ///
  /// @param entries of each block from its beginning on, which become those that are left
  /// @param rowEnds receives, for each row, the entries of its block up to its end
  void merge(Entries entries, MemorySegment rowEnds) {
    IntStream.range(0, ends.length)
        .parallel()
        .forEach(block ->
            ends[block] =
                begins[block]
                    + entries.merge(
                        bounds[block], bounds[block + 1], begins[block], ends[block], rowEnds));
  }

  /// The row pointers after merging.
  ///
  /// @param rowEnds of [#merge]
  MemorySegment pointers(Arena arena, MemorySegment rowEnds) {
    MemorySegment pointers = arena.allocate((rows + 1L) * Long.BYTES, Long.BYTES);
    long before = 0;
    for (int block = 0; block < ends.length; block++) {
      for (int v = bounds[block]; v < bounds[block + 1]; v++) {
        pointers.setAtIndex(LONG, v + 1L, before + rowEnds.getAtIndex(LONG, v));
      }
      before += ends[block] - begins[block];
    }
    return pointers;
  }

  /// Copies what is left of all blocks.
  ///
  /// @param all columns or values, 4 bytes each
  MemorySegment copy(Arena arena, MemorySegment all) {
    long left = 0;
    for (int block = 0; block < ends.length; block++) {
      left += ends[block] - begins[block];
    }
    MemorySegment copy = arena.allocate(left * Integer.BYTES, DenseMatrix.ALIGNMENT);
    long at = 0;
    for (int block = 0; block < ends.length; block++) {
      long bytes = (ends[block] - begins[block]) * Integer.BYTES;
      MemorySegment.copy(all, begins[block] * Integer.BYTES, copy, at, bytes);
      at += bytes;
    }
    return copy;
  }
}
