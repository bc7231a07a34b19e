package dev.gossamer.comm.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/// Both sides say the token; the third words are none.
final class ClearAdmission implements Admission {
  private final Token token;
  private final boolean calls;
  private boolean isOver;

  ClearAdmission(boolean calls, Token token) {
    this.calls = calls;
    this.token = token;
  }

  @Override
  public byte[] say() {
    return isOver && calls ? new byte[0] : token.bytes();
  }

  @Override
  public boolean hear(DataInputStream in) throws IOException {
    if (isOver) {
      return true;
    }
    isOver = true;
    return Token.read(in).matches(token);
  }

  @Override
  public Wire wire(SocketChannel channel) {
    return new ClearWire(channel);
  }
}
