package dev.gossamer.comm.net;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import javax.crypto.KDF;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.HKDFParameterSpec;

/// The handshake `Noise_NNpsk0_25519_AESGCM_SHA256` of the [Noise Protocol
/// Framework](https://noiseprotocol.org/noise.html), revision 34:
///
/// ```
/// -> psk, e
/// <- e, ee
/// ```
///
/// Both sides draw a key of X25519 for this connection. The keys of the two directions follow from
/// the agreement of these two, the secret that both sides know before, and all that was said; each
/// message shows that its sender knows the secret. Who learns the secret after the run cannot read
/// what he has recorded.
final class NoiseHandshake {
  /// Bytes of a message besides its text.
  static final int OVERHEAD = 32 + NoiseCipher.TAG;

  private static final byte[] NAME = "Noise_NNpsk0_25519_AESGCM_SHA256".getBytes(US_ASCII);
  private static final int HASH = 32;
  private static final int PUBLIC = 32;

  /// What an encoded public key begins with, by RFC 8410.
  private static final byte[] X25519 = HexFormat.of().parseHex("302a300506032b656e032100");

  private final boolean initiates;
  private final KeyPair own;
  private byte[] chaining = NAME;
  private byte[] hash = NAME;
  private NoiseCipher cipher;
  private byte[] other = new byte[PUBLIC];

  /// @param initiates whether this side speaks first
  /// @param prologue that both sides must know equally
  /// @param secret that both sides know
  /// @param own key of this connection alone
  NoiseHandshake(boolean initiates, byte[] prologue, Token secret, KeyPair own) {
    this.initiates = initiates;
    this.own = own;
    mixHash(prologue);
    byte[][] keys = mixed(secret.bytes(), 3);
    chaining = keys[0];
    mixHash(keys[1]);
    cipher = new NoiseCipher(keys[2]);
  }

  /// {@return a new key of X25519}
  static KeyPair drawn() {
    try {
      return KeyPairGenerator.getInstance("X25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The message of this side.
  ///
  /// @throws GeneralSecurityException if no key follows from that of the other side
  byte[] write(byte[] text) throws GeneralSecurityException {
    byte[] key = own.getPublic().getEncoded();
    byte[] message = new byte[OVERHEAD + text.length];
    System.arraycopy(key, key.length - PUBLIC, message, 0, PUBLIC);
    System.arraycopy(text, 0, message, PUBLIC, text.length);
    mixPublic(Arrays.copyOf(message, PUBLIC));
    if (!initiates) {
      mixAgreement();
    }
    cipher.seal(hash, message, PUBLIC, text.length);
    mixHash(Arrays.copyOfRange(message, PUBLIC, message.length));
    return message;
  }

  /// Takes the message of the other side.
  ///
  /// @return its text
  /// @throws GeneralSecurityException if its sender does not know the secret or the prologue
  byte[] read(byte[] message) throws GeneralSecurityException {
    if (message.length < OVERHEAD) {
      throw new AEADBadTagException("a message of %d bytes".formatted(message.length));
    }
    other = Arrays.copyOf(message, PUBLIC);
    mixPublic(other);
    if (initiates) {
      mixAgreement();
    }
    byte[] sealed = Arrays.copyOfRange(message, PUBLIC, message.length);
    byte[] text = sealed.clone();
    int length = cipher.open(hash, text, 0, text.length);
    mixHash(sealed);
    return Arrays.copyOf(text, length);
  }

  /// The two directions, when both messages are over.
  ///
  /// @param sealing what this side says
  /// @param opening what the other side says
  record Directions(NoiseCipher sealing, NoiseCipher opening) {}

  /// `Split`.
  Directions split() {
    byte[][] keys = mixed(new byte[0], 2);
    NoiseCipher first = new NoiseCipher(keys[0]);
    NoiseCipher second = new NoiseCipher(keys[1]);
    return initiates ? new Directions(first, second) : new Directions(second, first);
  }

  /// `e` of the pattern: in handshakes with a secret, keys follow from public keys, too.
  private void mixPublic(byte[] key) {
    mixHash(key);
    mixKey(key);
  }

  /// `ee` of the pattern.
  private void mixAgreement() throws GeneralSecurityException {
    byte[] encoded = ByteBuffer.allocate(X25519.length + PUBLIC).put(X25519).put(other).array();
    PublicKey key =
        KeyFactory.getInstance("X25519").generatePublic(new X509EncodedKeySpec(encoded));
    KeyAgreement agreement = KeyAgreement.getInstance("X25519");
    agreement.init(own.getPrivate());
    agreement.doPhase(key, true);
    mixKey(agreement.generateSecret());
  }

  private void mixKey(byte[] key) {
    byte[][] keys = mixed(key, 2);
    chaining = keys[0];
    cipher = new NoiseCipher(keys[1]);
  }

  private void mixHash(byte[] bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(hash);
      hash = digest.digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// `HKDF`: keys that follow from all before and from new material.
  private byte[][] mixed(byte[] material, int count) {
    try {
      HKDFParameterSpec all =
          HKDFParameterSpec.ofExtract()
              .addSalt(chaining)
              .addIKM(material)
              .thenExpand(null, count * HASH);
      byte[] derived = KDF.getInstance("HKDF-SHA256").deriveData(all);
      byte[][] keys = new byte[count][];
      for (int i = 0; i < count; i++) {
        keys[i] = Arrays.copyOfRange(derived, i * HASH, (i + 1) * HASH);
      }
      return keys;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
