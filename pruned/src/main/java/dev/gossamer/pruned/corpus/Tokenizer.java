package dev.gossamer.pruned.corpus;

import java.nio.charset.StandardCharsets;

/// Cuts text into tokens, numbered `0..vocabulary-1`, and puts it together again: for every text of
/// whole Unicode characters `text(encode(t))` equals `t`. Immutable and safe to share.
public sealed interface Tokenizer permits ByteTokenizer, BpeTokenizer {
  /// Returns the name of the kind on the command line: `bytes`, `bpe`, `bpe:N`.
  ///
  /// @return the name
  String name();

  /// {@return number of different tokens, at most 65,536}
  int vocabulary();

  /// {@return the tokens of a text} Half a surrogate pair counts as a question mark.
  ///
  /// @param text any text
  int[] encode(String text);

  /// {@return whether a token ends texts: it is none of their own}
  ///
  /// @param token in `0..vocabulary-1`
  default boolean endsText(int token) {
    return false;
  }

  /// {@return the bytes that tokens stand for: UTF-8, though a character may be cut at either end}
  ///
  /// @param tokens in `0..vocabulary-1`
  /// @throws IllegalArgumentException if a token is not in the vocabulary
  byte[] decode(int[] tokens);

  /// {@return the text that tokens stand for; cut or impossible characters become U+FFFD}
  ///
  /// @param tokens in `0..vocabulary-1`
  /// @throws IllegalArgumentException if a token is not in the vocabulary
  default String text(int[] tokens) {
    return new String(decode(tokens), StandardCharsets.UTF_8);
  }
}
