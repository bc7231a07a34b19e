package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;

/// The kind of tokens of a text.
public sealed interface Tokens {
  /// The bytes of its UTF-8 encoding.
  record Bytes() implements Tokens {
    @Override
    public String toString() {
      return "bytes";
    }
  }

  /// The byte pairs of GPT-2, all or the most frequent ones of the training part.
  ///
  /// @param vocabulary maximum number of tokens, including the 256 bytes; [BpeTokenizer#FULL] for
  ///   all
  record Bpe(int vocabulary) implements Tokens {
    /// Checks the components.
    public Bpe {
      if (vocabulary < ByteTokenizer.VOCABULARY || vocabulary > BpeTokenizer.FULL) {
        throw new InvalidInputException(
            "tokens: expected a vocabulary of %d to %d, found %d"
                .formatted(ByteTokenizer.VOCABULARY, BpeTokenizer.FULL, vocabulary));
      }
    }

    @Override
    public String toString() {
      return vocabulary == BpeTokenizer.FULL ? "bpe" : "bpe:" + vocabulary;
    }
  }

  /// The tokens that a model was trained with.
  ///
  /// @param tokenizer of the model
  record Given(Tokenizer tokenizer) implements Tokens {
    @Override
    public String toString() {
      return tokenizer.name();
    }
  }

  /// Reads `bytes`, `bpe` or `bpe:N`.
  ///
  /// @param text from the user
  /// @return the kind of tokens
  /// @throws InvalidInputException if the text is none of these
  static Tokens parse(String text) {
    if (text.equals("bytes")) {
      return new Bytes();
    }
    if (text.equals("bpe")) {
      return new Bpe(BpeTokenizer.FULL);
    }
    if (text.matches("bpe:[0-9]{1,9}")) {
      return new Bpe(Integer.parseInt(text.substring("bpe:".length())));
    }
    throw new InvalidInputException(
        "tokens: expected bytes, bpe or bpe:N with a vocabulary of N, found '%s'".formatted(text));
  }
}
