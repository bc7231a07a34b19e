package dev.gossamer.pruned.corpus;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Encodes the parts of a text as tokens, in batches of pieces, on all processors; the result does
/// not depend on their number.
final class TextEncoding {
  private static final int PIECES = 16;

  private final Map<Part, List<TextSlice>> text;
  private final ReadingProgress progress;

  private final long total;
  private long done;

  /// @param text each part's slices; borrowed while this object lives
  TextEncoding(Map<Part, List<TextSlice>> text, ReadingProgress progress) {
    this.text = text;
    this.progress = progress;
    total =
        text.values().stream()
            .flatMap(List::stream)
            .mapToLong(slice -> slice.bytes().byteSize())
            .sum();
  }

  /// Bytes of the text.
  long bytes() {
    return total;
  }

  /// Returns the tokenizer of a kind of tokens for this text.
  Tokenizer tokenizer(Tokens tokens) {
    return switch (tokens) {
      case Tokens.Bytes _ -> new ByteTokenizer();
      case Tokens.Given given -> given.tokenizer();
      case Tokens.Bpe bpe when bpe.vocabulary() == BpeTokenizer.FULL -> new BpeTokenizer();
      case Tokens.Bpe bpe -> limited(bpe.vocabulary());
    };
  }

  private BpeTokenizer limited(int vocabulary) {
    BpeTokenizer full = new BpeTokenizer();
    long[] counts = new long[BpeTokenizer.FULL];
    encode(
        Part.TRAIN,
        full,
        "count tokens",
        tokens -> {
          for (int token : tokens) {
            counts[token]++;
          }
        });
    done = 0;
    return full.mostFrequent(counts, vocabulary);
  }

  /// The tokens of every part.
  ///
  /// @param arena owner of their memory
  Map<Part, TokenSequence> encode(Arena arena, Tokenizer tokenizer) {
    Map<Part, TokenSequence> parts = new EnumMap<>(Part.class);
    for (Part part : Part.values()) {
      try (TokenSequence.Builder builder = new TokenSequence.Builder()) {
        encode(part, tokenizer, "tokens", builder::add);
        parts.put(part, builder.build(arena));
      }
    }
    return parts;
  }

  /// Takes the tokens of a piece.
  private interface Sink {
    void add(int[] tokens);
  }

  private void encode(Part part, Tokenizer tokenizer, String label, Sink sink) {
    List<TextSlice> pieces = new ArrayList<>();
    text.getOrDefault(part, List.of()).forEach(slice -> pieces.addAll(slice.pieces()));
    for (int from = 0; from < pieces.size(); from += PIECES) {
      List<TextSlice> some = pieces.subList(from, Math.min(pieces.size(), from + PIECES));
      some.parallelStream()
          .map(piece -> tokenizer.encode(piece.decode()))
          .toList()
          .forEach(sink::add);
      done += some.stream().mapToLong(piece -> piece.bytes().byteSize()).sum();
      progress.at(label, done, total);
    }
  }
}
