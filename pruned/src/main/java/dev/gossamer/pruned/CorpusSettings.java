package dev.gossamer.pruned;

import dev.gossamer.pruned.corpus.Tokens;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What a network is trained on, and what it begins with.
///
/// @param data text file, folder of texts, or folder of images, see `docs/formats.md`; null for the
///   declarations of the module `java.base` of the running JDK
/// @param tokens of a text; null for bytes, or those of the network that the run begins with
/// @param from run, model file, or folder in the layout of GPT-2 whose parameters the run begins
///   with; null to initialise them
public record CorpusSettings(@Nullable Path data, @Nullable Tokens tokens, @Nullable Path from) {
  /// The text of the JDK, byte by byte.
  public static final CorpusSettings DEFAULT = new CorpusSettings(null, null, null);

  /// {@return the same with paths that do not depend on the working folder}
  public CorpusSettings absolute() {
    return new CorpusSettings(absolute(data), tokens, absolute(from));
  }

  private static @Nullable Path absolute(@Nullable Path path) {
    return path == null ? null : path.toAbsolutePath().normalize();
  }

  /// {@return a training on these data}
  ///
  /// @throws dev.gossamer.base.InvalidInputException if the network to begin with cannot be read
  public PrunedTraining training() {
    PrunedTraining training = data == null ? PrunedTraining.onJdkText() : PrunedTraining.on(data);
    training = tokens == null ? training : training.tokens(tokens);
    return from == null ? training : training.from(PrunedModel.open(from));
  }
}
