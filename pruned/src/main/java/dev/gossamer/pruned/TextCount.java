package dev.gossamer.pruned;

import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.pipeline.Score;

/// Counts bytes and words of a text that is passed in pieces, as tokens.
final class TextCount {
  private final Tokenizer tokenizer;
  private long bytes;
  private long words;
  private boolean inWord;

  TextCount(Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /// Adds the tokens that follow.
  void add(int[] tokens) {
    for (byte each : tokenizer.decode(tokens)) {
      boolean blank = each == ' ' || (each >= '\t' && each <= '\r');
      words += !blank && !inWord ? 1 : 0;
      inWord = !blank;
      bytes++;
    }
  }

  Score.Text text() {
    return new Score.Text(bytes, words);
  }
}
