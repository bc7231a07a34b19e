package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.DenseArchitecture;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The training data and the initial parameters.
///
/// @param corpus that is open, borrowed; null to open one
/// @param data file or folder that is opened; null for the text of the JDK, or if there is a corpus
/// @param tokens of a text that is opened; null for bytes, or for the tokens of the initial network
/// @param start initial network; null to initialise one
record TrainingSource(
    @Nullable Corpus corpus,
    @Nullable Path data,
    @Nullable Tokens tokens,
    @Nullable PrunedModel start) {
  TrainingSource with(Tokens other) {
    return new TrainingSource(corpus, data, other, start);
  }

  TrainingSource with(PrunedModel other) {
    return new TrainingSource(corpus, data, tokens, other);
  }

  /// Returns whether the data are the text of the JDK and not yet read.
  boolean isPublished() {
    return corpus == null && data == null && tokens == null;
  }

  /// Opens the training data for the duration of a call.
  <R> R open(ModelSettings model, ReadingProgress reading, Function<Corpus, R> use) {
    if (corpus != null) {
      if (tokens != null) {
        throw new InvalidSettingException(
            "{tokens}: expected none for a corpus that is open, found " + tokens);
      }
      return use.apply(corpus);
    }
    int window = start == null ? model.window() : published(model).network(0).input().height();
    Tokens cut = start == null ? tokens == null ? new Tokens.Bytes() : tokens : start.tokens();
    if (start != null && tokens != null) {
      throw new InvalidSettingException(
          "{tokens}: expected none with {from}, which has its own, found " + tokens);
    }
    try (Corpus opened =
        data == null
            ? Corpora.jdkText(cut, window, reading)
            : Corpora.open(data, cut, window, reading)) {
      if (tokens != null && !(opened instanceof TextCorpus)) {
        throw new InvalidSettingException(
            "{tokens}: expected none for the images of %s, found %s"
                .formatted(opened.name(), tokens));
      }
      return use.apply(opened);
    }
  }

  /// The network for a corpus.
  DenseArchitecture architecture(ModelSettings model, Corpus from) {
    if (start == null) {
      return model.on(from);
    }
    DenseArchitecture architecture = published(model);
    start.requireFitting(from, architecture.network(0));
    return architecture;
  }

  /// The network if no data are open.
  DenseArchitecture published(ModelSettings model) {
    return start == null ? model.published() : model.from(start.architecture());
  }

  /// Memory that a process needs for the data.
  ///
  /// @param opened null if they are not read
  CorpusMemory memory(@Nullable Corpus opened) {
    CorpusMemory memory = opened == null ? CorpusMemory.NONE : opened.memory();
    return corpus == null && data == null ? memory.plus(Corpora.JDK_TEXT_BYTES) : memory;
  }
}
