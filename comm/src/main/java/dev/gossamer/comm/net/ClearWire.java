package dev.gossamer.comm.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Bytes as they are, straight from memory and to memory.
record ClearWire(SocketChannel channel) implements Wire {
  @Override
  public boolean write(ByteBuffer heads, ByteBuffer payload) throws IOException {
    long left = (long) heads.remaining() + payload.remaining();
    return channel.write(new ByteBuffer[] {heads, payload}) == left;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  @Override
  public boolean holds() {
    return false;
  }
}
