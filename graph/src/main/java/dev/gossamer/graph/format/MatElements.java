package dev.gossamer.graph.format;

import dev.gossamer.matrix.io.InputFile;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// The sizes that the elements of a MATLAB 5 file claim (MATLAB, *MAT-File Format*, chapter 1),
/// checked before a library that prints what it thinks of them sees them.
///
/// A header of 128 bytes, whose last two say the order of bytes, then elements: a tag of type
/// (int32) and size (uint32), and as many bytes; a deflated element has a tag of its own inside.
final class MatElements {
  private static final int HEADER = 128;
  private static final int TAG = 8;
  private static final int DEFLATED = 15;
  private static final int PACKED_HEAD = 512;

  private MatElements() {}

  /// @throws InvalidInputException if an element claims more than the file has, or than may be
  ///   unpacked from it
  static void check(InputFile file) {
    try (FileChannel channel = file.channel()) {
      ByteBuffer head = read(channel, 0, HEADER);
      boolean little = head.limit() == HEADER && head.get(HEADER - 2) == 'I';
      ByteOrder order = little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
      for (long at = HEADER; at + TAG <= file.size(); ) {
        ByteBuffer tag = read(channel, at, TAG).order(order);
        long size = size(file, at, tag, file.size() - at - TAG);
        if (tag.getInt(0) == DEFLATED) {
          ByteBuffer packed = read(channel, at + TAG, (int) Math.min(size, PACKED_HEAD));
          size(file, at, inflated(file, at, packed).order(order), file.mostUnpacked());
        }
        // A deflated element is followed by the next at once, others by the next multiple of 8.
        at += TAG + size + (tag.getInt(0) == DEFLATED ? 0 : -size & 7);
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file.path(), e);
    }
  }

  private static long size(InputFile file, long at, ByteBuffer tag, long most) {
    long size = Integer.toUnsignedLong(tag.getInt(Integer.BYTES));
    if (size > Math.min(most, Integer.MAX_VALUE)) {
      throw damaged(
          file, at, "an element of %d bytes where at most %d can be".formatted(size, most));
    }
    return size;
  }

  /// The tag inside a deflated element.
  private static ByteBuffer inflated(InputFile file, long at, ByteBuffer packed) {
    byte[] tag = new byte[TAG];
    String found = "an early end";
    try (Inflater inflater = new Inflater()) {
      inflater.setInput(packed);
      if (inflater.inflate(tag) == TAG) {
        return ByteBuffer.wrap(tag);
      }
    } catch (DataFormatException e) {
      found = String.valueOf(e.getMessage());
    }
    throw damaged(file, at, "a deflated element with " + found);
  }

  private static InvalidInputException damaged(InputFile file, long at, String found) {
    return new InvalidInputException(
        "%s: expected a MATLAB 5 file, found damage: byte %d: %s"
            .formatted(file.path(), at, found));
  }

  /// As many bytes as there are, at most `count`.
  private static ByteBuffer read(FileChannel channel, long at, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    while (bytes.hasRemaining() && channel.read(bytes, at + bytes.position()) >= 0) {
      // A read may bring less than was asked for.
    }
    return bytes.flip();
  }
}
