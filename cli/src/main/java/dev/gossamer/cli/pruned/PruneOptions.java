package dev.gossamer.cli.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.ReadWith;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of pruning.
final class PruneOptions {
  /// When the network is pruned by default.
  private static final String USUAL = "gradual";

  @Option(
      names = "--prune",
      paramLabel = "WHEN",
      defaultValue = USUAL,
      description =
          "none; early-bird: once the mask has stabilised; one-shot: before iteration --prune-at;"
              + " gradual: step by step from --prune-at to --prune-until (default: ${DEFAULT-VALUE}).")
  String prune = USUAL;

  @ReadWith("--prune gradual")
  @Option(
      names = "--sparsity",
      paramLabel = "P",
      defaultValue = "" + PruningSettings.DEFAULT_SPARSITY,
      description = "Fraction of all parameters that is pruned (default: ${DEFAULT-VALUE}).")
  double sparsity = PruningSettings.DEFAULT_SPARSITY;

  @Option(
      names = "--compare",
      negatable = true,
      description =
          "Also train the unpruned network, and print what pruning costs and saves (default: only without --data and"
              + " --from).")
  @Nullable Boolean compare;

  @Option(
      names = "--criterion",
      paramLabel = "WHICH",
      description =
          "What survives: per-layer (the largest of each matrix), global (the largest of all), blocks or"
              + " blocks=ROWSxCOLUMNS (those with the largest norm of each matrix; blocks are 4x4). Or the network"
              + " becomes smaller: channels (of convolutions, by scales of batch normalisation), heads, neurons (by"
              + " norm, the same fraction of each layer) or structures (all of these, by norm) (default: structures"
              + " if enough parameters belong to them, else per-layer).")
  @Nullable String criterion;

  @ReadWith("--prune gradual")
  @Option(
      names = "--mask-every",
      paramLabel = "N",
      defaultValue = "" + Pruning.DEFAULT_MASK_EVERY,
      description =
          "Iterations between two masks of early-bird, or two steps of gradual (default: ${DEFAULT-VALUE}).")
  int maskEvery = Pruning.DEFAULT_MASK_EVERY;

  @ReadWith("--prune early-bird")
  @Option(
      names = "--mask-window",
      paramLabel = "N",
      defaultValue = "" + Pruning.DEFAULT_MASK_WINDOW,
      description = "Masks that early-bird compares with the newest (default: ${DEFAULT-VALUE}).")
  int maskWindow = Pruning.DEFAULT_MASK_WINDOW;

  @ReadWith("--prune early-bird")
  @Option(
      names = "--mask-distance",
      paramLabel = "D",
      defaultValue = "" + Pruning.DEFAULT_MASK_DISTANCE,
      description =
          "early-bird prunes when the masks of the window differ by less than this fraction of their survivors"
              + " (default: ${DEFAULT-VALUE}).")
  double maskDistance = Pruning.DEFAULT_MASK_DISTANCE;

  @ReadWith("--prune one-shot")
  @Option(
      names = "--prune-at",
      paramLabel = "N",
      description =
          "Iteration before which one-shot prunes (default: 0) and gradual begins (default: a tenth of all).")
  @Nullable Integer pruneAt;

  @ReadWith("--prune gradual")
  @Option(
      names = "--prune-until",
      paramLabel = "N",
      description =
          "Iteration before which gradual ends (default: three fifths of all), and early-bird at the latest (default:"
              + " half of all).")
  @Nullable Integer pruneUntil;

  @Option(
      names = "--mask",
      paramLabel = "FILE",
      description = "Prune by this mask from the beginning, instead of --prune.")
  @Nullable Path mask;

  /// Returns the settings of the flags.
  PruningSettings settings() {
    if (mask != null && !prune.equals(USUAL)) {
      throw new InvalidInputException(
          "--prune: expected none with --mask, which prunes before the first iteration, found "
              + prune);
    }
    Pruning when = mask == null ? when() : new Pruning.ByMask(mask);
    PruningSettings settings = PruningSettings.DEFAULT.withWhen(when).withSparsity(sparsity);
    if (criterion == null) {
      return settings;
    }
    Criterion named = Criterion.named(criterion);
    return named == Criterion.BLOCKS
        ? settings.withBlocks(Criterion.shape(criterion))
        : settings.withCriterion(named);
  }

  private Pruning when() {
    return switch (prune.toLowerCase(Locale.ROOT)) {
      case "none" -> new Pruning.Never();
      case "one-shot" -> new Pruning.OneShot(pruneAt == null ? 0 : pruneAt);
      case "early-bird" -> new Pruning.EarlyBird(maskEvery, maskWindow, maskDistance, pruneUntil);
      case "gradual" -> new Pruning.Gradual(pruneAt, pruneUntil, maskEvery);
      default ->
          throw new InvalidInputException(
              "--prune: expected none, early-bird, one-shot or gradual, found " + prune);
    };
  }
}
