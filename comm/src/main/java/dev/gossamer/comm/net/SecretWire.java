package dev.gossamer.comm.net;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.crypto.AEADBadTagException;

/// Bytes in encrypted records: two bytes of length, in network order, and a message of
/// [NoiseCipher] of this length.
///
/// The key and the number of a record open it or do not, so one that is changed, of another length,
/// repeated, missing or out of order ends the connection; so does an end of the stream, as ranks
/// that end well say so in a record ([Frame.Kind#END]).
///
/// Holds 128 KiB. One thread writes at a time, and one reads.
final class SecretWire implements Wire {
  /// Of a message of Noise.
  private static final int LONGEST = 0xffff;

  private static final int HEAD = Short.BYTES;

  private final SocketChannel channel;
  private final NoiseCipher sealing;
  private final NoiseCipher opening;

  /// The record that leaves.
  private final ByteBuffer leaving = ByteBuffer.allocate(HEAD + LONGEST).flip();

  /// Bytes of the caller's buffers in it.
  private int sealed;

  /// Records that have come, not opened yet.
  private final ByteBuffer arrived = ByteBuffer.allocate(HEAD + LONGEST).flip();

  /// What the last one of those that were opened says; lies in the same memory.
  private final ByteBuffer opened = arrived.duplicate();

  private long count;

  /// @param sealing what this side says
  /// @param opening what the other side says
  SecretWire(SocketChannel channel, NoiseCipher sealing, NoiseCipher opening) {
    this.channel = channel;
    this.sealing = sealing;
    this.opening = opening;
  }

  @Override
  public SocketChannel channel() {
    return channel;
  }

  @Override
  public boolean write(ByteBuffer heads, ByteBuffer payload) throws IOException {
    while (heads.hasRemaining() || payload.hasRemaining()) {
      if (!leaving.hasRemaining()) {
        seal(heads, payload);
      }
      channel.write(leaving);
      if (leaving.hasRemaining()) {
        return false;
      }
      int ofHeads = Math.min(sealed, heads.remaining());
      heads.position(heads.position() + ofHeads);
      payload.position(payload.position() + sealed - ofHeads);
    }
    return true;
  }

  private void seal(ByteBuffer heads, ByteBuffer payload) {
    int room = LONGEST - NoiseCipher.TAG;
    int ofHeads = Math.min(room, heads.remaining());
    int ofPayload = Math.min(room - ofHeads, payload.remaining());
    sealed = ofHeads + ofPayload;
    leaving.clear();
    leaving.put(HEAD, heads, heads.position(), ofHeads);
    leaving.put(HEAD + ofHeads, payload, payload.position(), ofPayload);
    int length = sealing.seal(leaving.array(), HEAD, sealed);
    leaving.putShort(0, (short) length).limit(HEAD + length);
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    while (!opened.hasRemaining()) {
      if (isWhole()) {
        open();
      } else {
        arrived.compact();
        int more = channel.read(arrived);
        arrived.flip();
        if (more <= 0) {
          return more;
        }
      }
    }
    int taken = Math.min(opened.remaining(), into.remaining());
    into.put(into.position(), opened, opened.position(), taken);
    into.position(into.position() + taken);
    opened.position(opened.position() + taken);
    return taken;
  }

  @Override
  public boolean holds() {
    return opened.hasRemaining() || isWhole();
  }

  private boolean isWhole() {
    return arrived.remaining() >= HEAD && arrived.remaining() >= HEAD + length();
  }

  private int length() {
    return Short.toUnsignedInt(arrived.getShort(arrived.position()));
  }

  private void open() throws ProtocolException {
    int begin = arrived.position() + HEAD;
    int length = length();
    try {
      int bytes = opening.open(arrived.array(), begin, length);
      opened.limit(begin + bytes).position(begin);
    } catch (AEADBadTagException e) {
      ProtocolException changed =
          new ProtocolException(
              "record %d was changed, lost or repeated on its way".formatted(count));
      changed.initCause(e);
      throw changed;
    }
    arrived.position(begin + length);
    count++;
  }
}
