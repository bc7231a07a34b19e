package dev.gossamer.matrix;

import dev.gossamer.base.VirtualMachine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A sparse `rows x cols` matrix in compressed sparse rows: `diag(r) * S * diag(c)`.
///
/// `S` is given by 64-bit row pointers, 32-bit column ids and, optionally, float32 values; without
/// values each stored entry is 1, so that a graph's pattern takes 4 bytes per edge. The optional
/// vectors `r` (row scale) and `c` (column scale) express a normalisation such as `D^-1/2 A D^-1/2`
/// or the mean over neighbours without a value per edge.
///
/// Column ids in a row should be ascending: [#find] and [#isSymmetric] need it, kernels do not.
/// Duplicates count twice. The memory is borrowed from its owner and may be a mapped file.
/// Immutable by convention and safe to read from many threads.
public final class CsrMatrix {
  static {
    VirtualMachine.require();
  }

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Number of column ids that are read at a time: reading them from an array is twice as fast.
  private static final int CHUNK = 4096;

  private final long rows;
  private final int cols;
  private final MemorySegment rowPointers;
  private final MemorySegment columns;
  private final @Nullable MemorySegment values;
  private final @Nullable MemorySegment rowScale;
  private final @Nullable MemorySegment columnScale;

  /// Null until they are asked for.
  private volatile @Nullable RowLengths rowLengths;

  private CsrMatrix(
      long rows,
      int cols,
      MemorySegment rowPointers,
      MemorySegment columns,
      @Nullable MemorySegment values,
      @Nullable MemorySegment rowScale,
      @Nullable MemorySegment columnScale) {
    this.rows = rows;
    this.cols = cols;
    this.rowPointers = rowPointers;
    this.columns = columns;
    this.values = values;
    this.rowScale = rowScale;
    this.columnScale = columnScale;
  }

  /// {@return a matrix over borrowed memory} Only the sizes are checked; [#validate] checks the
  /// contents.
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param rowPointers int64[rows + 1], the first 0, ascending
  /// @param columns int32[nnz], each in `0..cols-1`
  /// @param values float32[nnz], or null for a pattern of ones
  /// @throws IllegalArgumentException if the size of a segment does not match its count
  public static CsrMatrix wrap(
      long rows,
      int cols,
      MemorySegment rowPointers,
      MemorySegment columns,
      @Nullable MemorySegment values) {
    require("row pointers", rowPointers, (rows + 1) * Long.BYTES);
    long nnz = rowPointers.get(LONG, rows * Long.BYTES);
    require("columns", columns, nnz * Integer.BYTES);
    if (values != null) {
      require("values", values, nnz * Float.BYTES);
    }
    return new CsrMatrix(rows, cols, rowPointers, columns, values, null, null);
  }

  /// {@return a copy of Java arrays in off-heap memory}
  ///
  /// @param arena owner of the memory
  /// @param cols number of columns
  /// @param rowPointers as in [#wrap]
  /// @param columns as in [#wrap]
  /// @param values as in [#wrap]
  public static CsrMatrix of(
      Arena arena, int cols, long[] rowPointers, int[] columns, float @Nullable [] values) {
    return wrap(
        rowPointers.length - 1,
        cols,
        arena.allocateFrom(ValueLayout.JAVA_LONG, rowPointers),
        arena.allocateFrom(ValueLayout.JAVA_INT, columns),
        values == null ? null : arena.allocateFrom(ValueLayout.JAVA_FLOAT, values));
  }

  /// {@return the number of bytes of a matrix of this shape without scales}
  ///
  /// @param rows number of rows
  /// @param nnz number of stored entries
  /// @param withValues whether they have values
  public static long bytes(long rows, long nnz, boolean withValues) {
    return (rows + 1) * Long.BYTES
        + nnz * (withValues ? Integer.BYTES + Float.BYTES : Integer.BYTES);
  }

  /// {@return the number of rows}
  public long rows() {
    return rows;
  }

  /// {@return the number of columns}
  public int cols() {
    return cols;
  }

  /// {@return the number of stored entries}
  public long nnz() {
    return rowPointer(rows);
  }

