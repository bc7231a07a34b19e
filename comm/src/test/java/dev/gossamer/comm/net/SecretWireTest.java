package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SecretWireTest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private SocketChannel near;
  private SocketChannel far;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel port = ServerSocketChannel.open()) {
      port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      near = SocketChannel.open(port.getLocalAddress());
      far = port.accept();
    }
    near.configureBlocking(false);
  }

  @AfterEach
  void close() throws IOException {
    near.close();
    far.close();
  }

  private static NoiseCipher cipher() {
    return new NoiseCipher(new byte[NoiseCipher.KEY]);
  }

  private static SecretWire wire(SocketChannel channel) {
    return new SecretWire(channel, cipher(), cipher());
  }

  private static byte[] random(int seed, int count) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /// A record of its own.
  private static byte[] record(NoiseCipher cipher, byte[] text) {
    byte[] record = new byte[Short.BYTES + text.length + NoiseCipher.TAG];
    System.arraycopy(text, 0, record, Short.BYTES, text.length);
    int length = cipher.seal(record, Short.BYTES, text.length);
    ByteBuffer.wrap(record).putShort((short) length);
    return record;
  }

  private void comes(byte[] bytes) throws IOException {
    ByteBuffer all = ByteBuffer.wrap(bytes);
    while (all.hasRemaining()) {
      far.write(all);
    }
  }

  /// Reads until something comes.
  private static int read(SecretWire wire, ByteBuffer into) throws IOException {
    int count = wire.read(into);
    while (count == 0) {
      Thread.onSpinWait();
      count = wire.read(into);
    }
    return count;
  }

  /// Much more than a socket holds, in records of full length, read in pieces of any length; what
  /// has left is behind the positions after each write.
  @Test
  void allBytesComeInOrder() throws Exception {
    far.configureBlocking(false);
    SecretWire from = wire(near);
    SecretWire to = wire(far);
    byte[] said = random(1, 9_000_011);
    ByteBuffer heads = ByteBuffer.wrap(said, 0, 100_000).slice();
    ByteBuffer payload =
        ByteBuffer.allocateDirect(said.length - 100_000)
            .put(said, 100_000, said.length - 100_000)
            .flip();
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    ByteBuffer into = ByteBuffer.allocateDirect(300_000);
    Random sizes = new Random(2);
    boolean isOut = false;
    boolean wasFull = false;
    while (heard.size() < said.length) {
      if (!isOut) {
        isOut = from.write(heads, payload);
        wasFull |= !isOut;
        assertThat(isOut).isEqualTo(heads.remaining() + payload.remaining() == 0);
      }
      into.clear().limit(1 + sizes.nextInt(into.capacity()));
      int count = to.read(into);
      assertThat(into.position()).isEqualTo(count);
      byte[] piece = new byte[count];
      into.flip().get(piece);
      heard.write(piece);
    }
    assertThat(wasFull).isTrue();
    assertThat(heard.toByteArray()).isEqualTo(said);
    assertThat(to.holds()).isFalse();
  }

  @Test
  void whatTheSelectorDoesNotKnowOfIsHeld() throws Exception {
    NoiseCipher cipher = cipher();
    ByteArrayOutputStream two = new ByteArrayOutputStream();
    two.write(record(cipher, new byte[] {1, 2, 3}));
    two.write(record(cipher, new byte[] {4}));
    comes(two.toByteArray());
    SecretWire wire = wire(near);
    ByteBuffer into = ByteBuffer.allocate(2);
    assertThat(read(wire, into)).isEqualTo(2);
    assertThat(wire.holds()).isTrue();
    assertThat(wire.read(into.clear())).isEqualTo(1);
    assertThat(into.get(0)).isEqualTo((byte) 3);
    assertThat(read(wire, into.clear())).isEqualTo(1);
    assertThat(into.get(0)).isEqualTo((byte) 4);
    assertThat(wire.holds()).isFalse();
    assertThat(wire.read(into.clear())).isZero();
  }

  /// So it is no sign of life either.
  @Test
  void partOfARecordIsNothing() throws Exception {
    byte[] record = record(cipher(), random(3, 1000));
    comes(Arrays.copyOf(record, record.length - 1));
    SecretWire wire = wire(near);
    ByteBuffer into = ByteBuffer.allocate(1000);
    assertThat(wire.read(into)).isZero();
    assertThat(wire.holds()).isFalse();
    comes(new byte[] {record[record.length - 1]});
    assertThat(read(wire, into)).isEqualTo(1000);
    assertThat(into.array()).isEqualTo(random(3, 1000));
  }

  @Test
  void anEndIsSeen() throws Exception {
    comes(Arrays.copyOf(record(cipher(), new byte[9]), 20));
    far.close();
    assertThat(read(wire(near), ByteBuffer.allocate(9))).isNegative();
  }

  @Test
  void aRecordThatDoesNotOpenIsNamed() throws Exception {
    NoiseCipher cipher = cipher();
    comes(record(cipher, new byte[] {1}));
    byte[] second = record(cipher, new byte[] {2});
    second[5] ^= 1;
    comes(second);
    SecretWire wire = wire(near);
    ByteBuffer into = ByteBuffer.allocate(9);
    assertThat(read(wire, into)).isEqualTo(1);
    assertThatThrownBy(() -> read(wire, into))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("record 1 was changed, lost or repeated on its way");
    assertThat(into.position()).isEqualTo(1);
  }

  @Test
  void aRecordThatIsTooShortIsNamed() throws Exception {
    comes(new byte[] {0, 3, 7, 7, 7});
    assertThatThrownBy(() -> read(wire(near), ByteBuffer.allocate(9)))
        .isInstanceOf(ProtocolException.class)
        .hasMessageStartingWith("record 0 was changed");
  }

  @Test
  void nothingToSayIsNoRecord() throws Exception {
    assertThat(wire(near).write(NOTHING, NOTHING)).isTrue();
    near.shutdownOutput();
    assertThat(far.read(ByteBuffer.allocate(1))).isNegative();
  }
}
