package dev.gossamer.cli.data;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.run.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The data that a pruned network was trained on.
///
/// @param path the folder of the run, or a model file
public record PrunedRunData(Path path) {
  /// Opens data for the network.
  ///
  /// @param data a text or images; null for those of the run
  /// @return the corpus, which the caller closes
  /// @throws InvalidInputException if nothing names them, or they are not for the network
  public Corpus open(PrunedModel model, @Nullable Path data, boolean quiet) {
    try (ProgressSteps progress = new ProgressSteps(quiet, "bytes")) {
      return model.corpus(data == null ? dataOfRun(model) : data, progress::at);
    }
  }

  /// The data that the run was given; null for the JDK's own text.
  private @Nullable Path dataOfRun(PrunedModel model) {
    if (Files.isRegularFile(path.resolve("config.yaml"))) {
      return ConfigFile.read(RunFolder.open(path).config()).fill(new CorpusOptions()).data();
    }
    if (Corpora.JDK_TEXT.equals(model.facts().get("data"))) {
      return null;
    }
    throw new InvalidInputException(
        "--data: expected the data to evaluate %s on, found none; a model file does not say where they are"
            .formatted(path));
  }
}
