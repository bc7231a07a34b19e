package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.base.io.NpyHeader;
import dev.gossamer.matrix.DenseMatrix;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// An array of a `.npy` file or of a member of an `.npz` archive, in memory: integers, booleans,
/// floats or text of any width, little-endian. Elements are numbered row by row (the last index
/// varies fastest), for any order in the file.
///
/// Numbers are converted as they are read, so that callers need not distinguish `int32` and
/// `int64`. The memory belongs to the arena or [NpzFile] of the array, and may be read from any
/// thread if that is shared.
public final class NpyArray {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  /// What elements are.
  enum Kind {
    INT8(1),
    UINT8(1),
    INT16(2),
    UINT16(2),
    INT32(4),
    UINT32(4),
    INT64(8),
    UINT64(8),
    FLOAT16(2),
    FLOAT32(4),
    FLOAT64(8),
    /// One byte per character.
    BYTES(1),
    /// UTF-32.
    TEXT(4);

    private final int bytes;

    Kind(int bytes) {
      this.bytes = bytes;
    }

    boolean isInteger() {
      return compareTo(UINT64) <= 0;
    }

    boolean isText() {
      return this == BYTES || this == TEXT;
    }
  }

  /// An array before its elements are read.
  ///
  /// @param where name of the array in messages: file and member
  /// @param elementBytes bytes of an element
  /// @param size number of elements
  record Layout(String where, NpyHeader header, Kind kind, int elementBytes, long size) {
    /// Reads the header.
    ///
    /// @param most bytes that the stream can have, header included: sizes in a header are claims
    static Layout read(String where, InputStream in, long most) throws IOException {
      NpyHeader header = NpyHeader.read(where, in);
      Kind kind = NpyArray.kind(where, header);
      int bytes = NpyArray.elementBytes(header, kind);
      long elements = header.elements(where);
      if (elements > (most - header.dataOffset()) / bytes) {
        throw new InvalidInputException(
            "%s: expected %d elements of %d bytes for shape %s, found %d bytes"
                .formatted(where, elements, bytes, header.shape(), most - header.dataOffset()));
      }
      return new Layout(where, header, kind, bytes, elements);
    }

    /// Whether elements are stored row by row.
    boolean rowsFirst() {
      return !header.fortranOrder() || header.shape().size() < 2;
    }

    long bytes() {
      return size * elementBytes;
    }

    /// The exception for bytes after the last element.
    InvalidInputException longer() {
      return new InvalidInputException(
          "%s: expected the end of the member after %d elements, found more bytes"
              .formatted(where, size));
    }

    InvalidInputException wrong(String place, String expected, String found) {
      return new InvalidInputException(
          "%s: %s: expected %s, found %s".formatted(where, place, expected, found));
    }
  }

  private final Layout layout;
  private final Kind kind;
  private final MemorySegment data;
  private final long size;

  /// @param data elements row by row, perhaps only some of them
  NpyArray(Layout layout, MemorySegment data) {
    this.layout = layout;
    this.data = data;
    kind = layout.kind();
    size = data.byteSize() / layout.elementBytes();
  }

