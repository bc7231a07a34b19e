package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.concat;
import static dev.gossamer.graph.format.SmallFiles.ints;

import java.nio.charset.StandardCharsets;

/// Writes pickles of protocol 2 as Python 2 with numpy and scipy wrote them.
final class Pickle {
  static final byte[] START = {(byte) 0x80, 2};
  static final byte[] STOP = {'.'};

  private Pickle() {}

  static byte[] global(String module, String name) {
    return ("c" + module + "\n" + name + "\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  static byte[] integer(int value) {
    return concat(new byte[] {'J'}, ints(value));
  }

  static byte[] string(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return concat(new byte[] {'U', (byte) bytes.length}, bytes);
  }

  static byte[] ops(String opcodes) {
    return opcodes.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] dtype(String type, String order) {
    return concat(
        global("numpy", "dtype"),
        string(type),
        integer(0),
        integer(1),
        ops("\u0087R("),
        integer(3),
        string(order),
        ops("NNN"),
        integer(-1),
        integer(-1),
        integer(0),
        ops("tb"));
  }

  static byte[] arrayBody(String type, String order, boolean fortran, byte[] data, int... shape) {
    byte[] sizes = new byte[0];
    for (int size : shape) {
      sizes = concat(sizes, integer(size));
    }
    return concat(
        global("numpy.core.multiarray", "_reconstruct"),
        global("numpy", "ndarray"),
        integer(0),
        ops("\u0085"),
        string("b"),
        ops("\u0087Rq\1(K\1("),
        sizes,
        ops("t"),
        dtype(type, order),
        ops(fortran ? "\u0088T" : "\u0089T"),
        ints(data.length),
        data,
        ops("tb"));
  }

  static byte[] array(String type, byte[] data, int... shape) {
    return concat(START, arrayBody(type, "<", false, data, shape), STOP);
  }

  static byte[] csr(int rows, int cols, byte[] pointers, byte[] columns, byte[] values) {
    return concat(
        START,
        global("scipy.sparse.csr", "csr_matrix"),
        ops(")\u0081}q\2("),
        string("_shape"),
        integer(rows),
        integer(cols),
        ops("\u0086"),
        string("maxprint"),
        ops("K2"),
        string("indptr"),
        arrayBody("i4", "<", false, pointers, pointers.length / 4),
        string("indices"),
        arrayBody("i4", "<", false, columns, columns.length / 4),
        string("data"),
        arrayBody("f4", "<", false, values, values.length / 4),
        ops("ub"),
        STOP);
  }

  static byte[] graph(int[][] neighbours) {
    byte[] body =
        concat(
            START,
            global("collections", "defaultdict"),
            global("__builtin__", "list"),
            ops("\u0085R("));
    for (int v = 0; v < neighbours.length; v++) {
      body = concat(body, integer(v), ops("]("));
      for (int u : neighbours[v]) {
        body = concat(body, integer(u));
      }
      body = concat(body, ops("e"));
    }
    return concat(body, ops("u"), STOP);
  }
}
