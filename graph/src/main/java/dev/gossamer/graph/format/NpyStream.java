package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the elements of an array one after another, in the order of the file, without holding the
/// array: 64 KiB of memory. Not thread-safe.
final class NpyStream implements AutoCloseable {
  private static final int BLOCK = 1 << 16;

  private final NpyArray.Layout layout;
  private final InputStream in;
  private final byte[] bytes;
  private NpyArray block;
  private @Nullable NpzFile owned;
  private long begin;
  private long next;

  private NpyStream(NpyArray.Layout layout, InputStream in) {
    this.layout = layout;
    this.in = in;
    int perBlock = Math.clamp(layout.size(), 1, Math.max(1, BLOCK / layout.elementBytes()));
    bytes = new byte[perBlock * layout.elementBytes()];
    block = new NpyArray(layout, MemorySegment.ofArray(new byte[0]));
  }

  /// Whether a file starts like a `.npy` file.
  static boolean isArray(Path file) {
    try (InputStream in = InputFile.of(file).stream()) {
      return new String(in.readNBytes(6), StandardCharsets.ISO_8859_1).equals("\u0093NUMPY");
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Opens a `.npy` file.
  ///
  /// @throws InvalidInputException if it cannot be read, or has elements of an unsupported type
  static NpyStream open(Path file) {
    InputFile input = InputFile.of(file);
    try {
      return of(file.toString(), new BufferedInputStream(input.stream()), input.size());
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Reads a header.
  ///
  /// @param where file and member, the start of messages
  /// @param in closed with the result, or at once if the header is refused
  /// @param most bytes that the stream can have, header included
  static NpyStream of(String where, InputStream in, long most) throws IOException {
    boolean opened = false;
    try {
      NpyArray.Layout layout = NpyArray.Layout.read(where, in, most);
      opened = true;
      return new NpyStream(layout, in);
    } finally {
      if (!opened) {
        in.close();
      }
    }
  }

  /// Lets this close an archive.
  NpyStream owning(NpzFile archive) {
    owned = archive;
    return this;
  }

  /// Name of the array in messages: file and member.
  String where() {
    return layout.where();
  }

  /// Type of the elements in numpy's notation.
  String type() {
    return layout.header().descr();
  }

  List<Long> shape() {
    return layout.header().shape();
  }

  long size() {
    return layout.size();
  }

  boolean isInteger() {
    return layout.kind().isInteger();
  }

  /// Whether elements are integers or floats.
  boolean isNumeric() {
    return !layout.kind().isText();
  }

  /// Whether elements come row by row.
  boolean rowsFirst() {
    return layout.rowsFirst();
  }

  /// Number of elements that were read or skipped.
  long position() {
    return next;
  }

  /// Reads an integer element; a boolean is 0 or 1.
  long nextInteger() {
    long at = advance();
    return block.integer(at);
  }

  /// Reads a float or integer element.
  double nextReal() {
    long at = advance();
    return block.real(at);
  }

  /// Reads an integer in `0..count-1`.
  ///
  /// @param what name of such an integer in the message
  int nextId(int count, String what) {
    long id = nextInteger();
    if (id < 0 || id >= count) {
      throw layout.wrong(
          "element " + (next - 1), "%s in 0..%d".formatted(what, count - 1), Long.toString(id));
    }
    return (int) id;
  }

  /// Reads a finite weight.
  float nextWeight() {
    double weight = nextReal();
    if (!Float.isFinite((float) weight)) {
      throw layout.wrong("element " + (next - 1), "a finite weight", Double.toString(weight));
    }
    return (float) weight;
  }

  /// Leaves out elements.
  void skip(long elements) {
    next += elements;
    long beyond = next - begin - block.size();
    if (beyond <= 0) {
      return;
    }
    try {
      in.skipNBytes(beyond * layout.elementBytes());
    } catch (IOException e) {
      throw ended(e);
    }
    begin = next;
    block = new NpyArray(layout, MemorySegment.ofArray(new byte[0]));
  }

  private long advance() {
    if (next == begin + block.size()) {
      fill();
    }
    return next++ - begin;
  }

  private void fill() {
    long left = (layout.size() - next) * layout.elementBytes();
    int wanted = (int) Math.min(bytes.length, left);
    if (wanted == 0) {
      throw new IllegalStateException(where() + ": expected no more elements to be asked for");
    }
    try {
      if (in.readNBytes(bytes, 0, wanted) < wanted) {
        throw layout.wrong(
            "element " + next, "%d elements".formatted(layout.size()), "the end of the data");
      }
    } catch (IOException e) {
      throw ended(e);
    }
    begin = next;
    block = new NpyArray(layout, MemorySegment.ofArray(bytes).asSlice(0, wanted));
  }

  private InvalidInputException ended(IOException e) {
    return new InvalidInputException(
        "%s: element %d: expected %d elements, found damage: %s"
            .formatted(where(), next, layout.size(), e.getMessage()),
        e);
  }

  InvalidInputException wrong(String place, String expected, String found) {
    return layout.wrong(place, expected, found);
  }

  /// Checks, after the last element, that nothing follows, and the checksum of an archive.
  void requireEnd() {
    try {
      if (in.read() >= 0) {
        throw layout.longer();
      }
    } catch (IOException e) {
      throw ended(e);
    }
  }

  @Override
  public void close() {
    try (NpzFile _ = owned) {
      in.close();
    } catch (IOException e) {
      throw new InvalidInputException("%s: cannot read: %s".formatted(where(), e.getMessage()), e);
    }
  }
}
