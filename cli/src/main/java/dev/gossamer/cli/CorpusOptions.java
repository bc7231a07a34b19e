package dev.gossamer.cli;

import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.corpus.TokenFile;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say what a dense network learns from.
final class CorpusOptions {
  @Option(
      names = "--data",
      paramLabel = "PATH",
      description =
          "A text file or folder of texts (plain or .gz), a folder of MNIST's idx files, or of CIFAR-10's"
              + " binary files (default: names and signatures of the running JDK).")
  @Nullable Path data;

  @Option(
      names = "--tokens",
      paramLabel = "KIND",
      defaultValue = "bytes",
      description =
          "Tokens of a text: bytes, bpe (GPT-2's 50,257) or bpe:N (the N most frequent of them in the"
              + " training text) (default: ${DEFAULT-VALUE}).")
  String tokens = "bytes";

  /// Opens the corpus.
  ///
  /// @param length tokens of a window, if it is a text
  Corpus open(int length, boolean quiet) {
    Tokens kind = Tokens.parse(tokens);
    try (ReadingLine progress = new ReadingLine(quiet)) {
      return data == null
          ? Corpora.jdkText(kind, length, progress)
          : Corpora.open(data, kind, length, progress);
    }
  }

  /// Makes the path independent of the working folder, for the run's `config.yaml`.
  void makeAbsolute() {
    if (data != null) {
      data = data.toAbsolutePath().normalize();
    }
  }

  /// Writes the tokens of a text beside its model.
  static void writeTokens(RunFolder folder, Corpus corpus) {
    if (corpus instanceof TextCorpus text) {
      TokenFile.write(folder.path().resolve("tokens.json"), text.tokenizer());
    }
  }

  /// Shows how far reading is.
  private static final class ReadingLine implements ReadingProgress, AutoCloseable {
    private final boolean quiet;
    private @Nullable ProgressLine line;
    private String label = "";

    ReadingLine(boolean quiet) {
      this.quiet = quiet;
    }

    @Override
    public void at(String newLabel, long done, long total) {
      if (line == null || !newLabel.equals(label)) {
        close();
        label = newLabel;
        line = new ProgressLine(newLabel, "bytes", total, quiet);
      }
      line.update(done, "");
    }

    @Override
    public void close() {
      if (line != null) {
        line.close();
      }
    }
  }
}
