package dev.gossamer.base.io;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The header of numpy's `.npy` format, versions 1.0, 2.0 and 3.0: the bytes `\x93NUMPY`, two
/// version bytes, the header's length (2 bytes in 1.0, else 4, little-endian) and a Python
/// dictionary `{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }` padded with blanks.
///
/// Specification: `numpy.lib.format`. Structured types are not supported.
///
/// @param descr element type in numpy's notation: `<i4`, `|b1`, `<U7`
/// @param fortranOrder whether the first index varies fastest
/// @param shape size of each dimension; empty for a single value
/// @param dataOffset bytes before the first element
public record NpyHeader(String descr, boolean fortranOrder, List<Long> shape, long dataOffset) {
  /// In a shape pattern: any size.
  public static final long ANY = -1;

  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int LONGEST = 1 << 20;

  /// As many as numpy has.
  private static final int MOST_DIMENSIONS = 64;

  private static final Pattern DESCR = Pattern.compile("['\"]descr['\"]\\s*:\\s*(['\"])(.*?)\\1");
  private static final Pattern ORDER =
      Pattern.compile("['\"]fortran_order['\"]\\s*:\\s*(True|False)");
  private static final Pattern SHAPE =
      Pattern.compile("['\"]shape['\"]\\s*:\\s*\\(([0-9L,\\s]*)\\)");

  /// Copies the shape.
  public NpyHeader {
    shape = List.copyOf(shape);
  }

  /// Reads a header and leaves the stream at the first element.
  ///
  /// @param where name of the file in messages
  /// @param in stream at its beginning
  /// @return the header
  /// @throws InvalidInputException if this is not a `.npy` header
  /// @throws IOException if the stream cannot be read
  public static NpyHeader read(String where, InputStream in) throws IOException {
    byte[] start = in.readNBytes(8);
    for (int i = 0; i < MAGIC.length; i++) {
      if (i >= start.length || start[i] != MAGIC[i]) {
        throw new InvalidInputException(
            "%s: byte %d: expected the magic bytes \\x93NUMPY of a .npy file, found %s"
                .formatted(where, i, i < start.length ? "0x%02x".formatted(start[i]) : "the end"));
      }
    }
    int version = start.length < 8 ? 0 : start[6];
    if (version < 1 || version > 3) {
      throw new InvalidInputException(
          "%s: byte 6: expected .npy version 1, 2 or 3, found %d".formatted(where, version));
    }
    int lengthBytes = version == 1 ? 2 : 4;
    long length = littleEndian(where, in.readNBytes(lengthBytes), lengthBytes);
    if (length < 0 || length > LONGEST) {
      throw new InvalidInputException(
          "%s: byte 8: expected a header of at most %d bytes, found %d"
              .formatted(where, LONGEST, length));
    }
    byte[] text = in.readNBytes((int) length);
    if (text.length < length) {
      throw new InvalidInputException(
          "%s: header: expected %d bytes, found %d; the file is truncated"
              .formatted(where, length, text.length));
    }
    return parse(where, new String(text, StandardCharsets.UTF_8), 8 + lengthBytes + length);
  }

