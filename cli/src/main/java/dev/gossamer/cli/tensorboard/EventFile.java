package dev.gossamer.cli.tensorboard;

import com.google.protobuf.ByteString;
import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;

/// A file of events: TensorFlow's records. A record is the length of the data (`uint64`), the
/// masked checksum of these eight bytes, the data, and the masked checksum of the data (`uint32`),
/// all little-endian.
final class EventFile implements AutoCloseable {
  private static final int AROUND = Long.BYTES + 2 * Integer.BYTES;
  private static final int ROTATED = 17;
  private static final int MASK = 0xa282ead8;

  private final Path file;
  private final FileChannel channel;

  private EventFile(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /// Creates a file.
  ///
  /// @param file that does not exist
  /// @throws InvalidInputException if it cannot be written, or exists
  static EventFile create(Path file) {
    try {
      return new EventFile(
          file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  /// Appends events, which readers see when this returns.
  ///
  /// @param events messages of the type `Event`
  /// @throws InvalidInputException if the disk is full
  void append(List<ProtoMessage> events) {
    List<ByteString> all = events.stream().map(ProtoMessage::written).toList();
    int size = all.stream().mapToInt(each -> AROUND + each.size()).sum();
    ByteBuffer records = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    for (ByteString data : all) {
      int begin = records.position();
      records.putLong(data.size());
      records.putInt(masked(records.slice(begin, Long.BYTES)));
      data.copyTo(records);
      records.putInt(masked(data.asReadOnlyByteBuffer()));
    }
    records.flip();
    try {
      while (records.hasRemaining()) {
        channel.write(records);
      }
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  /// The checksum (CRC-32C) in the form in which data with checksums may be checked again.
  private static int masked(ByteBuffer data) {
    CRC32C checksum = new CRC32C();
    checksum.update(data);
    return Integer.rotateLeft((int) checksum.getValue(), ROTATED) + MASK;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }
}
