package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The sum of some rows of a sparse matrix, each with a weight: what one thread needs for one row
/// of a product after another.
///
/// The number of terms, an upper bound of the row's entries, decides what sums:
/// - up to [#LIST_TERMS], a list that is kept sorted;
/// - from a 64th of the columns on, a dense row and a bitmap of what it holds: reading the bitmap
///   costs no more than adding the terms did, and gives the columns in order;
/// - between the two, a hash table of at least twice the terms, whose columns are sorted at the
///   end.
final class SpgemmRow {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final int LIST_TERMS = 32;
  private static final int FREE = -1;

  private enum Kind {
    LIST,
    HASH,
    DENSE
  }

  private final CsrMatrix b;
  private final long columns;
  private final long values;
  private Kind kind = Kind.LIST;

  private int size;
  private int[] listed = new int[LIST_TERMS];
  private float[] listedSums = new float[LIST_TERMS];

  private int mask;
  private int shift;
  private int[] keys = {};
  private float[] hashed = {};

  private long[] bits = {};
  private float[] dense = {};

  /// @param b its column ids have been checked
  SpgemmRow(CsrMatrix b) {
    this.b = b;
    columns = Memory.address(b.columns(), 0, b.columns().byteSize());
    values = b.values() == null ? 0 : Memory.address(b.values(), 0, b.values().byteSize());
  }

  /// The finished rows of one task.
  static final class Output {
    private int size;
    private int[] columns = {};
    private float[] values = {};

    /// Begins again, in the same memory.
    Output cleared() {
      size = 0;
      return this;
    }

    private void reserve(long more) {
      long needed = size + more;
      if (needed > columns.length) {
        int capacity =
            Math.toIntExact(Math.max(needed, Math.min(columns.length * 3L / 2, 1 << 30)));
        columns = Arrays.copyOf(columns, capacity);
        values = Arrays.copyOf(values, capacity);
      }
    }

    private void put(int column, float value) {
      columns[size] = column;
      values[size++] = value;
    }

    /// Copies all entries into a matrix.
    ///
    /// @param at the entry where the first goes
    void copyTo(CsrMatrix c, long at) {
      MemorySegment.copy(columns, 0, c.columns(), INT, at * Integer.BYTES, size);
      if (c.values() != null) {
        MemorySegment.copy(values, 0, c.values(), FLOAT, at * Float.BYTES, size);
      }
    }
  }

  /// Starts a row.
  ///
  /// @param terms how many entries of `b` will be added
  void begin(long terms, Output output) {
    size = 0;
    if (terms <= LIST_TERMS) {
      kind = Kind.LIST;
    } else if (terms >= b.cols() / 64) {
      kind = Kind.DENSE;
      if (dense.length == 0) {
        dense = new float[b.cols()];
        bits = new long[(b.cols() + 63) / 64];
      }
    } else {
      kind = Kind.HASH;
      int slots = Integer.highestOneBit(2 * (int) terms - 1) * 2;
      mask = slots - 1;
      shift = Integer.numberOfLeadingZeros(slots) + 1;
      if (keys.length < slots) {
        keys = new int[slots];
        hashed = new float[slots];
      }
      Arrays.fill(keys, 0, slots, FREE);
    }
    output.reserve(Math.min(terms, b.cols()));
  }

  /// Adds a row of `b`.
  void add(int row, float weight) {
    long first = b.rowPointer(row);
    long last = b.rowPointer(row + 1L);
    switch (kind) {
      case LIST -> addToList(first, last, weight);
      case HASH -> addToHash(first, last, weight);
      case DENSE -> addToDense(first, last, weight);
    }
  }

  /// Writes the row's entries, columns ascending.
  ///
  /// @return how many
  int end(Output output) {
    int before = output.size;
    switch (kind) {
      case LIST -> {
        for (int k = 0; k < size; k++) {
          output.put(listed[k], listedSums[k]);
        }
      }
      case HASH -> {
        int first = output.size;
        for (int slot = 0; slot <= mask; slot++) {
          if (keys[slot] != FREE) {
            output.columns[output.size++] = keys[slot];
          }
        }
        Arrays.sort(output.columns, first, output.size);
        for (int k = first; k < output.size; k++) {
          output.values[k] = hashed[slot(output.columns[k])];
        }
      }
      case DENSE -> {
        for (int word = 0; word < bits.length; word++) {
          for (long left = bits[word]; left != 0; left &= left - 1) {
            int column = word * 64 + Long.numberOfTrailingZeros(left);
            output.put(column, dense[column]);
            dense[column] = 0;
          }
          bits[word] = 0;
        }
      }
    }
    return output.size - before;
  }

  private void addToList(long first, long last, float weight) {
    for (long e = first; e < last; e++) {
      int column = column(e);
      int at = size;
      while (at > 0 && listed[at - 1] > column) {
        at--;
      }
      if (at > 0 && listed[at - 1] == column) {
        listedSums[at - 1] += weight * value(e);
      } else {
        System.arraycopy(listed, at, listed, at + 1, size - at);
        System.arraycopy(listedSums, at, listedSums, at + 1, size - at);
        listed[at] = column;
        listedSums[at] = weight * value(e);
        size++;
      }
    }
  }

  private void addToHash(long first, long last, float weight) {
    for (long e = first; e < last; e++) {
      int column = column(e);
      int slot = slot(column);
      if (keys[slot] == FREE) {
        keys[slot] = column;
        hashed[slot] = weight * value(e);
      } else {
        hashed[slot] += weight * value(e);
      }
    }
  }

  private void addToDense(long first, long last, float weight) {
    float[] sums = dense;
    long[] held = bits;
    if (values == 0) {
      for (long e = first; e < last; e++) {
        int column = column(e);
        held[column >>> 6] |= 1L << column;
        sums[column] += weight;
      }
    } else {
      for (long e = first; e < last; e++) {
        int column = column(e);
        held[column >>> 6] |= 1L << column;
        sums[column] += weight * value(e);
      }
    }
  }

  /// The slot of a column, or the free one where it belongs.
  private int slot(int column) {
    int slot = (column * 0x9E3779B1) >>> shift;
    while (keys[slot] != FREE && keys[slot] != column) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private int column(long entry) {
    return Memory.ALL.get(INT, Memory.at(columns + entry * Integer.BYTES));
  }

  private float value(long entry) {
    return values == 0 ? 1f : Memory.ALL.get(FLOAT, Memory.at(values + entry * Float.BYTES));
  }
}
