package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A sparse matrix of an archive, in the arrays of scipy (`scipy.sparse.save_npz`): `shape`,
/// `data`, and `indptr` and `indices` (compressed rows or columns) or `row` and `col`
/// (coordinates).
///
/// @param npz the archive
/// @param prefix of the names of the arrays: `adj_`, or empty
record NpzMatrix(NpzFile npz, String prefix) {
  private static final List<String> FORMATS = List.of("csr", "csc", "coo");

  /// Names of all arrays that an archive of scipy may have.
  static final List<String> SCIPY =
      List.of("_is_array", "col", "data", "format", "indices", "indptr", "row", "shape");

  /// Name of an array in messages.
  String where(String array) {
    return npz.where(prefix + array);
  }

  /// The size of a dimension.
  ///
  /// @param index 0 or 1
  int dimension(int index) {
    NpyArray shape = npz.array(prefix + "shape").integers();
    if (shape.size() != 2) {
      throw shape.wrong("header", "two sizes", shape.shape().toString());
    }
    long size = shape.integer(index);
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw shape.wrong("element " + index, "a size in 0..2147483647", Long.toString(size));
    }
    return (int) size;
  }

  /// The number of vertices of a square matrix.
  int vertices() {
    int n = dimension(0);
    int cols = dimension(1);
    if (cols != n) {
      throw new InvalidInputException(
          "%s: expected a square matrix, found %d x %d".formatted(where("shape"), n, cols));
    }
    return DatasetDraft.size(where("shape"), "vertices", n, npz.bytes());
  }

  /// The pointers of compressed rows: `rows + 1`, ascending from 0 to the number of entries.
  NpyArray pointers(int rows) {
    NpyArray pointers = npz.array(prefix + "indptr").integers();
    if (pointers.size() != rows + 1L) {
      throw pointers.wrong(
          "header",
          "%d row pointers, as %sshape says".formatted(rows + 1L, prefix),
          Long.toString(pointers.size()));
    }
    long entries = entries("indices");
    long previous = 0;
    for (int i = 0; i <= rows; i++) {
      long pointer = pointers.integer(i);
      if (pointer < previous || pointer > entries || (i == 0 && pointer != 0)) {
        throw pointers.wrong(
            "element " + i,
            i == 0 ? "0" : "a row pointer in %d..%d".formatted(previous, entries),
            Long.toString(pointer));
      }
      previous = pointer;
    }
    if (previous != entries) {
      throw pointers.wrong(
          "element " + rows,
          "%d, as %sindices has elements".formatted(entries, prefix),
          Long.toString(previous));
    }
    return pointers;
  }

  private long entries(String array) {
    try (NpyStream ids = npz.stream(prefix + array)) {
      if (!ids.isInteger() || ids.shape().size() != 1) {
        throw ids.wrong("header", "integers of one dimension", ids.type() + " " + ids.shape());
      }
      return ids.size();
    }
  }

  /// The arcs of a matrix in compressed sparse rows.
  ///
  /// @param n from [#vertices]
  FileArcs rows(int n) {
    return compressed(n, false);
  }

  /// The arcs of a matrix whose array `format` says how it is stored: row = source.
  ///
  /// @param n from [#vertices]
  FileArcs arcs(int n) {
    NpyArray format = npz.array(prefix + "format");
    String name = format.isText() && format.size() == 1 ? format.text(0) : format.type();
    if (!FORMATS.contains(name)) {
      throw format.wrong(
          "content", "csr, csc or coo", "'" + name + "'; save the matrix as m.tocsr()");
    }
    return name.equals("coo") ? coordinates(n) : compressed(n, name.equals("csc"));
  }

  private FileArcs compressed(int n, boolean columns) {
    return FileArcs.compressed(pointers(n), array("indices"), columns, values());
  }

  private FileArcs coordinates(int n) {
    long size = entries("row");
    long cols = entries("col");
    if (cols != size) {
      throw new InvalidInputException(
          "%s: header: expected %d elements, as %srow has, found %d"
              .formatted(where("col"), size, prefix, cols));
    }
    return FileArcs.coordinates(n, size, array("row"), array("col"), values());
  }

  private Supplier<NpyStream> array(String name) {
    return () -> npz.stream(prefix + name);
  }

  private @Nullable Supplier<NpyStream> values() {
    return npz.has(prefix + "data") ? array("data") : null;
  }
}