  /// {@return the row pointers, `int64[rows + 1]`} Borrowed.
  public MemorySegment rowPointers() {
    return rowPointers;
  }

  /// {@return the column of each entry, `int32[nnz]`} Borrowed.
  public MemorySegment columns() {
    return columns;
  }

  /// {@return the value of each entry, `float32[nnz]`, or null for a pattern of ones} Borrowed.
  public @Nullable MemorySegment values() {
    return values;
  }

  /// {@return the memory of the stored entries: row pointers, columns and, if present, values}
  /// Borrowed.
  public List<MemorySegment> segments() {
    return values == null ? List.of(rowPointers, columns) : List.of(rowPointers, columns, values);
  }

  /// {@return the scale of each row, `float32[rows]`, or null for all ones} Borrowed.
  public @Nullable MemorySegment rowScale() {
    return rowScale;
  }

  /// {@return the scale of each column, `float32[cols]`, or null for all ones} Borrowed.
  public @Nullable MemorySegment columnScale() {
    return columnScale;
  }

  /// {@return the index of the first entry of a row; `rowPointer(rows())` is [#nnz]}
  ///
  /// @param row `0..rows`
  public long rowPointer(long row) {
    return rowPointers.get(LONG, row * Long.BYTES);
  }

  /// {@return the number of stored entries of a row}
  ///
  /// @param row `0..rows-1`
  public long rowLength(long row) {
    return rowPointer(row + 1) - rowPointer(row);
  }