  private static long littleEndian(String where, byte[] bytes, int expected) {
    if (bytes.length < expected) {
      throw new InvalidInputException(
          "%s: byte 8: expected the header's length, found the end of the file".formatted(where));
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return expected == 2 ? Short.toUnsignedLong(buffer.getShort()) : buffer.getInt() & 0xffffffffL;
  }

  private static NpyHeader parse(String where, String text, long dataOffset) {
    String dictionary = text.strip();
    Matcher descr = DESCR.matcher(dictionary);
    Matcher order = ORDER.matcher(dictionary);
    Matcher shape = SHAPE.matcher(dictionary);
    if (!dictionary.startsWith("{")
        || !dictionary.endsWith("}")
        || !descr.find()
        || !order.find()
        || !shape.find()) {
      throw new InvalidInputException(
          "%s: header: expected {'descr': ..., 'fortran_order': ..., 'shape': (...), }, found %s"
              .formatted(where, shortened(dictionary)));
    }
    return new NpyHeader(
        descr.group(2), order.group(1).equals("True"), sizes(where, shape.group(1)), dataOffset);
  }

  private static List<Long> sizes(String where, String tuple) {
    List<Long> sizes = new ArrayList<>();
    for (String size : tuple.replace("L", "").split(",", -1)) {
      if (size.isBlank()) {
        continue;
      }
      if (sizes.size() == MOST_DIMENSIONS) {
        throw new InvalidInputException(
            "%s: header: expected at most %d dimensions in 'shape', found more"
                .formatted(where, MOST_DIMENSIONS));
      }
      try {
        sizes.add(Long.parseLong(size.strip()));
      } catch (NumberFormatException e) {
        throw new InvalidInputException(
            "%s: header: expected 64-bit sizes in 'shape', found (%s)"
                .formatted(where, shortened(tuple)),
            e);
      }
    }
    return sizes;
  }

  private static String shortened(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }

  /// {@return the number of elements of the array}
  ///
  /// @param where name of the file in the message
  /// @throws InvalidInputException if the product of the sizes overflows 64 bits
  public long elements(String where) {
    long product = 1;
    for (long size : shape) {
      long high = Math.multiplyHigh(product, size);
      product *= size;
      if (high != 0 || product < 0) {
        throw new InvalidInputException(
            "%s: header: expected fewer than 2^63 elements, found shape %s"
                .formatted(where, tuple(shape)));
      }
    }
    return product;
  }

  /// Checks element type and shape.
  ///
  /// @param where name of the file in messages
  /// @param type of the elements
  /// @param pattern size of each dimension, or [#ANY]
  /// @throws InvalidInputException if one of them differs
  public void expect(String where, NpyFile.Type type, long... pattern) {
    if (!descr.equals(type.descr())) {
      throw new InvalidInputException(
          "%s: header: expected %s'%s', found '%s'; rewrite with arr.astype('%s')"
              .formatted(
                  where,
                  type.bytes() > 1 ? "little-endian " : "",
                  type.descr(),
                  descr,
                  type.descr()));
    }
    boolean fits = shape.size() == pattern.length;
    for (int i = 0; fits && i < pattern.length; i++) {
      fits = pattern[i] == ANY || pattern[i] == shape.get(i);
    }
    if (!fits) {
      throw new InvalidInputException(
          "%s: header: expected shape %s, found %s"
              .formatted(where, tuple(patternOf(pattern)), tuple(shape)));
    }
  }

  /// Checks that rows follow one another.
  ///
  /// @param where name of the file in the message
  /// @throws InvalidInputException if the array is in Fortran order
  void expectRowMajor(String where) {
    // One dimension has no order, and numpy may say either of it.
    if (fortranOrder && shape.size() > 1) {
      throw new InvalidInputException(
          "%s: header: expected C order (rows one after another), found Fortran order; rewrite with"
                  .formatted(where)
              + " np.ascontiguousarray(arr)");
    }
  }

  private static List<Long> patternOf(long[] pattern) {
    List<Long> sizes = new ArrayList<>();
    for (long size : pattern) {
      sizes.add(size);
    }
    return sizes;
  }

  /// A shape as numpy prints it, with `*` for any size: `(2708, *)`, `(5,)`.
  static String tuple(List<Long> shape) {
    return shape.stream()
        .map(size -> size == ANY ? "*" : Long.toString(size))
        .collect(Collectors.joining(", ", "(", shape.size() == 1 ? ",)" : ")"));
  }

  /// A version 1.0 header for a row-major array, padded so that the data starts at a multiple of 64
  /// bytes and at least `atLeast` bytes in.
  static byte[] encode(String descr, List<Long> shape, int atLeast) {
    String dictionary =
        String.format(
            Locale.ROOT,
            "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
            descr,
            tuple(shape));
    int unpadded = MAGIC.length + 4 + dictionary.length() + 1;
    int total = Math.max(atLeast, (unpadded + 63) / 64 * 64);
    ByteBuffer header = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) (total - MAGIC.length - 4));
    header.put(dictionary.getBytes(StandardCharsets.US_ASCII));
    while (header.remaining() > 1) {
      header.put((byte) ' ');
    }
    return header.put((byte) '\n').array();
  }
}
