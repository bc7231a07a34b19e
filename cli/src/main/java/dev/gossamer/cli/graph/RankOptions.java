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

/// Flags of training on a graph with several ranks: exchange and placement.
final class RankOptions extends LaunchOptions {
  static final String PLACEMENTS =
      "block, random, a partitioner (see 'gossamer partition --help'), or a part file";

  private static final String ON = "on";
  private static final String OFF = "off";

  /// What is chosen where no flag says it.
  private static final String PLANNED = " unless a planned alternative saves a tenth of an epoch.";

  @Option(
      names = "--exchange",
      paramLabel = "KIND",
      description =
          "Which rows are exchanged: sparsity-aware (those that are needed) or oblivious (all). Default:"
              + " sparsity-aware,"
              + PLANNED)
  private @Nullable Kind exchange;

  @Option(
      names = "--wire",
      paramLabel = "FORMAT",
      defaultValue = "float32",
      description =
          "Format of rows in messages: float32, or bf16 in half the bytes, rounded; sums stay float32 (default:"
              + " ${DEFAULT-VALUE}).")
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
          "Overlap communication with products; with minibatches, prefetch the next ones. Default: on,"
              + PLANNED)
  private @Nullable String overlap;

  @Option(
      names = "--placement",
      paramLabel = "WHERE",
      description =
          "Which rank owns which vertex: "
              + PLACEMENTS
              + ". With minibatches, it makes each rank train on batches of its own vertices. Default: block for"
              + " minibatches that fetch; otherwise gvb,"
              + PLANNED)
  private @Nullable String placement;

  /// Returns the settings of the flags.
  RankSettings settings() {
    return new RankSettings(
        launchSettings(),
        new ExchangeStrategy(kind(), replication(), overlaps(), wire),
        placement == null ? null : knownPlacement(placement));
  }

  /// Returns the settings for a whole graph that no flag sets.
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

  /// Returns the number of ranks that hold each block of rows.
  int replication() {
    return replication == null ? 1 : replication;
  }

  /// Returns the placement, with the name of a partitioner in its own case; a part file unchanged.
  static String knownPlacement(String given) {
    return Partitioner.names().stream()
        .filter(name -> name.equalsIgnoreCase(given))
        .findFirst()
        .orElse(given);
  }

  /// Whether communication overlaps with computation.
  boolean overlaps() {
    if (overlap == null) {
      return true;
    }
    if (!overlap.equalsIgnoreCase(ON) && !overlap.equalsIgnoreCase(OFF)) {
      throw new InvalidInputException("--overlap: expected on or off, found " + overlap);
    }
    return overlap.equalsIgnoreCase(ON);
  }

  /// Whether a flag sets the placement.
  boolean isPlaced() {
    return placement != null;
  }
}
