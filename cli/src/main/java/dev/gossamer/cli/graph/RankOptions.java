package dev.gossamer.cli.graph;

import dev.gossamer.ExchangeSpace;
import dev.gossamer.RankSettings;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.machine.LaunchOptions;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.partition.Partitioner;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of training on a graph over several ranks: what travels between them, and where vertices
/// are.
final class RankOptions extends LaunchOptions {
  static final String PLACEMENTS =
      "block, random, a partitioner (see 'gossamer partition --help'), or a part file";

  private static final String ON = "on";
  private static final String OFF = "off";

  /// What is chosen where no flag says it.
  private static final String PLANNED =
      " if the plan of another saves no tenth of an epoch, else that other.";

  @Option(
      names = "--exchange",
      paramLabel = "KIND",
      description =
          "Which rows travel: sparsity-aware (those that are needed) or oblivious (all). Default: sparsity-aware,"
              + PLANNED)
  private @Nullable Kind exchange;

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
      description =
          "Ranks that hold each block of rows; C and C*C divide the ranks. Default: 1," + PLANNED)
  private @Nullable Integer replication;

  @Option(
      names = "--overlap",
      paramLabel = "on|off",
      description =
          "Multiply while rows travel; with minibatches, draw and fetch the next ones meanwhile. Default: on,"
              + PLANNED)
  private @Nullable String overlap;

  @Option(
      names = "--placement",
      paramLabel = "WHERE",
      description =
          "Which rank owns which vertex: "
              + PLACEMENTS
              + ". Given to minibatches, each rank trains on batches of its own vertices. Default: block for minibatches"
              + " that fetch; otherwise gvb,"
              + PLANNED)
  private @Nullable String placement;

  /// What the flags say.
  RankSettings settings() {
    return new RankSettings(
        launchSettings(),
        new ExchangeStrategy(kind(), replication(), overlaps(), wire),
        placement == null ? null : knownPlacement(placement));
  }

  /// What no flag says, for a whole graph.
  ExchangeSpace open() {
    ExchangeSpace open = ExchangeSpace.ALL;
    open = exchange == null ? open : open.withKind(exchange);
    open = replication == null ? open : open.withReplication(replication);
    open = overlap == null ? open : open.withOverlap(overlaps());
    return placement == null ? open : open.withPlacements(List.of(knownPlacement(placement)));
  }

  private Kind kind() {
    return exchange == null ? RankSettings.DEFAULT.strategy().kind() : exchange;
  }

  /// Ranks that hold each block of rows.
  int replication() {
    return replication == null ? 1 : replication;
  }

  /// The placement as partitioners write their names, which users may write in any case; a part
  /// file as it is.
  static String knownPlacement(String given) {
    return Partitioner.names().stream()
        .filter(name -> name.equalsIgnoreCase(given))
        .findFirst()
        .orElse(given);
  }

  /// Whether ranks compute while rows travel.
  boolean overlaps() {
    if (overlap == null) {
      return true;
    }
    if (!overlap.equalsIgnoreCase(ON) && !overlap.equalsIgnoreCase(OFF)) {
      throw new InvalidInputException("--overlap: expected on or off, found " + overlap);
    }
    return overlap.equalsIgnoreCase(ON);
  }

  /// Whether a flag says which rank owns which vertex.
  boolean isPlaced() {
    return placement != null;
  }
}
