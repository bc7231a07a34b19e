package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.KeyAgreement;
import org.junit.jupiter.api.Test;

/// Against the published vector of this protocol by Cacophony, the implementation in Haskell.
class NoiseHandshakeTest {
  private static final byte[] PROLOGUE = bytes("4a6f686e2047616c74");
  private static final Token SECRET =
      Token.of(bytes("54686973206973206d7920417573747269616e20706572737065637469766521"));
  private static final String FIRST_KEY =
      "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a";
  private static final String SECOND_KEY =
      "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b";

  /// Texts and messages: two of the handshake, then two of each direction in turn.
  private static final String[][] MESSAGES = {
    {
      "4c756477696720766f6e204d69736573",
      "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
          + "7c37a89fc17813788d30df2d59501d6066f5f8aecc3406bbd9829f2d24a531b1"
    },
    {
      "4d757272617920526f746862617264",
      "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
          + "2f29d79368ef9de4e1ae7a362fb05bf0ad668e026bf5714554497b3a720461"
    },
    {"462e20412e20486179656b", "7c01e898a6201f36aecee532e29cd0b7f8ffa29d3366ad0dce39a6"},
    {"4361726c204d656e676572", "a9ff535aace3db6a1da1a7fb00fe2de2622bb373abad9fb42c00e0"},
    {
      "4a65616e2d426170746973746520536179",
      "6cfc49a3e65472edc2d0152abe5ce950170a8a47c959f30bd48b5f0aacf29adbfd"
    },
    {
      "457567656e2042f6686d20766f6e2042617765726b",
      "9bc86e6d974ed21ba04604a94aa68de21677eb409ead070c0cd569b069ee19ba142aa4c1a9"
    }
  };

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  /// The pair of a private key: its public one is its agreement with the base point, 9.
  private static KeyPair pair(String hex) throws GeneralSecurityException {
    KeyFactory keys = KeyFactory.getInstance("X25519");
    PrivateKey own =
        keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, bytes(hex)));
    KeyAgreement agreement = KeyAgreement.getInstance("X25519");
    agreement.init(own);
    agreement.doPhase(
        keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, BigInteger.valueOf(9))),
        true);
    byte[] littleEnd = agreement.generateSecret();
    byte[] bigEnd = new byte[littleEnd.length];
    for (int i = 0; i < bigEnd.length; i++) {
      bigEnd[i] = littleEnd[bigEnd.length - 1 - i];
    }
    PublicKey shown =
        keys.generatePublic(
            new XECPublicKeySpec(NamedParameterSpec.X25519, new BigInteger(1, bigEnd)));
    return new KeyPair(shown, own);
  }

  private static NoiseHandshake first(Token secret) throws GeneralSecurityException {
    return new NoiseHandshake(true, PROLOGUE, secret, pair(FIRST_KEY));
  }

  private static NoiseHandshake second(byte[] prologue) throws GeneralSecurityException {
    return new NoiseHandshake(false, prologue, SECRET, pair(SECOND_KEY));
  }

  @Test
  void messagesAreThoseOfThePublishedVector() throws Exception {
    NoiseHandshake first = first(SECRET);
    NoiseHandshake second = second(PROLOGUE);
    NoiseHandshake[][] turns = {{first, second}, {second, first}};
    for (int i = 0; i < turns.length; i++) {
      byte[] text = bytes(MESSAGES[i][0]);
      byte[] message = turns[i][0].write(text);
      assertThat(message).isEqualTo(bytes(MESSAGES[i][1]));
      assertThat(turns[i][1].read(message)).isEqualTo(text);
    }
    NoiseHandshake.Directions[] sides = {first.split(), second.split()};
    for (int i = turns.length; i < MESSAGES.length; i++) {
      byte[] text = bytes(MESSAGES[i][0]);
      byte[] message = Arrays.copyOf(text, text.length + NoiseCipher.TAG);
      sides[i % 2].sealing().seal(message, 0, text.length);
      assertThat(message).isEqualTo(bytes(MESSAGES[i][1]));
      assertThat(sides[1 - i % 2].opening().open(message, 0, message.length))
          .isEqualTo(text.length);
      assertThat(message).startsWith(text);
    }
  }

  @Test
  void keysAreDrawnForEachConnection() throws Exception {
    byte[] once = firstWords();
    assertThat(firstWords()).isNotEqualTo(once).hasSize(NoiseHandshake.OVERHEAD);
  }

  private static byte[] firstWords() throws GeneralSecurityException {
    return new NoiseHandshake(true, PROLOGUE, SECRET, NoiseHandshake.drawn()).write(new byte[0]);
  }

  private static void assertRefused(NoiseHandshake side, byte[] message) {
    assertThatThrownBy(() -> side.read(message)).isInstanceOf(GeneralSecurityException.class);
  }

  @Test
  void anotherSecretAnotherPrologueOrAChangedBitIsRefused() throws Exception {
    byte[] other = SECRET.bytes();
    other[Token.BYTES - 1] ^= 1;
    assertRefused(second(PROLOGUE), first(Token.of(other)).write(new byte[0]));
    byte[] message = first(SECRET).write(new byte[0]);
    assertRefused(second(new byte[] {1}), message);
    for (int at = 0; at < message.length; at++) {
      byte[] changed = message.clone();
      changed[at] ^= 4;
      assertRefused(second(PROLOGUE), changed);
      assertRefused(second(PROLOGUE), Arrays.copyOf(message, at));
    }
    assertThat(second(PROLOGUE).read(message)).isEmpty();
  }

  @Test
  void soAreTheseOfTheAnswer() throws Exception {
    NoiseHandshake second = second(PROLOGUE);
    second.read(first(SECRET).write(new byte[0]));
    byte[] answer = second.write(new byte[0]);
    for (int at = 0; at < answer.length; at++) {
      NoiseHandshake first = first(SECRET);
      first.write(new byte[0]);
      byte[] changed = answer.clone();
      changed[at] ^= 4;
      assertRefused(first, changed);
    }
  }

  /// Its agreement with any key is zero.
  @Test
  void aKeyThatAgreesWithAllIsRefused() throws Exception {
    NoiseHandshake first = first(SECRET);
    first.write(new byte[0]);
    assertRefused(first, new byte[NoiseHandshake.OVERHEAD]);
  }
}
