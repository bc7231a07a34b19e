package dev.gossamer.graph.format;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.NpyHeader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/// The arrays of an `.npz` archive: a zip file of `.npy` members, stored or deflated. Checksums are
/// verified. Memory belongs to this object.
final class NpzFile implements AutoCloseable {
  /// The most bytes that one byte of deflated data can become.
  private static final long EXPANSION = 1032;

  private final Path file;
  private final ZipFile zip;
  private final long fileBytes;
  private final Arena arena;

  NpzFile(Path file) {
    this.file = file;
    try {
      fileBytes = Files.size(file);
      zip = new ZipFile(file.toFile());
      arena = Arena.ofShared();
    } catch (ZipException e) {
      throw new InvalidInputException(
          "%s: expected a zip archive, found damage: %s; the file may be truncated"
              .formatted(file, e.getMessage()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  boolean has(String name) {
    return zip.getEntry(name + ".npy") != null;
  }

  /// What messages call a member.
  String where(String name) {
    return "%s: %s.npy".formatted(file, name);
  }

  /// A member.
  ///
  /// @throws InvalidInputException if it is missing, damaged or of a type that is not read
  NpzArray read(String name) {
    ZipEntry entry = zip.getEntry(name + ".npy");
    if (entry == null) {
      throw new InvalidInputException(
          "%s: expected a member %s.npy, found %s"
              .formatted(
                  file,
                  name,
                  String.join(", ", zip.stream().limit(20).map(ZipEntry::getName).toList())));
    }
    CRC32 sum = new CRC32();
    try (InputStream in = new CheckedInputStream(zip.getInputStream(entry), sum)) {
      NpzArray array = array(where(name), entry, in);
      if (in.read() >= 0) {
        throw new InvalidInputException(
            "%s: expected the end of the member after %d elements, found more bytes"
                .formatted(where(name), array.size()));
      }
      if (sum.getValue() != entry.getCrc()) {
        throw new InvalidInputException(
            "%s: expected checksum %08x, found %08x; the file is damaged"
                .formatted(where(name), entry.getCrc(), sum.getValue()));
      }
      return array;
    } catch (EOFException | ZipException e) {
      throw new InvalidInputException(
          "%s: expected %d bytes of zip data, found damage: %s"
              .formatted(where(name), entry.getSize(), e.getMessage()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private NpzArray array(String where, ZipEntry entry, InputStream in) throws IOException {
    NpyHeader header = NpyHeader.read(where, in);
    int bytes = NpzArray.elementBytes(where, header);
    if (header.fortranOrder() && header.shape().size() > 1) {
      throw new InvalidInputException(
          "%s: header: expected C order (rows one after another), found Fortran order; rewrite with"
                  .formatted(where)
              + " np.ascontiguousarray(arr)");
    }
    long elements = header.elements(where);
    // The sizes in the archive are claims too.
    long packed = Math.min(entry.getCompressedSize(), fileBytes);
    long most = Math.min(entry.getSize(), EXPANSION * packed + EXPANSION);
    if (elements > (most - header.dataOffset()) / bytes) {
      throw new InvalidInputException(
          "%s: expected %d elements of %d bytes for shape %s, found %d bytes"
              .formatted(where, elements, bytes, header.shape(), most - header.dataOffset()));
    }
    MemorySegment data = arena.allocate(elements * bytes, Long.BYTES);
    byte[] piece = new byte[1 << 16];
    for (long at = 0; at < data.byteSize(); ) {
      int read = in.readNBytes(piece, 0, (int) Math.min(piece.length, data.byteSize() - at));
      if (read == 0) {
        throw new EOFException("%d of %d bytes".formatted(at, data.byteSize()));
      }
      MemorySegment.copy(piece, 0, data, ValueLayout.JAVA_BYTE, at, read);
      at += read;
    }
    return new NpzArray(where, header, data);
  }

  /// The member, if it is there.
  Optional<NpzArray> find(String name) {
    return has(name) ? Optional.of(read(name)) : Optional.empty();
  }

  @Override
  public void close() {
    arena.close();
    try {
      zip.close();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }
}
