package dev.gossamer.matrix;

import dev.gossamer.base.VirtualMachine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A `rows x cols` matrix of float32, row-major without gaps, in off-heap memory.
///
/// The matrix borrows its memory: the owner of the [Arena] (or of the mapped file) closes it. Sizes
/// are 64-bit; `cols` fits an int because kernels keep rows in registers and caches. Reads from
/// many threads are safe; concurrent writes must be synchronised.
public final class DenseMatrix {
  static {
    VirtualMachine.require();
  }

  /// Bytes of one element.
  public static final int ELEMENT_BYTES = Float.BYTES;

  /// Alignment in bytes of the memory that [#allocate] returns: one cache line, one AVX-512 vector.
  public static final long ALIGNMENT = 64;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final MemorySegment data;
  private final long rows;
  private final int cols;

  private DenseMatrix(MemorySegment data, long rows, int cols) {
    this.data = data;
    this.rows = rows;
    this.cols = cols;
  }

  /// {@return a matrix of zeros}
  ///
  /// @param arena owner of the memory
  /// @param rows number of rows
  /// @param cols number of columns
  /// @throws IllegalArgumentException if a size is negative
  public static DenseMatrix allocate(Arena arena, long rows, int cols) {
    return new DenseMatrix(arena.allocate(bytes(rows, cols), ALIGNMENT), rows, cols);
  }

  /// {@return a matrix over borrowed memory}
  ///
  /// @param data exactly `4 rows cols` bytes, row-major
  /// @param rows number of rows
  /// @param cols number of columns
  /// @throws IllegalArgumentException if the segment has another size
  public static DenseMatrix wrap(MemorySegment data, long rows, int cols) {
    if (data.byteSize() != bytes(rows, cols)) {
      throw new IllegalArgumentException(
          "dense matrix: %d x %d float32 needs %d bytes but the segment has %d"
              .formatted(rows, cols, bytes(rows, cols), data.byteSize()));
    }
    return new DenseMatrix(data, rows, cols);
  }

  /// {@return a copy of a Java array of rows of equal length, for small matrices}
  ///
  /// @param arena owner of the memory
  /// @param values the rows
  public static DenseMatrix of(Arena arena, float[][] values) {
    DenseMatrix matrix = allocate(arena, values.length, values.length == 0 ? 0 : values[0].length);
    for (int i = 0; i < values.length; i++) {
      if (values[i].length != matrix.cols) {
        throw new IllegalArgumentException(
            "dense matrix: row 0 has %d columns but row %d has %d"
                .formatted(matrix.cols, i, values[i].length));
      }
      MemorySegment.copy(values[i], 0, matrix.data, FLOAT, matrix.offset(i), matrix.cols);
    }
    return matrix;
  }

  /// {@return the number of bytes of a matrix of this shape}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @throws IllegalArgumentException if a size is negative or the product overflows 64 bits
  public static long bytes(long rows, int cols) {
    if (rows < 0 || cols < 0) {
      throw new IllegalArgumentException(
          "dense matrix: negative shape %d x %d".formatted(rows, cols));
    }
    try {
      return Math.multiplyExact(rows, (long) cols * ELEMENT_BYTES);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "dense matrix: %d x %d overflows 64 bits".formatted(rows, cols), e);
    }
  }

  /// {@return the number of rows}
  public long rows() {
    return rows;
  }

  /// {@return the number of columns}
  public int cols() {
    return cols;
  }

  /// {@return the elements: `4 rows cols` bytes, row-major} Borrowed.
  public MemorySegment data() {
    return data;
  }

  /// {@return the byte offset of the first element of a row}
  ///
  /// @param row `0..rows-1`
  public long offset(long row) {
    return row * cols * ELEMENT_BYTES;
  }

  /// {@return one element}
  ///
  /// @param row `0..rows-1`
  /// @param col `0..cols-1`
  /// @throws IndexOutOfBoundsException if there is no such element
  public float get(long row, int col) {
    checkCell(row, col);
    return data.get(FLOAT, offset(row) + (long) col * ELEMENT_BYTES);
  }

  /// Sets one element.
  ///
  /// @param row `0..rows-1`
  /// @param col `0..cols-1`
  /// @param value the new value
  /// @throws IndexOutOfBoundsException if there is no such element
  public void set(long row, int col, float value) {
    checkCell(row, col);
    data.set(FLOAT, offset(row) + (long) col * ELEMENT_BYTES, value);
  }

  /// {@return the rows `begin` (inclusive) to `end` (exclusive) as a matrix over the same memory}
  ///
  /// @param begin first row
  /// @param end the row after the last
  public DenseMatrix rows(long begin, long end) {
    if (begin < 0 || begin > end || end > rows) {
      throw new IndexOutOfBoundsException(
          "rows %d..%d of a matrix of %d rows".formatted(begin, end, rows));
    }
    return new DenseMatrix(
        data.asSlice(offset(begin), bytes(end - begin, cols)), end - begin, cols);
  }

  /// {@return the first `rows * cols` elements of this matrix's memory as a matrix of another
  /// shape, so that one buffer can serve layers of different widths}
  ///
  /// @param newRows number of rows
  /// @param newCols number of columns
  /// @throws IllegalArgumentException if the shape needs more memory than this matrix has
  public DenseMatrix reshaped(long newRows, int newCols) {
    long needed = bytes(newRows, newCols);
    if (needed > data.byteSize()) {
      throw new IllegalArgumentException(
          "dense matrix: %d x %d needs %d bytes but the buffer has %d"
              .formatted(newRows, newCols, needed, data.byteSize()));
    }
    return new DenseMatrix(data.asSlice(0, needed), newRows, newCols);
  }

  /// Sets all elements.
  ///
  /// @param value of each element
  public void fill(float value) {
    if (value == 0f) {
      data.fill((byte) 0);
      return;
    }
    for (long i = 0; i < rows * cols; i++) {
      data.setAtIndex(FLOAT, i, value);
    }
  }

  /// Overwrites this matrix with the elements of another matrix.
  ///
  /// @param source of the same shape
  public void copyFrom(DenseMatrix source) {
    if (source.rows != rows || source.cols != cols) {
      throw new IllegalArgumentException(
          "copy: source is %s but target is %s".formatted(source, this));
    }
    data.copyFrom(source.data);
  }

  /// {@return whether all elements are finite} `O(rows cols)`.
  public boolean isFinite() {
    for (long at = 0; at < data.byteSize(); at += ELEMENT_BYTES) {
      if (!Float.isFinite(data.get(FLOAT, at))) {
        return false;
      }
    }
    return true;
  }

  /// {@return a Java copy, for small matrices}
  public float[][] toArray() {
    float[][] copy = new float[Math.toIntExact(rows)][cols];
    for (int i = 0; i < copy.length; i++) {
      MemorySegment.copy(data, FLOAT, offset(i), copy[i], 0, cols);
    }
    return copy;
  }

  /// Returns the shape, as shown in error messages: `2708 x 16`.
  @Override
  public String toString() {
    return rows + " x " + cols;
  }

  private void checkCell(long row, int col) {
    if (row < 0 || row >= rows || col < 0 || col >= cols) {
      throw new IndexOutOfBoundsException(
          "element (%d, %d) of a %s matrix".formatted(row, col, this));
    }
  }
}
