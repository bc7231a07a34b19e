package dev.gossamer.comm.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// The bytes between two ranks, over a socket that does not block.
sealed interface Wire permits ClearWire, SecretWire {
  /// Writes what the socket takes by now, first of `heads`, then of `payload`; what has left is
  /// behind their positions. After `false`, the next call is with the same buffers.
  ///
  /// @return whether all of it has left
  boolean write(ByteBuffer heads, ByteBuffer payload) throws IOException;

  /// Reads what has come and fits.
  ///
  /// @return how many bytes; 0 if none have come, below 0 if none will
  /// @throws java.net.ProtocolException if they are not what the other side has said
  int read(ByteBuffer into) throws IOException;

  /// Whether bytes have left the socket that [#read] has not given yet: the selector does not know
  /// of them.
  boolean holds();

  SocketChannel channel();
}
