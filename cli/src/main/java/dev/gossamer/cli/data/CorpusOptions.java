package dev.gossamer.cli.data;

import dev.gossamer.pruned.corpus.Tokens;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the data of a pruned network.
public final class CorpusOptions {
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
      description =
          "Tokens of a text: bytes, bpe (GPT-2's 50,257) or bpe:N (the N most frequent of them in the"
              + " training text) (default: bytes).")
  @Nullable String tokens;

  /// Returns the data; null for the JDK's own text.
  public @Nullable Path data() {
    return data;
  }

  /// Returns the tokens of the flag; null for the default.
  public @Nullable Tokens tokens() {
    return tokens == null ? null : Tokens.parse(tokens.toLowerCase(Locale.ROOT));
  }
}
