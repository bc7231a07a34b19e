package dev.gossamer.pruned.corpus;

import java.nio.charset.StandardCharsets;

/// Encodes text as tokens, numbered `0..vocabulary-1`, and decodes it: for every text of whole
/// Unicode characters, `text(encode(t))` equals `t`. Immutable and safe to share.
public sealed interface Tokenizer permits ByteTokenizer, BpeTokenizer {
  /// Returns the name of the kind on the command line: `bytes`, `bpe`, `bpe:N`.
  ///
  /// @return the name
  String name();

  /// {@return the number of distinct tokens, at most 65,536}
  int vocabulary();

  /// {@return the tokens of a text} An unpaired surrogate becomes a question mark.
  ///
  /// @param text any text
  int[] encode(String text);

  /// {@return whether a token is the end-of-text token}
  ///
  /// @param token in `0..vocabulary-1`
  default boolean endsText(int token) {
    return false;
  }

  /// {@return the bytes of tokens: UTF-8, possibly with an incomplete character at either end}
  ///
  /// @param tokens in `0..vocabulary-1`
  /// @throws IllegalArgumentException if a token is not in the vocabulary
  byte[] decode(int[] tokens);

  /// {@return the text of tokens; incomplete or invalid characters become U+FFFD}
  ///
  /// @param tokens in `0..vocabulary-1`
  /// @throws IllegalArgumentException if a token is not in the vocabulary
  default String text(int[] tokens) {
    return new String(decode(tokens), StandardCharsets.UTF_8);
  }
}
