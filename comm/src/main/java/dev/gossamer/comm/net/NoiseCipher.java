package dev.gossamer.comm.net;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// One direction of an encrypted connection: the cipher state of the [Noise Protocol
/// Framework](https://noiseprotocol.org/noise.html), revision 34, with AES-256-GCM.
///
/// The nonce of a message is its number, so it opens only in its place. The key is replaced
/// (`Rekey`) after [#MESSAGES] messages, at most 4 GiB, long before AES-GCM loses anything: TLS 1.3
/// allows 360 GiB. Not for several threads.
final class NoiseCipher {
  static final int KEY = 32;

  /// Bytes that a message has besides its text.
  static final int TAG = 16;

  /// By one key.
  static final int MESSAGES = 1 << 16;

  private static final int NONCE = Integer.BYTES + Long.BYTES;
  private static final byte[] NOTHING = {};

  private final Cipher cipher;
  private SecretKeySpec key;
  private long next;

  /// @param key of [#KEY] bytes
  NoiseCipher(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
    try {
      cipher = Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Encrypts the next message in its place.
  ///
  /// @param buffer with `length` bytes from `offset` and room for [#TAG] more
  /// @return how many bytes it has now
  int seal(byte[] buffer, int offset, int length) {
    return seal(NOTHING, buffer, offset, length);
  }

  /// @param associated data that the other side must have, too
  int seal(byte[] associated, byte[] buffer, int offset, int length) {
    try {
      int sealed = crypt(Cipher.ENCRYPT_MODE, next, associated, buffer, offset, length);
      advance();
      return sealed;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Decrypts the next message in its place.
  ///
  /// @return how many bytes it has now
  /// @throws AEADBadTagException if it is not the next that the other side has encrypted; its bytes
  ///   are then zeros
  int open(byte[] buffer, int offset, int length) throws AEADBadTagException {
    return open(NOTHING, buffer, offset, length);
  }

  /// @param associated data that the other side had, too
  int open(byte[] associated, byte[] buffer, int offset, int length) throws AEADBadTagException {
    if (length < TAG) {
      throw new AEADBadTagException("a message of %d bytes".formatted(length));
    }
    try {
      int opened = crypt(Cipher.DECRYPT_MODE, next, associated, buffer, offset, length);
      advance();
      return opened;
    } catch (AEADBadTagException e) {
      Arrays.fill(buffer, offset, offset + length, (byte) 0); // where it was decrypted all the same
      throw e;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private int crypt(int mode, long nonce, byte[] associated, byte[] buffer, int offset, int length)
      throws GeneralSecurityException {
    byte[] bytes = ByteBuffer.allocate(NONCE).putLong(Integer.BYTES, nonce).array();
    cipher.init(mode, key, new GCMParameterSpec(Byte.SIZE * TAG, bytes));
    cipher.updateAAD(associated);
    return cipher.doFinal(buffer, offset, length, buffer, offset);
  }

  private void advance() throws GeneralSecurityException {
    next++;
    if (next % MESSAGES == 0) {
      byte[] zeros = new byte[KEY + TAG];
      crypt(Cipher.ENCRYPT_MODE, -1, NOTHING, zeros, 0, KEY);
      key = new SecretKeySpec(Arrays.copyOf(zeros, KEY), "AES");
    }
  }
}
