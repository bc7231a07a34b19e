package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.EdgeStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/// The arcs of all tables of edges in a temporary file: as they are read once and placed in another
/// order, they need not be in memory. Those of a table are in any order.
///
/// Each is the number of its source, that of its target and, with weights, its weight: 4 bytes
/// each; and, with times, its time: 8 bytes.
final class ArcFile implements EdgeStream, AutoCloseable {
  private static final int ARCS_AT_A_TIME = 1 << 16;

  /// Receives arcs, and the number of their table.
  @FunctionalInterface
  interface Sink {
    void arc(int table, int source, int target, float weight, double time);
  }

  /// What an arc has beside its ends.
  record Columns(boolean weight, boolean time) {
    private int arcBytes() {
      return 2 * Integer.BYTES + (weight ? Float.BYTES : 0) + (time ? Double.BYTES : 0);
    }
  }

  /// Is notified of the share of two passes over the arcs.
  @FunctionalInterface
  interface Listener {
    void at(double share);
  }

  private final Path file;
  private final FileChannel channel;
  private final Columns columns;
  private final int arcBytes;
  private final Listener listener;

  /// After the last arc of each table that is complete.
  private final List<Long> ends = new ArrayList<>();

  private long size;
  private int passes;

  private ArcFile(Path file, FileChannel channel, Columns columns, Listener listener) {
    this.file = file;
    this.channel = channel;
    this.columns = columns;
    arcBytes = columns.arcBytes();
    this.listener = listener;
  }

  /// Creates an empty file.
  static ArcFile create(Path file, Columns columns, Listener listener) {
    try {
      FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      return new ArcFile(file, channel, columns, listener);
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  Columns columns() {
    return columns;
  }

  /// A buffer for some arcs.
  ByteBuffer buffer(int arcs) {
    return ByteBuffer.allocateDirect(arcs * arcBytes).order(ByteOrder.nativeOrder());
  }

  /// Appends the arcs of a buffer, which is then empty. Thread-safe.
  void append(ByteBuffer arcs) throws IOException {
    arcs.flip();
    synchronized (this) {
      size += arcs.remaining() / arcBytes;
      while (arcs.hasRemaining()) {
        channel.write(arcs);
      }
    }
    arcs.clear();
  }

  /// Ends a table: what is appended next is of the next one.
  void endTable() {
    ends.add(size);
  }

  /// Forgets all arcs.
  void clear() {
    try {
      channel.truncate(0);
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
    size = 0;
    ends.clear();
  }

  /// The number of arcs.
  long size() {
    return size;
  }

  @Override
  public void forEach(EdgeStream.Sink sink) {
    forEach((table, source, target, weight, time) -> sink.arc(source, target, weight));
  }

  /// Passes every arc and the number of its table.
  void forEach(Sink sink) {
    ByteBuffer buffer = buffer(ARCS_AT_A_TIME);
    long read = 0;
    int table = 0;
    while (read < size) {
      fill(buffer, read * arcBytes);
      for (; buffer.hasRemaining(); read++) {
        while (read == ends.get(table)) {
          table++;
        }
        sink.arc(
            table,
            buffer.getInt(),
            buffer.getInt(),
            columns.weight() ? buffer.getFloat() : 1,
            columns.time() ? buffer.getDouble() : 0);
      }
      listener.at(Math.min(1, (passes + (double) read / size) / 2));
    }
    passes++;
  }

  private void fill(ByteBuffer buffer, long from) {
    buffer.clear();
    buffer.limit((int) Math.min(buffer.capacity(), size * arcBytes - from));
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, from + buffer.position()) < 0) {
          throw new IOException("the file ends after %d bytes".formatted(channel.size()));
        }
      }
    } catch (ClosedByInterruptException e) {
      throw new CancellationException("interrupted while reading edges");
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
    buffer.flip();
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
