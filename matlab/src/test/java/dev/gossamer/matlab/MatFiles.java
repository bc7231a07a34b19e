package dev.gossamer.matlab;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.DeflaterOutputStream;

/// MATLAB files made by hand, byte by byte.
public final class MatFiles {
  static final int[] PATH = {1, 0, 2, 1};

  static final double[][] LOCAL_INFO = {
    {1, 1, 200, 0, 7, 2005, 3}, {1, 2, 100, 0, 7, 2006, 3}, {2, 0, 200, 0, 7, 2005, 4}
  };

  private MatFiles() {}

  /// Writes a path of three vertices.
  ///
  /// @param file to write
  /// @return the same
  public static Path write(Path file) {
    try {
      return Files.write(file, mat("A", PATH, LOCAL_INFO));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A file with the sparse matrix `name`, which has the edges 0-1 and 1-2, and `local_info`.
  static byte[] mat(String name, int[] rowIds, double[][] info, boolean compressed) {
    byte[] text = Arrays.copyOf("MATLAB 5.0 MAT-file, made by hand".getBytes(UTF_8), 124);
    byte[] a =
        concat(
            element(6, ints(5, 4)),
            element(5, ints(3, 3)),
            element(1, name.getBytes(UTF_8)),
            element(5, ints(rowIds)),
            element(5, ints(0, 1, 3, 4)),
            element(9, doubles(1, 1, 1, 1)));
    double[] columnMajor = new double[info.length * info[0].length];
    for (int i = 0; i < columnMajor.length; i++) {
      columnMajor[i] = info[i % info.length][i / info.length];
    }
    byte[] local =
        concat(
            element(6, ints(6, 0)),
            element(5, ints(info.length, info[0].length)),
            element(1, "local_info".getBytes(UTF_8)),
            element(9, doubles(columnMajor)));
    return concat(
        text,
        new byte[] {0, 1, 'I', 'M'},
        top(element(14, a), compressed),
        top(element(14, local), compressed));
  }

  static byte[] mat(String name, int[] rowIds, double[][] info) {
    return mat(name, rowIds, info, false);
  }

  private static byte[] top(byte[] element, boolean compressed) {
    if (!compressed) {
      return element;
    }
    byte[] packed = deflated(element);
    return concat(ints(15, packed.length), packed);
  }

  static byte[] deflated(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return packed.toByteArray();
  }

  static byte[] element(int type, byte[] data) {
    return concat(ints(type, data.length), data, new byte[(8 - data.length % 8) % 8]);
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  static byte[] ints(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(values).forEach(buffer::putInt);
    return buffer.array();
  }

  private static byte[] doubles(double... values) {
    ByteBuffer buffer = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(values).forEach(buffer::putDouble);
    return buffer.array();
  }
}
