package dev.gossamer.comm.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;

/// Both sides say a message of [NoiseHandshake] without a text, whose secret is the token and whose
/// prologue is the greeting of the side that calls. That side says the third words by its new key,
/// so that nobody is admitted who only repeats what another has said.
final class SecretAdmission implements Admission {
  private static final byte[] NO_TEXT = {};

  private final boolean calls;
  private final NoiseHandshake handshake;
  private NoiseHandshake.@Nullable Directions directions;

  SecretAdmission(boolean calls, Greeting greeting, Token token) {
    this.calls = calls;
    handshake = new NoiseHandshake(calls, greeting.bytes(), token, NoiseHandshake.drawn());
  }

  @Override
  public byte[] say() throws IOException {
    if (directions != null) {
      byte[] third = new byte[NoiseCipher.TAG];
      directions.sealing().seal(third, 0, 0);
      return third;
    }
    try {
      byte[] words = handshake.write(NO_TEXT);
      if (!calls) {
        directions = handshake.split();
      }
      return words;
    } catch (GeneralSecurityException e) {
      throw new IOException("it has no proper key", e);
    }
  }

  @Override
  public boolean hear(DataInputStream in) throws IOException {
    try {
      if (directions != null) {
        directions.opening().open(read(in, NoiseCipher.TAG), 0, NoiseCipher.TAG);
        return true;
      }
      handshake.read(read(in, NoiseHandshake.OVERHEAD));
      if (calls) {
        directions = handshake.split();
      }
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static byte[] read(DataInputStream in, int count) throws IOException {
    byte[] bytes = new byte[count];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public Wire wire(SocketChannel channel) {
    if (directions == null) {
      throw new IllegalStateException("not all is said");
    }
    return new SecretWire(channel, directions.sealing(), directions.opening());
  }
}
