package dev.gossamer.cli;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.io.InvalidInputException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of training on a graph over several ranks: what travels between them, and where vertices
/// are.
final class RankOptions extends LaunchOptions {
  /// Where vertices are if no flag says so.
  private static final String USUAL_PLACEMENT = "gvb";

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
              + Placing.CHOICES
              + ". Given to minibatches, each rank trains on batches of its own vertices (default: gvb, and block for"
              + " minibatches that fetch).")
  private @Nullable String placement;

  ExchangeStrategy strategy() {
    if (!overlap.equals("on") && !overlap.equals("off")) {
      throw new InvalidInputException("--overlap: expected on or off, found " + overlap);
    }
    int size = size();
    if (replication < 1 || size % replication != 0 || size % (replication * replication) != 0) {
      throw new InvalidInputException(
          "--replication: expected C with C and C*C dividing %d ranks, found %d"
              .formatted(size, replication));
    }
    return new ExchangeStrategy(exchange, replication, overlap.equals("on"), wire);
  }

  /// @throws InvalidInputException if a flag is given that only full-graph training reads
  void requireMinibatch() {
    if (exchange != Kind.SPARSITY_AWARE) {
      throw new InvalidInputException(
          "--exchange: minibatches fetch what they need; expected sparsity-aware, found "
              + Choice.name(exchange));
    }
  }

  /// Whether a flag says which rank owns which vertex.
  boolean isPlaced() {
    return placement != null;
  }

  /// Which rank owns which vertex.
  String placement() {
    return placement == null ? USUAL_PLACEMENT : placement;
  }

  /// @throws InvalidInputException if rows travel in a way that layers which look at edges cannot
  ///   use: they need all rows of a target's neighbours at once
  void requireEdges() {
    if (exchange != Kind.SPARSITY_AWARE) {
      throw new InvalidInputException(
          "--exchange: gat needs the rows of all neighbours at once; expected sparsity-aware, found "
              + Choice.name(exchange));
    }
    if (replication != 1) {
      throw new InvalidInputException(
          "--replication: gat needs the rows of all neighbours at once; expected 1, found "
              + replication);
    }
  }
}
