package dev.gossamer.base.io;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256, which every Java platform has.
public final class Sha256 {
  private Sha256() {}

  /// {@return a new digest}
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