  /// {@return the row that a stored entry is in} Cost: `O(log rows)`.
  ///
  /// @param entry `0..nnz-1`
  public long rowOf(long entry) {
    long low = 0;
    long high = rows;
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (rowPointer(middle) <= entry) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// {@return the column of a stored entry}
  ///
  /// @param entry `0..nnz-1`
  public int column(long entry) {
    return columns.get(INT, entry * Integer.BYTES);
  }

  /// {@return the value of a stored entry without the scales; 1 in a pattern}
  ///
  /// @param entry `0..nnz-1`
  public float value(long entry) {
    return values == null ? 1f : values.get(FLOAT, entry * Float.BYTES);
  }

  /// {@return the scale of a row; 1 without scales}
  ///
  /// @param row `0..rows-1`
  public float rowScale(long row) {
    return scaleAt(rowScale, row);
  }

  /// {@return the scale of a column; 1 without scales}
  ///
  /// @param column `0..cols-1`
  public float columnScale(int column) {
    return scaleAt(columnScale, column);
  }

  /// {@return the index of the entry of a row in a column, or `-(insertion point) - 1`} Needs
  /// ascending columns; cost `O(log(row length))`.
  ///
  /// @param row `0..rows-1`
  /// @param column `0..cols-1`
  public long find(long row, int column) {
    long low = rowPointer(row);
    long end = rowPointer(row + 1);
    for (long high = end; low < high; ) {
      long middle = (low + high) >>> 1;
      if (column(middle) < column) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end && column(low) == column ? low : -low - 1;
  }

  /// {@return the rows `begin` to `end - 1`, over the same memory except for the row pointers}
  ///
  /// @param arena owner of the row pointers
  /// @param begin first row
  /// @param end the row after the last
  public CsrMatrix rows(Arena arena, long begin, long end) {
    long first = rowPointer(begin);
    long bytes = (rowPointer(end) - first) * Integer.BYTES;
    MemorySegment pointers = arena.allocate((end - begin + 1) * Long.BYTES, Long.BYTES);
    for (long i = begin; i <= end; i++) {
      pointers.set(LONG, (i - begin) * Long.BYTES, rowPointer(i) - first);
    }
    return new CsrMatrix(
        end - begin,
        cols,
        pointers,
        columns.asSlice(first * Integer.BYTES, bytes),
        values == null ? null : values.asSlice(first * Float.BYTES, bytes),
        rowScale == null
            ? null
            : rowScale.asSlice(begin * Float.BYTES, (end - begin) * Float.BYTES),
        columnScale);
  }

  /// {@return the distribution of row lengths} Cost: one pass over the row pointers on first use.
  public RowLengths rowLengths() {
    // Two threads may both count, and find the same.
    RowLengths known = rowLengths;
    if (known == null) {
      int[] lengths = new int[Math.toIntExact(rows)];
      Arrays.setAll(lengths, i -> Math.toIntExact(rowLength(i)));
      known = new RowLengths(lengths);
      rowLengths = known;
    }
    return known;
  }

  /// {@return a copy of selected rows, without scales}
  ///
  /// @param arena owner of the copies
  /// @param selected rows in the order of the result
  public CsrMatrix selected(Arena arena, int[] selected) {
    MemorySegment pointers = arena.allocate((selected.length + 1L) * Long.BYTES, Long.BYTES);
    long nnz = 0;
    for (int i = 0; i < selected.length; i++) {
      nnz += rowLength(selected[i]);
      pointers.set(LONG, (i + 1L) * Long.BYTES, nnz);
    }
    MemorySegment toColumns = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment toValues =
        values == null ? null : arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int i = 0; i < selected.length; i++) {
      long from = rowPointer(selected[i]) * Integer.BYTES;
      long to = pointers.get(LONG, (long) i * Long.BYTES) * Integer.BYTES;
      long bytes = rowLength(selected[i]) * Integer.BYTES;
      MemorySegment.copy(columns, from, toColumns, to, bytes);
      if (values != null && toValues != null) {
        MemorySegment.copy(values, from, toValues, to, bytes);
      }
    }
    return wrap(selected.length, cols, pointers, toColumns, toValues);
  }

  /// {@return a matrix with the same entries and other scales}
  ///
  /// @param row float32[rows], or null for ones
  /// @param column float32[cols], or null for ones
  public CsrMatrix withScales(@Nullable MemorySegment row, @Nullable MemorySegment column) {
    if (row != null) {
      require("row scale", row, rows * Float.BYTES);
    }
    if (column != null) {
      require("column scale", column, (long) cols * Float.BYTES);
    }
    return new CsrMatrix(rows, cols, rowPointers, columns, values, row, column);
  }

  /// {@return a matrix with the same pattern and other values}
  ///
  /// @param newValues float32[nnz], or null for ones
  public CsrMatrix withValues(@Nullable MemorySegment newValues) {
    if (newValues != null) {
      require("values", newValues, nnz() * Float.BYTES);
    }
    return new CsrMatrix(rows, cols, rowPointers, columns, newValues, rowScale, columnScale);
  }

  /// {@return the transpose, with column ids ascending, in new memory} Cost: two passes over the
  /// entries.
  ///
  /// @param arena owner of the new memory
  /// @throws IllegalArgumentException if there are more than `2^31 - 1` rows, which cannot become
  ///   column ids
  public CsrMatrix transpose(Arena arena) {
    if (rows > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "transpose: %d rows do not fit 32-bit column ids".formatted(rows));
    }
    long nnz = nnz();
    MemorySegment pointers = arena.allocate((cols + 1L) * Long.BYTES, Long.BYTES);
    MemorySegment targets = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment targetValues =
        values == null ? null : arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT);
    long[] next = new long[cols];
    int[] ids = new int[(int) Math.min(nnz, CHUNK)];
    for (long from = 0; from < nnz; from += CHUNK) {
      int count = read(from, ids);
      for (int k = 0; k < count; k++) {
        next[ids[k]]++;
      }
    }
    long sum = 0;
    for (int j = 0; j < cols; j++) {
      long count = next[j];
      next[j] = sum;
      sum += count;
      pointers.set(LONG, (j + 1L) * Long.BYTES, sum);
    }
    int i = -1;
    long end = 0;
    for (long from = 0; from < nnz; from += CHUNK) {
      int count = read(from, ids);
      for (int k = 0; k < count; k++) {
        while (from + k == end) {
          i++;
          end = rowPointer(i + 1L);
        }
        long target = next[ids[k]]++;
        targets.set(INT, target * Integer.BYTES, i);
        if (targetValues != null) {
          targetValues.set(FLOAT, target * Float.BYTES, value(from + k));
        }
      }
    }
    return new CsrMatrix(cols, (int) rows, pointers, targets, targetValues, columnScale, rowScale);
  }

  /// Checks that row pointers ascend from 0 and that every column id is in range.
  ///
  /// @return null if the matrix is valid, otherwise what is wrong and where, as the end of an error
  ///   message
  public @Nullable String validate() {
    if (rowPointer(0) != 0) {
      return "row pointer 0: expected 0, found " + rowPointer(0);
    }
    for (long i = 0; i < rows; i++) {
      if (rowPointer(i + 1) < rowPointer(i)) {
        return "row pointer %d: expected at least %d, found %d"
            .formatted(i + 1, rowPointer(i), rowPointer(i + 1));
      }
    }
    long nnz = nnz();
    int[] ids = new int[(int) Math.min(nnz, CHUNK)];
    for (long from = 0; from < nnz; from += CHUNK) {
      int count = read(from, ids);
      int signs = 0;
      for (int k = 0; k < count; k++) {
        signs |= ids[k] | (cols - 1 - ids[k]);
      }
      for (int k = 0; signs < 0 && k < count; k++) {
        if (ids[k] < 0 || ids[k] >= cols) {
          return "column id %d: expected 0..%d, found %d".formatted(from + k, cols - 1, ids[k]);
        }
      }
    }
    return null;
  }

  /// Copies column ids from a position on, up to the end or the capacity of the array.
  private int read(long from, int[] ids) {
    int count = (int) Math.min(ids.length, nnz() - from);
    MemorySegment.copy(columns, INT, from * Integer.BYTES, ids, 0, count);
    return count;
  }

  /// {@return a dense Java copy with the scales applied, for small matrices}
  public float[][] toDense() {
    float[][] dense = new float[Math.toIntExact(rows)][cols];
    for (int i = 0; i < dense.length; i++) {
      for (long e = rowPointer(i); e < rowPointer(i + 1); e++) {
        dense[i][column(e)] += value(e) * rowScale(i) * columnScale(column(e));
      }
    }
    return dense;
  }

  /// Returns shape and number of entries, as shown in error messages: `2708 x 2708 with 10556
  /// entries`.
  @Override
  public String toString() {
    return rows + " x " + cols + " with " + nnz() + " entries";
  }

  /// {@return the column ids of a row as a Java copy, for small rows and tests}
  ///
  /// @param row `0..rows-1`
  public int[] rowColumns(long row) {
    int[] copy = new int[Math.toIntExact(rowLength(row))];
    MemorySegment.copy(columns, INT, rowPointer(row) * Integer.BYTES, copy, 0, copy.length);
    return copy;
  }

  /// {@return whether the column ids of every row strictly ascend: sorted and without duplicates}
  public boolean isCanonical() {
    for (long i = 0; i < rows; i++) {
      int[] row = rowColumns(i);
      for (int k = 1; k < row.length; k++) {
        if (row[k - 1] >= row[k]) {
          return false;
        }
      }
    }
    return true;
  }

  /// {@return whether `S = S^T`} Needs canonical rows; cost `O(nnz)`.
  public boolean isSymmetric() {
    if (rows != cols) {
      return false;
    }
    // Rows come in ascending order, and so must the columns of each row.
    long[] next = new long[cols];
    for (int i = 0; i < rows; i++) {
      next[i] = rowPointer(i);
    }
    for (int i = 0; i < rows; i++) {
      for (long e = rowPointer(i); e < rowPointer(i + 1L); e++) {
        int j = column(e);
        long mirror = next[j]++;
        if (mirror == rowPointer(j + 1L) || column(mirror) != i || value(mirror) != value(e)) {
          return false;
        }
      }
    }
    return true;
  }

  private static float scaleAt(@Nullable MemorySegment scale, long index) {
    return scale == null ? 1f : scale.get(FLOAT, index * Float.BYTES);
  }

  private static void require(String what, MemorySegment segment, long bytes) {
    if (segment.byteSize() != bytes) {
      throw new IllegalArgumentException(
          "csr matrix: %s need %d bytes but the segment has %d"
              .formatted(what, bytes, segment.byteSize()));
    }
  }
}
