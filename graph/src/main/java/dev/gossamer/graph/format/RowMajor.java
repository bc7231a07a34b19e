package dev.gossamer.graph.format;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// Reorders the elements of an array in Fortran order, whose first index varies fastest, into C
/// order, whose last one does.
final class RowMajor {
  private RowMajor() {}

  /// Copies an array. Cost: one element at a time.
  ///
  /// @param columnsFirst elements in Fortran order
  /// @param rowsFirst overwritten with the elements in C order, of the same size
  /// @param shape size of each dimension
  /// @param bytes of an element
  static void copy(
      MemorySegment columnsFirst, MemorySegment rowsFirst, List<Long> shape, int bytes) {
    int dimensions = shape.size();
    long[] sizes = shape.stream().mapToLong(Long::longValue).toArray();
    long[] strides = new long[dimensions];
    long stride = bytes;
    for (int d = 0; d < dimensions; d++) {
      strides[d] = stride;
      stride *= sizes[d];
    }
    long[] index = new long[dimensions];
    long from = 0;
    for (long to = 0; to < rowsFirst.byteSize(); to += bytes) {
      MemorySegment.copy(columnsFirst, from, rowsFirst, to, bytes);
      int d = dimensions - 1;
      while (d >= 0 && ++index[d] == sizes[d]) {
        from -= (sizes[d] - 1) * strides[d];
        index[d--] = 0;
      }
      from += d < 0 ? 0 : strides[d];
    }
  }
}
