package dev.gossamer.matrix.format;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/// The format in which rows of float32 are sent between ranks, or stored: unchanged, or as bfloat16
/// in half the bytes. Arithmetic is float32 in both cases.
///
/// **Packed rows** are rows of this format one after the other without gaps, in off-heap memory.
/// All methods are local, and results do not depend on the number of threads. Packing and unpacking
/// in bfloat16 changes a number by at most `2^-8` of its absolute value (numbers below `2^-126` by
/// at most `2^-134`); repeating it has no effect.
public enum RowFormat {
  /// Four bytes per element, unchanged.
  FLOAT32(Float.BYTES),

  /// Two bytes per element: the upper half of a float32, rounded to the nearest, ties to even.
  /// Numbers above the maximum become infinite; infinities and NaN are preserved.
  BF16(Short.BYTES);

  private final int elementBytes;

  RowFormat(int elementBytes) {
    this.elementBytes = elementBytes;
  }

  /// {@return the bytes of one element}
  public int elementBytes() {
    return elementBytes;
  }

  /// {@return the bytes of packed rows}
  ///
  /// @param rows number of rows
  /// @param cols elements of a row
  public long bytes(long rows, int cols) {
    return DenseMatrix.bytes(rows, cols) / Float.BYTES * elementBytes;
  }

  /// {@return the columns of a float32 matrix whose rows have room for packed rows of `cols`
  /// elements, for planning buffers}
  ///
  /// @param cols elements of a row
  public int floats(int cols) {
    return Math.ceilDiv(cols * elementBytes, Float.BYTES);
  }

  /// Packs chosen rows: `to[i] = x[ids[i]]`.
  ///
  /// @param x source rows, `n x f`
  /// @param ids rows of `x`; duplicates are allowed
  /// @param to packed rows of `f`, one for each id, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if `to` has another size
  /// @throws IndexOutOfBoundsException if an id is not a row of `x`; `to` is then partly
  ///   overwritten
  public void pack(DenseMatrix x, int[] ids, MemorySegment to, Workers w) {
    pack(ColumnBlock.all(x), ids, to, w);
  }

  /// Packs chosen rows of a block of columns.
  ///
  /// @param x source rows, `n x f`
  /// @param ids rows of `x`; duplicates are allowed
  /// @param to packed rows of `f`, one for each id, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if `to` has another size
  /// @throws IndexOutOfBoundsException if an id is not a row of `x`; `to` is then partly
  ///   overwritten
  public void pack(ColumnBlock x, int[] ids, MemorySegment to, Workers w) {
    require("pack", to, ids.length, x.cols());
    switch (this) {
      case FLOAT32 ->
          RowGather.gather(
              x, MemorySegment.ofArray(ids), DenseMatrix.wrap(to, ids.length, x.cols()), w);
      case BF16 -> Bfloat16.pack(x, ids, to, w);
    }
  }

  /// Returns all rows of a matrix in packed form: its own memory if they already are, otherwise
  /// packed into `room`.
  ///
  /// @param x the rows
  /// @param room at least [#room] bytes, its beginning overwritten
  /// @param w threads that share the work
  /// @return borrowed from `x` or `room`
  /// @throws IndexOutOfBoundsException if the room is too small
  public MemorySegment packed(DenseMatrix x, MemorySegment room, Workers w) {
    return packed(ColumnBlock.all(x), room, w);
  }

  /// Returns all rows of a block of columns in packed form, in place only if it has all columns.
  ///
  /// @param x the rows
  /// @param room at least [#room] bytes, or [#bytes] of the block if it does not have all columns;
  ///   its beginning is overwritten
  /// @param w threads that share the work
  /// @return borrowed from the matrix or `room`
  /// @throws IndexOutOfBoundsException if the room is too small
  public MemorySegment packed(ColumnBlock x, MemorySegment room, Workers w) {
    if (this == FLOAT32 && x.isAll()) {
      return x.matrix().data();
    }
    MemorySegment to = room.asSlice(0, bytes(x.rows(), x.cols()));
    switch (this) {
      case FLOAT32 ->
          RowGather.copy(x, ColumnBlock.all(DenseMatrix.wrap(to, x.rows(), x.cols())), w);
      case BF16 -> Bfloat16.pack(x, to, w);
    }
    return to;
  }

