package dev.gossamer.comm.net;

import dev.gossamer.comm.CommunicationException;
import java.io.DataInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/// The secret of a run, by which its ranks know each other and, if they encrypt what they say, from
/// which their keys follow.
final class Token {
  static final int BYTES = 32;

  private final byte[] bytes;

  private Token(byte[] bytes) {
    this.bytes = bytes;
  }

  static Token drawn() {
    byte[] drawn = new byte[BYTES];
    new SecureRandom().nextBytes(drawn);
    return new Token(drawn);
  }

  static Token of(byte[] bytes) {
    return new Token(bytes.clone());
  }

  /// Reads the token that another process says.
  static Token read(DataInputStream in) throws IOException {
    byte[] bytes = new byte[BYTES];
    in.readFully(bytes);
    return new Token(bytes);
  }

  /// As [#hex] wrote it.
  ///
  /// @throws CommunicationException if it is no token
  static Token ofHex(String text) {
    if (!text.matches("[0-9a-f]{%d}".formatted(2 * BYTES))) {
      throw new CommunicationException(
          "ranks: expected a token of %d bytes, found another text".formatted(BYTES));
    }
    return new Token(HexFormat.of().parseHex(text));
  }

  String hex() {
    return HexFormat.of().formatHex(bytes);
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /// Whether another is the same; takes the same time however much of it is right.
  boolean matches(Token other) {
    return MessageDigest.isEqual(bytes, other.bytes);
  }
}
