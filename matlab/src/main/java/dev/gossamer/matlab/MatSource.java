package dev.gossamer.matlab;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.util.zip.InflaterInputStream;
import us.hebi.matlab.mat.types.AbstractSource;
import us.hebi.matlab.mat.types.Source;

/// The bytes of a MATLAB file, as a stream. Only the tags of elements are read as single integers,
/// and a size beyond what the file can contain is refused here, because the library would take the
/// memory, or, from 2 GiB on, print a message and continue.
final class MatSource extends AbstractSource {
  private static final int BUFFER = 1 << 13;

  private final InputStream in;
  private final long most;
  private long position;

  /// @param most bytes of an element
  MatSource(InputStream in, long most) {
    super(BUFFER);
    this.in = in;
    this.most = most;
  }

  @Override
  public int readInt() throws IOException {
    int value = super.readInt();
    if (value < 0 || value > most) {
      throw new IOException(
          "an element of %d bytes at byte %d"
              .formatted(Integer.toUnsignedLong(value), position - Integer.BYTES));
    }
    return value;
  }

  @Override
  public void readBytes(byte[] buffer, int offset, int length) throws IOException {
    if (in.readNBytes(buffer, offset, length) < length) {
      throw new EOFException("the end of the file");
    }
    position += length;
  }

  @Override
  public Source readInflated(int bytes, int bufferSize) throws IOException {
    ByteOrder order = order();
    return new MatSource(new InflaterInputStream(readBytesAsStream(bytes)), most).order(order);
  }

  /// Returns the next bytes of this source, which reading advances.
  @Override
  protected InputStream readBytesAsStream(long bytes) {
    return new InputStream() {
      private long left = bytes;

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = left == 0 ? -1 : in.read(buffer, offset, (int) Math.min(length, left));
        if (count > 0) {
          left -= count;
          position += count;
        }
        return count;
      }
    };
  }

  @Override
  public long getPosition() {
    return position;
  }

  @Override
  public boolean isMutatedByChildren() {
    return true;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
