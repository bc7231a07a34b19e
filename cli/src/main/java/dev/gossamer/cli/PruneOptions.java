package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say what is pruned and when.
final class PruneOptions {
  @Option(
      names = "--prune",
      paramLabel = "WHEN",
      defaultValue = "early-bird",
      description =
          "none; early-bird: once the mask has stabilised; one-shot: before iteration --prune-at;"
              + " gradual: step by step from --prune-at to --prune-until (default: ${DEFAULT-VALUE}).")
  String prune = "early-bird";

  @Option(
      names = "--sparsity",
      paramLabel = "P",
      defaultValue = "" + PruningSettings.DEFAULT_SPARSITY,
      description = "Share of all parameters that is pruned (default: ${DEFAULT-VALUE}).")
  double sparsity;

  @Option(
      names = "--criterion",
      paramLabel = "WHICH",
      defaultValue = "per-layer",
      description =
          "What survives: per-layer (the largest of each matrix), global (the largest of all) or channels"
              + " (those with the largest scales in batch normalisation) (default: ${DEFAULT-VALUE}).")
  Criterion criterion = Criterion.PER_LAYER;

  @Option(
      names = "--mask-every",
      paramLabel = "N",
      defaultValue = "" + PruningSettings.DEFAULT_MASK_EVERY,
      description =
          "Iterations between two masks of early-bird, or two steps of gradual (default: ${DEFAULT-VALUE}).")
  int maskEvery;

  @Option(
      names = "--mask-window",
      paramLabel = "N",
      defaultValue = "" + PruningSettings.DEFAULT_MASK_WINDOW,
      description = "Masks that early-bird compares with the newest (default: ${DEFAULT-VALUE}).")
  int maskWindow;

  @Option(
      names = "--mask-distance",
      paramLabel = "D",
      defaultValue = "" + PruningSettings.DEFAULT_MASK_DISTANCE,
      description =
          "The ticket is drawn when the masks of the window differ in less than this share"
              + " (default: ${DEFAULT-VALUE}).")
  double maskDistance;

  @Option(
      names = "--prune-at",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Iteration before which one-shot prunes and gradual begins (default: ${DEFAULT-VALUE}).")
  int pruneAt;

  @Option(
      names = "--prune-until",
      paramLabel = "N",
      description =
          "Iteration before which gradual is done, and early-bird at the latest (default: half of all).")
  @Nullable Integer pruneUntil;

  @Option(
      names = "--mask",
      paramLabel = "FILE",
      description = "Prune by this mask from the beginning, instead of --prune.")
  @Nullable Path mask;

  PruningSettings settings() {
    return new PruningSettings(when(), sparsity, criterion);
  }

  private PruningSettings.When when() {
    if (mask != null) {
      return new PruningSettings.ByMask(mask);
    }
    return switch (prune.toLowerCase(Locale.ROOT)) {
      case "none" -> new PruningSettings.Never();
      case "one-shot" -> new PruningSettings.OneShot(pruneAt);
      case "early-bird" ->
          new PruningSettings.EarlyBird(maskEvery, maskWindow, maskDistance, pruneUntil);
      case "gradual" -> new PruningSettings.Gradual(pruneAt, pruneUntil, maskEvery);
      default ->
          throw new InvalidInputException(
              "--prune: expected none, early-bird, one-shot or gradual, found " + prune);
    };
  }
}
