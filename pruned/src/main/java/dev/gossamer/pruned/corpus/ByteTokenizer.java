package dev.gossamer.pruned.corpus;

import java.nio.charset.StandardCharsets;

/// Encodes every byte of UTF-8 text as a token.
public record ByteTokenizer() implements Tokenizer {
  static final int VOCABULARY = 256;

  @Override
  public String name() {
    return "bytes";
  }

  @Override
  public int vocabulary() {
    return VOCABULARY;
  }

  @Override
  public int[] encode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int[] tokens = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      tokens[i] = bytes[i] & 0xff;
    }
    return tokens;
  }

  @Override
  public byte[] decode(int[] tokens) {
    byte[] bytes = new byte[tokens.length];
    for (int i = 0; i < tokens.length; i++) {
      if (tokens[i] < 0 || tokens[i] >= VOCABULARY) {
        throw new IllegalArgumentException(
            "decode: expected tokens in 0..%d, found %d".formatted(VOCABULARY - 1, tokens[i]));
      }
      bytes[i] = (byte) tokens[i];
    }
    return bytes;
  }
}
