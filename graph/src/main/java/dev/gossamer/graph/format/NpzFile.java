package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.base.io.InputFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/// An `.npz` archive: a zip file of numpy arrays, stored or deflated. An array is read on request;
/// its memory belongs to this object. Checksums are verified, and sizes are checked before memory
/// is allocated: arrays may have 96 MiB plus 32 times the size of the archive. Not thread-safe.
///
/// ```java
/// try (NpzFile npz = NpzFile.open(Path.of("graph.npz"))) {
///   int[] labels = npz.array("labels").toInts();
/// }
/// ```
public final class NpzFile implements AutoCloseable {
  /// The most bytes that one byte of deflated data can become.
  private static final long EXPANSION = 1032;

  private static final String ENDING = ".npy";

  private final Path file;
  private final ZipFile zip;
  private final InputFile input;
  private final Arena arena = Arena.ofShared();
  private long unpacked;

  private NpzFile(InputFile input, ZipFile zip) {
    this.input = input;
    this.zip = zip;
    file = input.path();
  }

  /// Opens an archive and reads its directory.
  ///
  /// @param file a zip archive
  /// @return an archive to close
  /// @throws InvalidInputException if it cannot be read or is not a zip archive
  public static NpzFile open(Path file) {
    Objects.requireNonNull(file, "file");
    InputFile input = InputFile.of(file);
    try {
      return new NpzFile(input, new ZipFile(file.toFile()));
    } catch (ZipException e) {
      throw new InvalidInputException(
          "%s: expected a zip archive, found damage: %s; the file may be truncated"
              .formatted(file, e.getMessage()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// {@return the names of the arrays, without `.npy`, in the order of the archive}
  public List<String> names() {
    return zip.stream()
        .map(ZipEntry::getName)
        .filter(name -> name.endsWith(ENDING))
        .map(name -> name.substring(0, name.length() - ENDING.length()))
        .toList();
  }

  /// {@return whether there is an array of a name}
  ///
  /// @param name of the array, without `.npy`
  public boolean has(String name) {
    return zip.getEntry(name + ENDING) != null;
  }

  /// Checks that there are no arrays but these, so that nothing is dropped silently.
  ///
  /// @param known names of the arrays that are read
  /// @param skipped names of arrays that may be there
  void requireKnown(List<String> known, List<String> skipped) {
    for (String name : names()) {
      if (!known.contains(name) && !skipped.contains(name)) {
        throw new InvalidInputException(
            "%s: expected one of %s, found another; rename it or leave it out"
                .formatted(where(name), String.join(", ", known)));
      }
    }
  }

  /// Size of the archive.
  long bytes() {
    return input.size();
  }

  /// What messages call an array.
  String where(String name) {
    return "%s: %s%s".formatted(file, name, ENDING);
  }

  /// Reads an array.
  ///
  /// @param name without `.npy`
  /// @return an array that may be used until this archive is closed
  /// @throws InvalidInputException if there is none of this name, or it is damaged or of an
  ///   unsupported type
  public NpyArray array(String name) {
    ZipEntry entry = entry(name);
    long most = most(entry);
    if (most > input.mostUnpacked() - unpacked) {
      throw input.unpacksTooFar(where(name));
    }
    try (InputStream in = new Member(entry)) {
      NpyArray array = NpyArray.read(arena, where(name), in, most);
      unpacked += most;
      array.requireEnd(in);
      return array;
    } catch (EOFException | ZipException e) {
      throw damaged(entry, e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Opens an array for one pass over its elements, which needs no memory for them.
  ///
  /// @param name without `.npy`
  /// @return a stream to close before this archive
  /// @throws InvalidInputException as [#array]; damage is found by the pass
  NpyStream stream(String name) {
    ZipEntry entry = entry(name);
    long most = most(entry);
    if (most > input.mostUnpacked()) {
      throw input.unpacksTooFar(where(name));
    }
    try {
      return NpyStream.of(where(name), new Member(entry), most);
    } catch (EOFException | ZipException e) {
      throw damaged(entry, e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Opens an array of an archive for one pass; closing the stream closes the archive.
  ///
  /// @param file a zip archive
  /// @param name without `.npy`
  static NpyStream stream(Path file, String name) {
    return Resources.handedOver(open(file), npz -> npz.stream(name).owning(npz));
  }

  private ZipEntry entry(String name) {
    ZipEntry entry = zip.getEntry(name + ENDING);
    if (entry == null) {
      throw new InvalidInputException(
          "%s: expected a member %s.npy, found %s"
              .formatted(
                  file,
                  name,
                  String.join(", ", zip.stream().limit(20).map(ZipEntry::getName).toList())));
    }
    return entry;
  }

  /// The most bytes that a member can have: the sizes in the archive are claims too.
  private long most(ZipEntry entry) {
    long packed = Math.min(entry.getCompressedSize(), input.size());
    return Math.min(entry.getSize(), EXPANSION * packed + EXPANSION);
  }

  private InvalidInputException damaged(ZipEntry entry, IOException e) {
    return new InvalidInputException(
        "%s: %s: expected %d bytes of zip data, found damage: %s"
            .formatted(file, entry.getName(), entry.getSize(), e.getMessage()),
        e);
  }

  /// The bytes of a member, whose checksum is compared at the end.
  private final class Member extends CheckedInputStream {
    private final ZipEntry entry;

    Member(ZipEntry entry) throws IOException {
      super(zip.getInputStream(entry), new CRC32());
      this.entry = entry;
    }

    @Override
    public int read() throws IOException {
      int found = super.read();
      requireChecksum(found < 0);
      return found;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int found = super.read(target, offset, length);
      requireChecksum(found < 0);
      return found;
    }

    private void requireChecksum(boolean ended) {
      long found = getChecksum().getValue();
      if (ended && found != entry.getCrc()) {
        throw new InvalidInputException(
            "%s: %s: expected checksum %08x, found %08x; the file is damaged"
                .formatted(file, entry.getName(), entry.getCrc(), found));
      }
    }
  }

  /// Reads an array, if it exists.
  ///
  /// @param name of the array, without `.npy`
  /// @return the array, which may be used until this archive is closed
  /// @throws InvalidInputException if it is damaged or of an unsupported type
  public Optional<NpyArray> find(String name) {
    return has(name) ? Optional.of(array(name)) : Optional.empty();
  }

  /// Frees the memory of all arrays.
  @Override
  public void close() {
    try (zip) {
      arena.close();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }
}