  /// {@return the bytes that [#packed] needs in addition to the matrix}
  ///
  /// @param rows number of rows
  /// @param cols elements of a row
  public long room(long rows, int cols) {
    return switch (this) {
      case FLOAT32 -> 0;
      case BF16 -> bytes(rows, cols);
    };
  }

  /// Unpacks chosen rows to chosen positions: `y[to[i]] = from[ids[i]]`.
  ///
  /// @param from packed rows, as wide as `y`
  /// @param ids rows of `from`; duplicates are allowed
  /// @param y the rows `to` are overwritten
  /// @param to the same number of distinct rows of `y`
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if `from` does not have whole rows, or the numbers of ids
  ///   differ
  /// @throws IndexOutOfBoundsException if an id is not a row; `y` is then partly overwritten
  public void unpack(MemorySegment from, int[] ids, DenseMatrix y, int[] to, Workers w) {
    long rows = y.cols() == 0 ? 0 : from.byteSize() / bytes(1, y.cols());
    require("unpack", from, rows, y.cols());
    if (ids.length != to.length) {
      throw new IllegalArgumentException(
          "unpack: %d rows for %d places".formatted(ids.length, to.length));
    }
    switch (this) {
      case FLOAT32 -> RowGather.move(DenseMatrix.wrap(from, rows, y.cols()), ids, y, to, w);
      case BF16 -> Bfloat16.unpack(from, ids, y, to, w);
    }
  }

  /// Unpacks all rows, each to its position: `y[to[i]] = from[i]`.
  ///
  /// @param from packed rows, as wide as `y`, one for each element of `to`
  /// @param y the rows `to` are overwritten
  /// @param to distinct rows of `y`
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if `from` has another size
  /// @throws IndexOutOfBoundsException if an id is not a row of `y`; `y` is then partly overwritten
  public void unpack(MemorySegment from, DenseMatrix y, int[] to, Workers w) {
    require("unpack", from, to.length, y.cols());
    unpack(from, IntStream.range(0, to.length).toArray(), y, to, w);
  }

  /// Returns the memory for packed rows that [#unpackArrived] then unpacks into `y`: the end of the
  /// memory of `y`, so that no other memory is needed, or all of it if rows need no unpacking.
  ///
  /// @param y the future rows
  /// @return `bytes(rows, cols)` bytes, borrowed from `y`
  public MemorySegment arrival(DenseMatrix y) {
    long bytes = bytes(y.rows(), y.cols());
    return y.data().asSlice(y.data().byteSize() - bytes, bytes);
  }

  /// Unpacks in place the rows in [#arrival]: `y[i]` becomes the `i`-th of them.
  ///
  /// @param y overwritten
  /// @param w threads that share the work
  public void unpackArrived(DenseMatrix y, Workers w) {
    if (this == BF16) {
      Bfloat16.widenInPlace(y, w);
    }
  }

  /// Adds packed rows to chosen rows: `y[ids[i]] += from[i]`, for `i` ascending. A row of `y` sums
  /// its sources in their order, in float32.
  ///
  /// @param from packed rows, as wide as `y`, one for each id
  /// @param ids rows of `y`; duplicates add up
  /// @param y added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if `from` has another size
  /// @throws IndexOutOfBoundsException if an id is not a row of `y`; `y` is then partly updated
  public void scatterAdd(MemorySegment from, int[] ids, DenseMatrix y, Workers w) {
    require("scatter-add", from, ids.length, y.cols());
    switch (this) {
      case FLOAT32 -> RowGather.scatterAdd(DenseMatrix.wrap(from, ids.length, y.cols()), ids, y, w);
      case BF16 -> Bfloat16.scatterAdd(from, ids, y, w);
    }
  }

  private void require(String what, MemorySegment packed, long rows, int cols) {
    if (packed.byteSize() != bytes(rows, cols)) {
      throw new IllegalArgumentException(
          "%s: %d rows of %d elements in %s take %d bytes but the segment has %d"
              .formatted(what, rows, cols, this, bytes(rows, cols), packed.byteSize()));
    }
  }
}