  /// Reads a `.npy` file.
  ///
  /// @param arena owner of the elements
  /// @param file a `.npy` file
  /// @return the array, in the memory of the arena
  /// @throws InvalidInputException if the file cannot be read, is damaged, or has elements of an
  ///   unsupported type
  public static NpyArray read(Arena arena, Path file) {
    Objects.requireNonNull(arena, "arena");
    InputFile input = InputFile.of(file);
    try (InputStream in = new BufferedInputStream(input.stream())) {
      NpyArray array = read(arena, file.toString(), in, input.size());
      array.requireEnd(in);
      return array;
    } catch (EOFException e) {
      throw new InvalidInputException(
          "%s: expected more elements, found the end after %s".formatted(file, e.getMessage()), e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Reads header and elements.
  ///
  /// @param where file and member, the start of messages
  /// @param most bytes that the stream can have, header included: sizes in a header are claims
  static NpyArray read(Arena arena, String where, InputStream in, long most) throws IOException {
    Layout layout = Layout.read(where, in, most);
    if (layout.rowsFirst()) {
      return new NpyArray(layout, elements(arena, in, layout.bytes()));
    }
    try (Arena temporary = Arena.ofConfined()) {
      MemorySegment stored = elements(temporary, in, layout.bytes());
      MemorySegment data = arena.allocate(stored.byteSize(), DenseMatrix.ALIGNMENT);
      RowMajor.copy(stored, data, layout.header().shape(), layout.elementBytes());
      return new NpyArray(layout, data);
    }
  }

  private static MemorySegment elements(Arena arena, InputStream in, long bytes)
      throws IOException {
    MemorySegment data = arena.allocate(bytes, DenseMatrix.ALIGNMENT);
    byte[] piece = new byte[1 << 16];
    for (long at = 0; at < data.byteSize(); ) {
      int read = in.readNBytes(piece, 0, (int) Math.min(piece.length, data.byteSize() - at));
      if (read == 0) {
        throw new EOFException("%d of %d bytes".formatted(at, data.byteSize()));
      }
      MemorySegment.copy(piece, 0, data, BYTE, at, read);
      at += read;
    }
    return data;
  }

  void requireEnd(InputStream in) throws IOException {
    if (in.read() >= 0) {
      throw layout.longer();
    }
  }

  private static Kind kind(String where, NpyHeader header) {
    String descr = header.descr();
    return switch (descr) {
      case "|b1", "|i1" -> Kind.INT8;
      case "|u1" -> Kind.UINT8;
      case "<i2" -> Kind.INT16;
      case "<u2" -> Kind.UINT16;
      case "<i4" -> Kind.INT32;
      case "<u4" -> Kind.UINT32;
      case "<i8" -> Kind.INT64;
      case "<u8" -> Kind.UINT64;
      case "<f2" -> Kind.FLOAT16;
      case "<f4" -> Kind.FLOAT32;
      case "<f8" -> Kind.FLOAT64;
      default -> {
        if (descr.matches("(<U|\\|S)[1-9][0-9]{0,6}")) {
          yield descr.startsWith("<U") ? Kind.TEXT : Kind.BYTES;
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

  private static int elementBytes(NpyHeader header, Kind kind) {
    return kind.isText() ? kind.bytes * Integer.parseInt(header.descr().substring(2)) : kind.bytes;
  }

  /// {@return the name of the array in messages: file and member}
  public String where() {
    return layout.where();
  }

  /// {@return the type in numpy's notation: `<i4`, `|b1`, `<U7`}
  public String type() {
    return layout.header().descr();
  }

  /// {@return the size of each dimension; empty for a single value}
  public List<Long> shape() {
    return layout.header().shape();
  }

  /// The elements, row by row.
  MemorySegment data() {
    return data;
  }

  /// {@return the number of elements}
  public long size() {
    return size;
  }

  /// {@return whether elements are integers or booleans}
  public boolean isInteger() {
    return kind.isInteger();
  }

  /// {@return whether elements are text}
  public boolean isText() {
    return kind.isText();
  }

  /// {@return an integer element; a boolean is 0 or 1}
  ///
  /// @param i element in `0..size() - 1`
  /// @throws IndexOutOfBoundsException if there is no such element
  /// @throws IllegalStateException if elements are not integers
  public long integer(long i) {
    Objects.checkIndex(i, size);
    return switch (kind) {
      case INT8 -> data.get(BYTE, i);
      case UINT8 -> data.get(BYTE, i) & 0xff;
      case INT16 -> data.get(SHORT, i * 2);
      case UINT16 -> data.get(SHORT, i * 2) & 0xffff;
      case INT32 -> data.get(INT, i * 4);
      case UINT32 -> data.get(INT, i * 4) & 0xffffffffL;
      case INT64 -> data.get(LONG, i * 8);
      case UINT64 -> {
        // What 63 bits cannot hold is out of every range.
        long value = data.get(LONG, i * 8);
        yield value < 0 ? Long.MAX_VALUE : value;
      }
      case FLOAT16, FLOAT32, FLOAT64, BYTES, TEXT -> throw unlike("integers");
    };
  }

  /// {@return a float or integer element}
  ///
  /// @param i element in `0..size() - 1`
  /// @throws IndexOutOfBoundsException if there is no such element
  /// @throws IllegalStateException if elements are not numbers
  public double real(long i) {
    Objects.checkIndex(i, size);
    return switch (kind) {
      case FLOAT16 -> Float.float16ToFloat(data.get(SHORT, i * 2));
      case FLOAT32 -> data.get(FLOAT, i * 4);
      case FLOAT64 -> data.get(DOUBLE, i * 8);
      case BYTES, TEXT -> throw unlike("numbers");
      case INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64 -> integer(i);
    };
  }

  /// {@return a text element}
  ///
  /// @param i element in `0..size() - 1`
  /// @throws IndexOutOfBoundsException if there is no such element
  /// @throws IllegalStateException if elements are not text
  /// @throws InvalidInputException if it is not valid text
  public String text(long i) {
    Objects.checkIndex(i, size);
    if (!kind.isText()) {
      throw unlike("texts");
    }
    int bytes = layout.elementBytes();
    StringBuilder text = new StringBuilder();
    for (long at = i * bytes; at < (i + 1) * bytes; at += kind.bytes) {
      int point = kind == Kind.BYTES ? data.get(BYTE, at) & 0xff : data.get(INT, at);
      if (!Character.isValidCodePoint(point)) {
        throw wrong("element " + i, "text", "code point " + point);
      }
      text.appendCodePoint(point);
    }
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == 0) {
      end--;
    }
    return text.substring(0, end);
  }

  /// {@return all elements as `int`}
  ///
  /// @throws InvalidInputException if elements are not integers, one does not fit, or there are too
  ///   many for an array
  public int[] toInts() {
    requireKind("integers", isInteger());
    int[] values = new int[length()];
    for (int i = 0; i < values.length; i++) {
      long value = integer(i);
      values[i] = (int) value;
      if (values[i] != value) {
        throw wrong("element " + i, "an integer of 32 bits", Long.toString(value));
      }
    }
    return values;
  }

  /// {@return all elements as `float`, rounded}
  ///
  /// @throws InvalidInputException if elements are not numbers, or there are too many for an array
  public float[] toFloats() {
    requireKind("numbers", !isText());
    float[] values = new float[length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) real(i);
    }
    return values;
  }

  /// {@return all elements of an array of text}
  ///
  /// @throws InvalidInputException if it does not have one dimension
  public List<String> texts() {
    if (!isText() || shape().size() != 1) {
      throw wrong("header", "text of one dimension '<U...'", type() + " " + shape());
    }
    List<String> texts = new ArrayList<>();
    for (long i = 0; i < size; i++) {
      texts.add(text(i));
    }
    return texts;
  }

  private int length() {
    if (size > Integer.MAX_VALUE - 16) {
      throw wrong("header", "fewer than 2^31 elements for a Java array", Long.toString(size));
    }
    return (int) size;
  }

  private void requireKind(String expected, boolean holds) {
    if (!holds) {
      throw wrong("header", expected, type());
    }
  }

  private IllegalStateException unlike(String expected) {
    return new IllegalStateException(
        "%s: expected %s, found %s".formatted(where(), expected, type()));
  }

  /// Checks that these are integers of one dimension.
  NpyArray integers() {
    if (!isInteger() || shape().size() != 1) {
      throw wrong("header", "integers of one dimension", type() + " " + shape());
    }
    return this;
  }

  InvalidInputException wrong(String place, String expected, String found) {
    return layout.wrong(place, expected, found);
  }
}
