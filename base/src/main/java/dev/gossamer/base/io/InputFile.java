package dev.gossamer.base.io;

import dev.gossamer.base.InvalidInputException;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.Supplier;

/// An input file: a regular file, whose size is known before it is read. All input is opened here,
/// so that the program never waits for a pipe without a writer and never reads an endless device.
///
/// Reads at most the size that the file had when it was opened. Immutable.
///
/// @param path the file
/// @param size of the file in bytes
public record InputFile(Path path, long size) {
  private static final long UNPACKED = 96L << 20;
  private static final long UNPACKED_PER_BYTE = 32;

  /// Checks the size.
  public InputFile {
    Objects.requireNonNull(path, "path");
    if (size < 0) {
      throw new IllegalArgumentException("size: expected at least 0, found " + size);
    }
  }

  /// Checks a file without opening it.
  ///
  /// @param path of the file; links are followed
  /// @return the file
  /// @throws InvalidInputException if it does not exist, or is a folder, a pipe, a socket or a
  ///   device
  public static InputFile of(Path path) {
    try {
      BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
      if (found.isRegularFile()) {
        return new InputFile(path, found.size());
      }
      throw new InvalidInputException(
          "%s: expected a regular file, found %s"
              .formatted(
                  path,
                  found.isDirectory()
                      ? "a folder"
                      : "a pipe, socket or device; write its content to a file first"));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  /// Runs a reader, and adds the path to the message of an [OutOfMemoryError].
  ///
  /// @param <T> type of the result
  /// @param path of the input
  /// @param reader reads it
  /// @return the result of the reader
  /// @throws OutOfMemoryError naming the path
  public static <T> T reading(Path path, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (OutOfMemoryError e) {
      OutOfMemoryError named =
          new OutOfMemoryError("while reading %s: %s".formatted(path, e.getMessage()));
      named.initCause(e);
      throw named;
    }
  }

  /// {@return the maximum unpacked size of the file in bytes: 96 MiB plus 32 times its size}.
  /// Deflated text and arrays stay far below this limit.
  public long mostUnpacked() {
    return UNPACKED + UNPACKED_PER_BYTE * Math.min(size, Long.MAX_VALUE / UNPACKED_PER_BYTE / 2);
  }

  /// {@return the exception for a file that unpacks to more than [#mostUnpacked]}
  ///
  /// @param where file and, in an archive, member
  public InvalidInputException unpacksTooFar(String where) {
    return new InvalidInputException(
        "%s: expected at most %d unpacked bytes in a file of %d, found more; store it unpacked"
            .formatted(where, mostUnpacked(), size));
  }

  /// {@return an unbuffered stream of the file, to be closed}
  ///
  /// @throws IOException if it cannot be opened
  public InputStream stream() throws IOException {
    return new Bounded(Files.newInputStream(path), size);
  }

  /// {@return a reader of the file as UTF-8 text, to be closed}. Invalid UTF-8 throws a
  /// [CharacterCodingException] when it is read.
  ///
  /// @throws IOException if it cannot be opened
  public BufferedReader reader() throws IOException {
    InputStream in = stream();
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()));
  }

  /// {@return a channel for reading the file, to be closed}
  ///
  /// @throws IOException if it cannot be opened
  public FileChannel channel() throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ);
  }

  /// {@return the whole file}
  ///
  /// @param most maximum bytes of a file of its kind
  /// @throws InvalidInputException if it cannot be read, or has more
  public byte[] bytes(int most) {
    if (size > most) {
      throw new InvalidInputException(
          "%s: expected at most %d bytes, found %d".formatted(path, most, size));
    }
    try (InputStream in = stream()) {
      return in.readNBytes((int) size);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  /// {@return the whole file as UTF-8 text}
  ///
  /// @param most maximum bytes of a file of its kind
  /// @throws InvalidInputException if it cannot be read, has more, or is not UTF-8
  public String text(int most) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(most))).toString();
    } catch (CharacterCodingException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  /// {@return the SHA-256 of the file, 64 hexadecimal digits}
  ///
  /// @throws InvalidInputException if it cannot be read
  public String sha256() {
    MessageDigest digest = Sha256.digest();
    try (InputStream in = new DigestInputStream(stream(), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  /// A stream that ends where the file ended when it was looked at.
  private static final class Bounded extends FilterInputStream {
    private long left;

    private Bounded(InputStream in, long size) {
      super(in);
      left = size;
    }

    @Override
    public int read() throws IOException {
      if (left == 0) {
        return -1;
      }
      int found = in.read();
      left -= found < 0 ? 0 : 1;
      return found;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (left == 0 && length > 0) {
        return -1;
      }
      int found = in.read(target, offset, (int) Math.min(length, left));
      left -= Math.max(0, found);
      return found;
    }

    @Override
    public long skip(long bytes) throws IOException {
      long skipped = in.skip(Math.min(bytes, left));
      left -= skipped;
      return skipped;
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(left, in.available());
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }
}
