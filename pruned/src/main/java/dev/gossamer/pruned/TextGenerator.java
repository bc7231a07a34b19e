package dev.gossamer.pruned;

import dev.gossamer.matrix.random.Philox;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.layers.TextDecoder;
import java.util.function.Consumer;

/// Continues a text with a language model, token by token: each is drawn from the softmax of the
/// logits that follow the preceding tokens.
///
/// @param decoder that has not read any token; borrowed
/// @param tokenizer of the model
record TextGenerator(TextDecoder decoder, Tokenizer tokenizer) {
  /// Stream of the draws.
  private static final int STREAM = 0x7e47;

  /// Continues a text up to the number of tokens, a text that stops it, or the end-of-text token.
  ///
  /// @param start at least one token
  /// @param listener called with the added text as it is generated, in pieces of whole characters
  /// @return the added text
  String continued(int[] start, GenerationSettings settings, Consumer<String> listener) {
    TokenDraw draw = new TokenDraw(settings.temperature(), settings.topK(), settings.topP());
    GeneratedText text = new GeneratedText(settings.stop(), listener);
    int[] next = start;
    for (int i = 0; i < settings.count() && !text.stopped(); i++) {
      Philox random = Philox.keyed(settings.seed(), STREAM, start.length + i);
      double uniform = (random.low(0, 0, 0, 0) >>> 11) * 0x1p-53;
      int token = draw.from(decoder.append(next), uniform);
      if (tokenizer.endsText(token)) {
        break;
      }
      next = new int[] {token};
      text.add(tokenizer.decode(next));
    }
    return text.end();
  }
}
