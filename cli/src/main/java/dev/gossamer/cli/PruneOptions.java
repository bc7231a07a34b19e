package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.DownCast;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.pipeline.Pruning;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.prune.MaskFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say what is pruned and when, and how the rest is kept.
final class PruneOptions {
  @Option(
      names = "--prune",
      paramLabel = "WHEN",
      defaultValue = "early-bird",
      description =
          "none; early-bird: when the mask has come to rest; one-shot: before iteration --prune-at;"
              + " gradual: step by step from --prune-at to --prune-until (default: ${DEFAULT-VALUE}).")
  String prune = "early-bird";

  @Option(
      names = "--sparsity",
      paramLabel = "P",
      defaultValue = "0.9",
      description = "Share of all parameters that is pruned (default: ${DEFAULT-VALUE}).")
  double sparsity = 0.9;

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
      defaultValue = "20",
      description =
          "Iterations between two masks of early-bird, or two steps of gradual (default: ${DEFAULT-VALUE}).")
  int maskEvery = 20;

  @Option(
      names = "--mask-window",
      paramLabel = "N",
      defaultValue = "5",
      description = "Masks that early-bird compares with the newest (default: ${DEFAULT-VALUE}).")
  int maskWindow = 5;

  @Option(
      names = "--mask-distance",
      paramLabel = "D",
      defaultValue = "0.1",
      description =
          "The ticket is drawn when the masks of the window differ in less than this share"
              + " (default: ${DEFAULT-VALUE}).")
  double maskDistance = 0.1;

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

  @Option(
      names = "--index",
      paramLabel = "KIND",
      defaultValue = "int32",
      description =
          "How the survivors are known: int32 (4 bytes a survivor, as in the publication), bitmap (a bit a"
              + " parameter) or auto (whichever is smaller) (default: ${DEFAULT-VALUE}).")
  IndexKind index = IndexKind.INT32;

  @Option(
      names = "--downcast",
      paramLabel = "HOW",
      defaultValue = "chunked",
      description =
          "Updated parameters become 16-bit ones chunked, or whole by way of a copy of all, as in the"
              + " publication (default: ${DEFAULT-VALUE}).")
  DownCast downCast = DownCast.CHUNKED;

  @Option(
      names = "--compute",
      paramLabel = "HOW",
      defaultValue = "dense",
      description =
          "Products of a pruned network: dense (zeros in place of what is pruned) or sparse, the baseline"
              + " (default: ${DEFAULT-VALUE}).")
  Products products = Products.DENSE;

  /// When the network is pruned.
  ///
  /// @throws InvalidInputException if flags or the mask's file are wrong
  Pruning pruning(int iterations, DenseNetwork network) {
    if (!(sparsity > 0 && sparsity < 1)) {
      throw new InvalidInputException(
          "--sparsity: expected more than 0 and less than 1, found " + sparsity);
    }
    require("--mask-every", maskEvery, 1);
    require("--mask-window", maskWindow, 1);
    require("--prune-at", pruneAt, 0);
    int until = pruneUntil == null ? iterations / 2 : pruneUntil;
    if (mask != null) {
      return new Pruning.Given(MaskFile.read(mask, network.layout()));
    }
    return switch (prune) {
      case "none" -> new Pruning.None();
      case "one-shot" -> new Pruning.OneShot(pruneAt);
      case "early-bird" -> new Pruning.EarlyBird(maskEvery, maskWindow, maskDistance, until);
      case "gradual" -> {
        if (until <= pruneAt) {
          throw new InvalidInputException(
              "--prune-until: expected more than --prune-at %d, found %d"
                  .formatted(pruneAt, until));
        }
        yield new Pruning.Gradual(pruneAt, until, maskEvery);
      }
      default ->
          throw new InvalidInputException(
              "--prune: expected none, early-bird, one-shot or gradual, found " + prune);
    };
  }

  /// Whether the network is pruned before its first iteration.
  boolean isFromTheBeginning() {
    return mask != null || (prune.equals("one-shot") && pruneAt == 0);
  }

  private static void require(String flag, int value, int least) {
    if (value < least) {
      throw new InvalidInputException(
          "%s: expected at least %d, found %d".formatted(flag, least, value));
    }
  }
}
