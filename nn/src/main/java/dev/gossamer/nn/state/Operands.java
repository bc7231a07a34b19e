package dev.gossamer.nn.state;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;

/// Copies of whole matrices that products read instead of the masters, in one flat segment.
///
/// @param layout of the matrices that are copied
/// @param data `layout.count()` numbers of the format
record Operands(ParameterLayout layout, NumberFormat format, MemorySegment data) {
  /// All zeros.
  ///
  /// @param all parameters of the model
  /// @param copied which of them have a copy
  static Operands allocate(
      Arena arena,
      ParameterLayout all,
      NumberFormat format,
      Predicate<ParameterLayout.Entry> copied) {
    ParameterLayout layout = all.where(copied);
    long bytes = layout.count() * format.bytes();
    return new Operands(layout, format, arena.allocate(bytes, DenseMatrix.ALIGNMENT));
  }

  static long bytes(
      ParameterLayout all, NumberFormat format, Predicate<ParameterLayout.Entry> copied) {
    return all.where(copied).count() * format.bytes();
  }

  /// Updates the copy of a piece of a matrix.
  ///
  /// @param piece of [#layout]
  /// @param masters `float32`, the whole matrix
  void narrow(Piece piece, MemorySegment masters) {
    long to = piece.entry().offset() + piece.begin();
    format.narrow(
        ModelState.range(masters, piece.begin(), piece.end()),
        data.asSlice(to * format.bytes(), piece.count() * format.bytes()));
  }

  StoredMatrix matrix(ParameterLayout.Entry entry) {
    MemorySegment slice =
        data.asSlice(entry.offset() * format.bytes(), entry.count() * format.bytes());
    return new StoredMatrix(slice, entry.rows(), entry.cols(), format);
  }
}
