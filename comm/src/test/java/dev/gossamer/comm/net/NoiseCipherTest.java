package dev.gossamer.comm.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import org.junit.jupiter.api.Test;

/// Expected bytes are those of Python's `cryptography` 48 (OpenSSL), by the formulas of Noise.
class NoiseCipherTest {
  private static final byte[] TEXT = "one row".getBytes(US_ASCII);

  /// Its key is 0, 1, 2, ...
  private static NoiseCipher cipher() {
    byte[] key = new byte[NoiseCipher.KEY];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) i;
    }
    return new NoiseCipher(key);
  }

  private static byte[] sealed(NoiseCipher cipher) {
    byte[] buffer = Arrays.copyOf(TEXT, TEXT.length + NoiseCipher.TAG);
    assertThat(cipher.seal(buffer, 0, TEXT.length)).isEqualTo(buffer.length);
    return buffer;
  }

  private static byte[] opened(NoiseCipher cipher, byte[] sealed) throws AEADBadTagException {
    byte[] buffer = sealed.clone();
    return Arrays.copyOf(buffer, cipher.open(buffer, 0, buffer.length));
  }

  private static void assertShut(NoiseCipher cipher, byte[] message) {
    byte[] buffer = message.clone();
    assertThatThrownBy(() -> cipher.open(buffer, 0, buffer.length))
        .isInstanceOf(AEADBadTagException.class);
    assertThat(new String(buffer, US_ASCII)).doesNotContain("one row");
  }

  @Test
  void messagesAreThoseOfAnotherLibraryWhileKeysChange() {
    NoiseCipher cipher = cipher();
    for (int number = 0; number <= 2 * NoiseCipher.MESSAGES; number++) {
      String found = HexFormat.of().formatHex(sealed(cipher));
      switch (number) {
        case 0 -> assertThat(found).isEqualTo("61d2d0fec743f49e8c9508faffc7b0912a75630bf37d6b");
        case 65535 -> assertThat(found).isEqualTo("ce88ca4b8a61e0c3b31c6f75b728bc4ab88d01cce741e3");
        case 65536 -> assertThat(found).isEqualTo("d55c08c2f8e2fe7373a1957aaed7a929a7947a722d425d");
        case 131072 ->
            assertThat(found).isEqualTo("c705c685825b743ea8e33fdfac767172bf1c21a8027f28");
        default -> {}
      }
    }
  }

  @Test
  void associatedDataAreAuthenticated() throws Exception {
    byte[] data = "data".getBytes(US_ASCII);
    byte[] message = Arrays.copyOf(TEXT, TEXT.length + NoiseCipher.TAG);
    cipher().seal(data, message, 0, TEXT.length);
    assertThat(message)
        .asHexString()
        .isEqualToIgnoringCase("61d2d0fec743f416a8307346cdd2acb19c1a3d4d95331b");
    assertShut(cipher(), message);
    assertThat(cipher().open(data, message, 0, message.length)).isEqualTo(TEXT.length);
    assertThat(message).startsWith(TEXT);
  }

  @Test
  void theOtherSideOpensAllWhileKeysChange() throws Exception {
    NoiseCipher sealing = cipher();
    NoiseCipher opening = cipher();
    for (int number = 0; number < NoiseCipher.MESSAGES + 2; number++) {
      assertThat(opened(opening, sealed(sealing))).isEqualTo(TEXT);
    }
  }

  @Test
  void aMessageOpensOnlyInItsPlace() throws Exception {
    NoiseCipher sealing = cipher();
    byte[] first = sealed(sealing);
    byte[] second = sealed(sealing);
    NoiseCipher opening = cipher();
    assertShut(opening, second);
    assertThat(opened(opening, first)).isEqualTo(TEXT);
    assertShut(opening, first);
    assertThat(opened(opening, second)).isEqualTo(TEXT);
  }

  @Test
  void aChangedMessageStaysShut() throws Exception {
    byte[] message = sealed(cipher());
    for (int bit = 0; bit < Byte.SIZE * message.length; bit++) {
      byte[] changed = message.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertShut(cipher(), changed);
    }
    for (int length = 0; length < message.length; length++) {
      assertShut(cipher(), Arrays.copyOf(message, length));
    }
    assertShut(cipher(), Arrays.copyOf(message, message.length + 1));
    assertShut(new NoiseCipher(new byte[NoiseCipher.KEY]), message);
  }
}
