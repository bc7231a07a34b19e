package dev.gossamer.cli;

import dev.gossamer.RankSettings;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.partition.Partitioner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of training on a graph over several ranks: what travels between them, and where vertices
/// are.
final class RankOptions extends LaunchOptions {
  static final String PLACEMENTS =
      "block, random, a partitioner (see 'gossamer partition --help'), or a part file";

  @Option(
      names = "--exchange",
      paramLabel = "KIND",
      defaultValue = "sparsity-aware",
      description =
          "Which rows travel: sparsity-aware (those that are needed) or oblivious (all)"
              + " (default: ${DEFAULT-VALUE}).")
  Kind exchange = Kind.SPARSITY_AWARE;

  @Option(
      names = "--wire",
      paramLabel = "FORMAT",
      defaultValue = "float32",
      description =
          "What rows are while they travel: float32, or bf16 in half the bytes, rounded; sums stay float32"
              + " (default: ${DEFAULT-VALUE}).")
  RowFormat wire = RowFormat.FLOAT32;

  @Option(
      names = "--replication",
      paramLabel = "C",
      defaultValue = "1",
      description =
          "Ranks that hold each block of rows; C and C*C divide the ranks (default: ${DEFAULT-VALUE}).")
  int replication = 1;

  @Option(
      names = "--overlap",
      paramLabel = "on|off",
      defaultValue = "on",
      description =
          "Multiply while rows travel; with minibatches, draw and fetch the next ones meanwhile"
              + " (default: ${DEFAULT-VALUE}).")
  String overlap = "on";

  @Option(
      names = "--placement",
      paramLabel = "WHERE",
      description =
          "Which rank owns which vertex: "
              + PLACEMENTS
              + ". Given to minibatches, each rank trains on batches of its own vertices (default: gvb, and block for"
              + " minibatches that fetch).")
  private @Nullable String placement;

  /// What the flags say.
  RankSettings settings() {
    return new RankSettings(
        ranks,
        new ExchangeStrategy(exchange, replication, overlaps(), wire),
        placement == null ? null : knownPlacement(placement),
        threadOptions(),
        mpiOptions());
  }

  /// The placement as partitioners write their names, which users may write in any case; a part
  /// file as it is.
  static String knownPlacement(String given) {
    return Partitioner.names().stream()
        .filter(name -> name.equalsIgnoreCase(given))
        .findFirst()
        .orElse(given);
  }

  /// Whether work goes on while rows travel.
  boolean overlaps() {
    if (!overlap.equalsIgnoreCase("on") && !overlap.equalsIgnoreCase("off")) {
      throw new InvalidInputException("--overlap: expected on or off, found " + overlap);
    }
    return overlap.equalsIgnoreCase("on");
  }

  /// @throws InvalidInputException if a flag is given that only full-graph training reads
  void requireMinibatch() {
    if (!suitsMinibatches()) {
      throw new InvalidInputException(
          "--exchange: minibatches fetch what they need; expected sparsity-aware, found "
              + Choice.name(exchange));
    }
  }

  /// Whether rows travel in a way that minibatches have, too.
  boolean suitsMinibatches() {
    return exchange == Kind.SPARSITY_AWARE;
  }

  /// Whether a flag says which rank owns which vertex.
  boolean isPlaced() {
    return placement != null;
  }
}
