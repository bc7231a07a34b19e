package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// The bytes of a file: mapped, or gunzipped if its first two bytes are the magic number of gzip.
final class InputBytes {
  private static final int BUFFER = 1 << 16;

  private InputBytes() {}

  /// @param arena owner of the memory
  /// @return the content of the file, read-only
  /// @throws InvalidInputException if it cannot be read, or is damaged gzip data
  static MemorySegment of(Arena arena, Path file) {
    InputFile input = InputFile.of(file);
    try {
      return isPacked(input) ? unpacked(arena, input) : mapped(arena, input);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Returns the first bytes of a file's content, at most `count`.
  static byte[] head(Path file, int count) {
    try (InputStream in = stream(InputFile.of(file))) {
      return in.readNBytes(count);
    } catch (EOFException | ZipException e) {
      throw damaged(file, 0, e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static boolean isPacked(InputFile file) throws IOException {
    try (InputStream in = file.stream()) {
      return in.read() == 0x1f && in.read() == 0x8b;
    }
  }

  private static InputStream stream(InputFile file) throws IOException {
    boolean packed = isPacked(file);
    InputStream raw = file.stream();
    try {
      return packed ? new GZIPInputStream(raw, BUFFER) : raw;
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  private static MemorySegment mapped(Arena arena, InputFile file) throws IOException {
    try (FileChannel channel = file.channel()) {
      return file.size() == 0
          ? MemorySegment.NULL
          : channel.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena);
    }
  }

  /// Unpacks twice, first to learn the size: the alternative is to hold the content twice.
  private static MemorySegment unpacked(Arena arena, InputFile file) throws IOException {
    long size = unpack(file, MemorySegment.NULL);
    MemorySegment bytes = arena.allocate(size);
    unpack(file, bytes);
    return bytes.asReadOnly();
  }

  /// @param to what receives as many bytes as it has room for
  /// @return bytes in all
  private static long unpack(InputFile file, MemorySegment to) throws IOException {
    long done = 0;
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = stream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        long room = Math.min(read, to.byteSize() - done);
        if (room > 0) {
          MemorySegment.copy(MemorySegment.ofArray(buffer), 0, to, done, room);
        }
        done += read;
        if (done > file.mostUnpacked()) {
          throw file.unpacksTooFar(file.path().toString());
        }
      }
    } catch (EOFException | ZipException e) {
      throw damaged(file.path(), done, e);
    }
    return done;
  }

  private static InvalidInputException damaged(Path file, long after, IOException cause) {
    return new InvalidInputException(
        "%s: expected whole gzip data, found it %s after %d unpacked bytes; download the file again"
            .formatted(file, cause instanceof EOFException ? "truncated" : "damaged", after),
        cause);
  }
}
