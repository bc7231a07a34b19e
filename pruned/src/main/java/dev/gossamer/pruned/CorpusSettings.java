package dev.gossamer.pruned;

import dev.gossamer.pruned.corpus.Tokens;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The training data and the initial parameters.
///
/// @param data text file, folder of texts, or folder of images, see `docs/formats.md`; null for the
///   declarations of the module `java.base` of the running JDK
/// @param tokens of a text; null for bytes, or for the tokens of the initial network
/// @param from run, model file, or folder in the layout of GPT-2 with the initial parameters; null
///   to initialise them
public record CorpusSettings(@Nullable Path data, @Nullable Tokens tokens, @Nullable Path from) {
  /// The text of the JDK, byte by byte.
  public static final CorpusSettings DEFAULT = new CorpusSettings(null, null, null);

  /// {@return a copy with absolute paths}
  public CorpusSettings absolute() {
    return new CorpusSettings(absolute(data), tokens, absolute(from));
  }

  private static @Nullable Path absolute(@Nullable Path path) {
    return path == null ? null : path.toAbsolutePath().normalize();
  }

  /// {@return a training run on these data}
  ///
  /// @throws dev.gossamer.base.InvalidInputException if the initial network cannot be read
  public PrunedTraining training() {
    PrunedTraining training = data == null ? PrunedTraining.onJdkText() : PrunedTraining.on(data);
    training = tokens == null ? training : training.tokens(tokens);
    return from == null ? training : training.from(PrunedModel.open(from));
  }
}
