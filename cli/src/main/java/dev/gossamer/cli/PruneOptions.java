package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.prune.BlockShape;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say what is pruned and when.
final class PruneOptions {
  /// When the network is pruned where nobody says it.
  private static final String USUAL = "gradual";

  /// What the shape of blocks comes after.
  private static final String BLOCKS = "blocks=";

  @Option(
      names = "--prune",
      paramLabel = "WHEN",
      defaultValue = USUAL,
      description =
          "none; early-bird: once the mask has stabilised; one-shot: before iteration --prune-at;"
              + " gradual: step by step from --prune-at to --prune-until (default: ${DEFAULT-VALUE}).")
  String prune = USUAL;

  @Option(
      names = "--sparsity",
      paramLabel = "P",
      description =
          "Share of all parameters that is pruned (default: "
              + PruningSettings.DEFAULT_SPARSITY
              + ").")
  @Nullable Double sparsity;

  @Option(
      names = "--compare",
      negatable = true,
      description =
          "Train the whole network, too, and print what pruning costs and saves (default: if nothing is"
              + " given to learn from or begin with).")
  @Nullable Boolean compare;

  @Option(
      names = "--criterion",
      paramLabel = "WHICH",
      description =
          "What survives: per-layer (the largest of each matrix), global (the largest of all), blocks or"
              + " blocks=ROWSxCOLUMNS (those with the largest norm of each matrix; blocks are 4x4). Or the"
              + " network becomes smaller: channels (of convolutions, by scales of batch normalisation),"
              + " heads, neurons (by norm, the same share of each layer) or structures (all of these, by"
              + " norm) (default: structures if enough parameters belong to them, else per-layer).")
  @Nullable String criterion;

  @Option(
      names = "--mask-every",
      paramLabel = "N",
      description =
          "Iterations between two masks of early-bird, or two steps of gradual (default: "
              + PruningSettings.DEFAULT_MASK_EVERY
              + ").")
  @Nullable Integer maskEvery;

  @Option(
      names = "--mask-window",
      paramLabel = "N",
      description =
          "Masks that early-bird compares with the newest (default: "
              + PruningSettings.DEFAULT_MASK_WINDOW
              + ").")
  @Nullable Integer maskWindow;

  @Option(
      names = "--mask-distance",
      paramLabel = "D",
      description =
          "The ticket is drawn when the masks of the window differ in less than this share"
              + " of their survivors (default: "
              + PruningSettings.DEFAULT_MASK_DISTANCE
              + ").")
  @Nullable Double maskDistance;

  @Option(
      names = "--prune-at",
      paramLabel = "N",
      description =
          "Iteration before which one-shot prunes (default: 0) and gradual begins (default: a tenth of all).")
  @Nullable Integer pruneAt;

  @Option(
      names = "--prune-until",
      paramLabel = "N",
      description =
          "Iteration before which gradual is done (default: three fifths of all), and early-bird at the"
              + " latest (default: half of all).")
  @Nullable Integer pruneUntil;

  @Option(
      names = "--mask",
      paramLabel = "FILE",
      description = "Prune by this mask from the beginning, instead of --prune.")
  @Nullable Path mask;

  /// What the flags say, which become as resolved for the run's `config.yaml`. Those that the time
  /// of pruning has no use for are refused, unless they are what runs wrote there though nobody had
  /// given them.
  PruningSettings settings() {
    if (mask != null && !prune.equals(USUAL)) {
      throw new InvalidInputException(
          "--prune: expected none with --mask, which prunes before the first iteration, found "
              + prune);
    }
    String when = mask == null ? prune.toLowerCase(Locale.ROOT) : "mask";
    boolean stepwise = when.equals("early-bird") || when.equals("gradual");
    boolean early = when.equals("early-bird");
    if (when.equals("none") && Boolean.TRUE.equals(compare)) {
      throw refused("--compare", "--prune none", true);
    }
    String other = mask == null ? "--prune " + when : "--mask";
    sparsity =
        taken(
            !when.equals("none") && mask == null,
            other,
            "--sparsity",
            sparsity,
            PruningSettings.DEFAULT_SPARSITY);
    maskEvery =
        taken(stepwise, other, "--mask-every", maskEvery, PruningSettings.DEFAULT_MASK_EVERY);
    maskWindow =
        taken(early, other, "--mask-window", maskWindow, PruningSettings.DEFAULT_MASK_WINDOW);
    maskDistance =
        taken(early, other, "--mask-distance", maskDistance, PruningSettings.DEFAULT_MASK_DISTANCE);
    if (when.equals("one-shot")) {
      pruneAt = pruneAt == null ? 0 : pruneAt;
    } else if (!when.equals("gradual") && pruneAt != null && pruneAt != 0) {
      // Runs of before wrote 0 where it had no use.
      throw refused("--prune-at", other, pruneAt);
    }
    if (!stepwise && pruneUntil != null) {
      throw refused("--prune-until", other, pruneUntil);
    }
    PruningSettings settings = PruningSettings.DEFAULT.withWhen(when(when)).withSparsity(sparsity);
    if (criterion == null) {
      return settings;
    }
    String shape = criterion.startsWith(BLOCKS) ? criterion.substring(BLOCKS.length()) : null;
    return shape == null
        ? settings.withCriterion(named(criterion))
        : settings.withBlocks(BlockShape.parse(shape));
  }

  private static Criterion named(String name) {
    return Arrays.stream(Criterion.values())
        .filter(each -> InvalidSettingException.nameOf(each).equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new InvalidInputException(
                "--criterion: expected per-layer, global, blocks, blocks=ROWSxCOLUMNS, channels, heads,"
                    + " neurons or structures, found "
                    + name));
  }

  private PruningSettings.When when(String when) {
    return switch (when) {
      case "mask" -> new PruningSettings.ByMask(Objects.requireNonNull(mask));
      case "none" -> new PruningSettings.Never();
      case "one-shot" -> new PruningSettings.OneShot(Objects.requireNonNull(pruneAt));
      case "early-bird" ->
          new PruningSettings.EarlyBird(
              Objects.requireNonNull(maskEvery),
              Objects.requireNonNull(maskWindow),
              Objects.requireNonNull(maskDistance),
              pruneUntil);
      case "gradual" ->
          new PruningSettings.Gradual(pruneAt, pruneUntil, Objects.requireNonNull(maskEvery));
      default ->
          throw new InvalidInputException(
              "--prune: expected none, early-bird, one-shot or gradual, found " + prune);
    };
  }

  /// A flag as resolved.
  ///
  /// @param used whether the time of pruning has a use for it
  /// @param usual where nobody gave it
  private static <T> T taken(boolean used, String other, String flag, @Nullable T given, T usual) {
    if (!used && given != null && !given.equals(usual)) {
      throw refused(flag, other, given);
    }
    return given == null ? usual : given;
  }

  private static InvalidInputException refused(String flag, String other, Object value) {
    return new InvalidInputException(
        "%s: expected none with %s, which has no use for it, found %s"
            .formatted(flag, other, value));
  }
}
