package dev.gossamer.graph.format;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.NpyHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// An array of integers, truth values, floats or text in memory, whatever numpy's type of it.
///
/// @param where file and member, the start of messages
/// @param data the elements, row-major, little-endian; borrowed
record NpzArray(String where, NpyHeader header, MemorySegment data) {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  /// Bytes of an element.
  ///
  /// @throws InvalidInputException if the type is not one that is read here
  static int elementBytes(String where, NpyHeader header) {
    String descr = header.descr();
    return switch (descr) {
      case "|b1", "|i1", "|u1" -> 1;
      case "<i2", "<u2" -> 2;
      case "<i4", "<u4", "<f4" -> 4;
      case "<i8", "<f8" -> 8;
      default -> {
        if (descr.matches("<U[1-9][0-9]{0,6}")) {
          yield 4 * Integer.parseInt(descr.substring(2));
        }
        throw new InvalidInputException(
            "%s: header: expected integers, floats or text, little-endian, found '%s'%s"
                .formatted(
                    where,
                    descr,
                    descr.startsWith(">")
                        ? "; rewrite with arr.astype('<%s')".formatted(descr.substring(1))
                        : ""));
      }
    };
  }

  long size() {
    return header.elements(where);
  }

  List<Long> shape() {
    return header.shape();
  }

  boolean isInteger() {
    return "biu".indexOf(header.descr().charAt(1)) >= 0;
  }

  long integer(long i) {
    return switch (header.descr()) {
      case "|b1", "|i1" -> data.get(ValueLayout.JAVA_BYTE, i);
      case "|u1" -> data.get(ValueLayout.JAVA_BYTE, i) & 0xff;
      case "<i2" -> data.get(SHORT, i * 2);
      case "<u2" -> data.get(SHORT, i * 2) & 0xffff;
      case "<i4" -> data.get(INT, i * 4);
      case "<u4" -> data.get(INT, i * 4) & 0xffffffffL;
      case "<i8" -> data.get(LONG, i * 8);
      default -> throw new IllegalStateException("not integers: " + header.descr());
    };
  }

  float real(long i) {
    return switch (header.descr()) {
      case "<f4" -> data.get(FLOAT, i * 4);
      case "<f8" -> (float) data.get(DOUBLE, i * 8);
      default -> integer(i);
    };
  }

  /// The elements of an array of text.
  List<String> texts() {
    if (header.descr().charAt(1) != 'U' || shape().size() != 1) {
      throw wrong("header", "text of one dimension '<U...'", header.descr() + " " + shape());
    }
    long length = Integer.parseInt(header.descr().substring(2));
    List<String> texts = new ArrayList<>();
    for (long i = 0; i < size(); i++) {
      StringBuilder text = new StringBuilder();
      for (long k = 0; k < length; k++) {
        int point = data.get(INT, (i * length + k) * 4);
        if (!Character.isValidCodePoint(point)) {
          throw wrong("element " + i, "text", "code point " + point);
        }
        text.appendCodePoint(point);
      }
      int end = text.length();
      while (end > 0 && text.charAt(end - 1) == 0) {
        end--;
      }
      texts.add(text.substring(0, end));
    }
    return texts;
  }

  /// Checks that these are integers of one dimension.
  NpzArray integers() {
    if (!isInteger() || shape().size() != 1) {
      throw wrong("header", "integers of one dimension", header.descr() + " " + shape());
    }
    return this;
  }

  InvalidInputException wrong(String place, String expected, String found) {
    return new InvalidInputException(
        "%s: %s: expected %s, found %s".formatted(where, place, expected, found));
  }
}
