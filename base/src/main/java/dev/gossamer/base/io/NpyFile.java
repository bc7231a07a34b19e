package dev.gossamer.base.io;

import dev.gossamer.base.InvalidInputException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// Reads and writes arrays in numpy's `.npy` files: mapped for reading, written at once or in
/// pieces.
///
/// Row-major and little-endian only: the bytes of the file are the bytes of the array in memory.
public final class NpyFile {
  private static final int PIECE = 8 << 20;

  private NpyFile() {}

  /// An element type.
  public enum Type {
    /// int8.
    INT8("|i1", 1),
    /// int32.
    INT32("<i4", 4),
    /// int64.
    INT64("<i8", 8),
    /// float32.
    FLOAT32("<f4", 4),
    /// float64.
    FLOAT64("<f8", 8);

    private final String descr;
    private final int bytes;

    Type(String descr, int bytes) {
      this.descr = descr;
      this.bytes = bytes;
    }

    /// {@return the type in numpy's notation}
    public String descr() {
      return descr;
    }

    /// {@return the bytes of one element}
    public int bytes() {
      return bytes;
    }
  }

  /// An array in mapped memory, borrowed from the arena of the mapping.
  ///
  /// @param shape size of each dimension
  /// @param data the elements, row-major
  public record Array(List<Long> shape, MemorySegment data) {
    /// Copies the shape.
    public Array {
      shape = List.copyOf(shape);
    }
  }

  /// Reads the header only.
  ///
  /// @param file the file
  /// @return the header
  /// @throws InvalidInputException if the file cannot be read or is not a `.npy` file
  public static NpyHeader header(Path file) {
    try (InputStream in = new BufferedInputStream(InputFile.of(file).stream(), 4096)) {
      return NpyHeader.read(file.toString(), in);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Maps an array read-only. Pages are read from disk on access. If another program truncates the
  /// file, accessing the missing part is an [InternalError].
  ///
  /// @param arena lifetime of the mapping
  /// @param file the file
  /// @param type of the elements
  /// @param pattern size of each dimension, or [NpyHeader#ANY]
  /// @return the array, borrowed from the arena
  /// @throws InvalidInputException if the file cannot be read, is damaged, or has another type,
  ///   order, shape or length
  public static Array map(Arena arena, Path file, Type type, long... pattern) {
    NpyHeader header = header(file);
    header.expect(file.toString(), type, pattern);
    header.expectRowMajor(file.toString());
    long elements = header.elements(file.toString());
    try (FileChannel channel = InputFile.of(file).channel()) {
      long present = channel.size() - header.dataOffset();
      if (elements > present / type.bytes() || elements * type.bytes() != present) {
        throw new InvalidInputException(
            "%s: data: expected %d elements of %d bytes for shape %s, found %d bytes%s"
                .formatted(
                    file,
                    elements,
                    type.bytes(),
                    NpyHeader.tuple(header.shape()),
                    present,
                    elements > present / type.bytes() ? "; the file is truncated" : ""));
      }
      MemorySegment data =
          present == 0
              ? arena.allocate(0, 64)
              : channel.map(FileChannel.MapMode.READ_ONLY, header.dataOffset(), present, arena);
      return new Array(header.shape(), data);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Writes a whole array.
  ///
  /// @param file created or replaced
  /// @param type of the elements
  /// @param data the elements, row-major
  /// @param shape size of each dimension
  /// @throws IOException if the file cannot be written, for example because the disk is full
  public static void write(Path file, Type type, MemorySegment data, long... shape)
      throws IOException {
    try (Writer writer = writer(file, type, shape)) {
      writer.append(data);
    }
  }

  /// Starts an array that is written piece by piece.
  ///
  /// @param file created or replaced
  /// @param type of the elements
  /// @param shape size of each dimension; the first may be [NpyHeader#ANY] and is then computed
  ///   from the appended data
  /// @return a writer, to be closed
  /// @throws IOException if the file cannot be written
  public static Writer writer(Path file, Type type, long... shape) throws IOException {
    return new Writer(file, type, shape);
  }

  /// Writes all bytes of a segment by ordinary writes, so that a full disk causes an [IOException]
  /// instead of a fault in mapped memory.
  ///
  /// @param channel to write to
  /// @param data to write
  /// @throws IOException if the channel cannot be written
  public static void writeFully(WritableByteChannel channel, MemorySegment data)
      throws IOException {
    // Only memory outside the Java heap and byte arrays can be seen as a byte buffer.
    MemorySegment stage =
        data.isNative()
            ? MemorySegment.NULL
            : MemorySegment.ofArray(new byte[(int) Math.min(PIECE, data.byteSize())]);
    for (long at = 0; at < data.byteSize(); at += PIECE) {
      MemorySegment piece = data.asSlice(at, Math.min(PIECE, data.byteSize() - at));
      if (!data.isNative()) {
        piece = stage.asSlice(0, piece.byteSize()).copyFrom(piece);
      }
      ByteBuffer bytes = piece.asByteBuffer();
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /// An array under construction. Not thread-safe.
  public static final class Writer implements AutoCloseable {
    private final FileChannel channel;
    private final Type type;
    private final List<Long> shape = new ArrayList<>();
    private final int headerBytes;
    private long appended;

    private Writer(Path file, Type type, long... shape) throws IOException {
      this.type = type;
      for (long size : shape) {
        this.shape.add(size);
      }
      boolean open = shape.length > 0 && shape[0] == NpyHeader.ANY;
      // Room for the longest first size that may be filled in later.
      byte[] header = NpyHeader.encode(type.descr(), this.shape, open ? 192 : 0);
      headerBytes = header.length;
      channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      try {
        writeFully(channel, MemorySegment.ofArray(header));
      } catch (Throwable e) {
        channel.close();
        throw e;
      }
    }

    /// Appends elements.
    ///
    /// @param data row-major
    /// @throws IOException if the file cannot be written
    public void append(MemorySegment data) throws IOException {
      writeFully(channel, data);
      appended += data.byteSize();
    }

    /// Completes the header and closes the file.
    ///
    /// @throws IllegalStateException if more or fewer elements were appended than the shape has
    @Override
    public void close() throws IOException {
      try (channel) {
        long row = type.bytes();
        for (int i = 1; i < shape.size(); i++) {
          row *= shape.get(i);
        }
        if (!shape.isEmpty() && shape.getFirst() == NpyHeader.ANY && row > 0) {
          shape.set(0, appended / row);
          byte[] header = NpyHeader.encode(type.descr(), shape, headerBytes);
          channel.position(0);
          writeFully(channel, MemorySegment.ofArray(header));
        }
        long expected = shape.isEmpty() ? row : row * shape.getFirst();
        if (appended != expected) {
          throw new IllegalStateException(
              "npy: shape %s needs %d bytes but %d were appended"
                  .formatted(NpyHeader.tuple(shape), expected, appended));
        }
      }
    }
  }
}
