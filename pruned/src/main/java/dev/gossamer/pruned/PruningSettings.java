package dev.gossamer.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Pruning;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.BlockPruning;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.MaskFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Settings of pruning: when, how much, and what survives.
///
/// @param when time of pruning
/// @param sparsity fraction of all parameters that is pruned in the end
/// @param criterion what survives; null for entire heads, neurons and channels if they make up
///   enough of the network, otherwise for individual elements of each matrix
/// @param blocks their shape, for the criterion of that name
public record PruningSettings(
    When when, double sparsity, @Nullable Criterion criterion, BlockShape blocks) {
  /// Default fraction of pruned parameters: it increases the loss of small networks by a few
  /// percent. SAMO uses 0.9, with overparameterised networks.
  public static final double DEFAULT_SPARSITY = 0.7;

  /// Iterations between two masks or steps.
  public static final int DEFAULT_MASK_EVERY = 20;

  /// Number of masks that are compared for an Early-Bird Ticket, as published.
  public static final int DEFAULT_MASK_WINDOW = 5;

  /// Distance of masks that have stabilised, as published.
  public static final double DEFAULT_MASK_DISTANCE = 0.1;

  /// Step by step.
  public static final PruningSettings DEFAULT =
      new PruningSettings(Gradual.DEFAULT, DEFAULT_SPARSITY, null, BlockShape.DEFAULT);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if the sparsity is out of its range
  public PruningSettings {
    if (!(sparsity > 0 && sparsity < 1)) {
      throw new InvalidSettingException(
          "{sparsity}: expected more than 0 and less than 1, found " + sparsity);
    }
  }

  /// When a network is pruned. Iterations count from 0.
  public sealed interface When {
    /// Returns the name for users and model files.
    ///
    /// @return the name
    String label();

    /// Stands here and not in the enclosing record, whose default is made of one of these.
    private static void requireIteration(String component, @Nullable Integer iteration) {
      if (iteration != null) {
        InvalidSettingException.requireAtLeast(component, iteration, 0);
      }
    }
  }

  /// The network is never pruned.
  public record Never() implements When {
    @Override
    public String label() {
      return "none";
    }
  }

  /// The network is pruned once its mask has stabilised: an Early-Bird Ticket (H. You, C. Li, P. Xu
  /// and others, ICLR 2020).
  ///
  /// @param maskEvery iterations between two masks: an epoch in the publication
  /// @param maskWindow number of masks that are compared, including the newest
  /// @param maskDistance the ticket is drawn when the masks of the window differ in less than this
  ///   fraction of their surviving elements
  /// @param pruneUntil iteration before which the newest mask is taken, stable or not; null for
  ///   half of all
  public record EarlyBird(
      int maskEvery, int maskWindow, double maskDistance, @Nullable Integer pruneUntil)
      implements When {
    /// The published window and distance, and at most half of all iterations.
    public static final EarlyBird DEFAULT =
        new EarlyBird(DEFAULT_MASK_EVERY, DEFAULT_MASK_WINDOW, DEFAULT_MASK_DISTANCE, null);

    /// Checks the settings.
    ///
    /// @throws InvalidSettingException if a number is out of its range
    public EarlyBird {
      InvalidSettingException.requireAtLeast("maskEvery", maskEvery, 1);
      InvalidSettingException.requireAtLeast("maskWindow", maskWindow, 2);
      if (maskWindow > Pruning.EarlyBird.MOST_MASKS) {
        throw new InvalidSettingException(
            "{maskWindow}: expected at most %d, found %d"
                .formatted(Pruning.EarlyBird.MOST_MASKS, maskWindow));
      }
      if (!(maskDistance > 0 && maskDistance <= 1)) {
        throw new InvalidSettingException(
            "{maskDistance}: expected more than 0 and at most 1, a share of survivors, found "
                + maskDistance);
      }
      When.requireIteration("pruneUntil", pruneUntil);
    }

    @Override
    public String label() {
      return "early-bird";
    }

    /// {@return the same with another interval between masks}
    ///
    /// @param newInterval iterations
    public EarlyBird withMaskEvery(int newInterval) {
      return new EarlyBird(newInterval, maskWindow, maskDistance, pruneUntil);
    }

    /// {@return the same with another window}
    ///
    /// @param newWindow masks
    public EarlyBird withMaskWindow(int newWindow) {
      return new EarlyBird(maskEvery, newWindow, maskDistance, pruneUntil);
    }

    /// {@return the same with another distance}
    ///
    /// @param newDistance fraction of elements
    public EarlyBird withMaskDistance(double newDistance) {
      return new EarlyBird(maskEvery, maskWindow, newDistance, pruneUntil);
    }

    /// {@return the same with another latest iteration}
    ///
    /// @param newIteration 0-based
    public EarlyBird withPruneUntil(@Nullable Integer newIteration) {
      return new EarlyBird(maskEvery, maskWindow, maskDistance, newIteration);
    }
  }

  /// The network is pruned in one step.
  ///
  /// @param pruneAt iteration before which it is pruned
  public record OneShot(int pruneAt) implements When {
    /// Checks the settings.
    ///
    /// @throws InvalidSettingException if there is no such iteration
    public OneShot {
      InvalidSettingException.requireAtLeast("pruneAt", pruneAt, 0);
    }

    @Override
    public String label() {
      return "one-shot";
    }
  }

  /// The network is pruned step by step (M. Zhu and S. Gupta, *To prune, or not to prune*, 2017).
  ///
  /// @param pruneAt iteration before which the first step is taken; null for a tenth of all
  /// @param pruneUntil iteration before which the last step is taken; null for three fifths of all
  /// @param maskEvery iterations between two steps; the last one is not later than `pruneUntil`
  public record Gradual(@Nullable Integer pruneAt, @Nullable Integer pruneUntil, int maskEvery)
      implements When {
    /// From a tenth to three fifths of all iterations.
    public static final Gradual DEFAULT = new Gradual(null, null, DEFAULT_MASK_EVERY);

    /// Checks the settings.
    ///
    /// @throws InvalidSettingException if a number is out of its range
    public Gradual {
      When.requireIteration("pruneAt", pruneAt);
      InvalidSettingException.requireAtLeast("maskEvery", maskEvery, 1);
      When.requireIteration("pruneUntil", pruneUntil);
    }

    @Override
    public String label() {
      return "gradual";
    }

    /// {@return the same from another iteration on}
    ///
    /// @param newIteration 0-based
    public Gradual withPruneAt(@Nullable Integer newIteration) {
      return new Gradual(newIteration, pruneUntil, maskEvery);
    }

    /// {@return the same to another iteration}
    ///
    /// @param newIteration 0-based
    public Gradual withPruneUntil(@Nullable Integer newIteration) {
      return new Gradual(pruneAt, newIteration, maskEvery);
    }

    /// {@return the same with another interval between steps}
    ///
    /// @param newInterval iterations
    public Gradual withMaskEvery(int newInterval) {
      return new Gradual(pruneAt, pruneUntil, newInterval);
    }
  }

  /// The network is pruned before the first iteration with the mask of an earlier run. Sparsity and
  /// criterion are then those of the mask.
  ///
  /// @param mask the mask file
  public record ByMask(Path mask) implements When {
    @Override
    public String label() {
      return "mask";
    }
  }

  /// {@return the same with another time of pruning}
  ///
  /// @param newWhen time of pruning
  public PruningSettings withWhen(When newWhen) {
    return new PruningSettings(newWhen, sparsity, criterion, blocks);
  }

  /// {@return the same with another sparsity}
  ///
  /// @param newSparsity fraction of all parameters
  public PruningSettings withSparsity(double newSparsity) {
    return new PruningSettings(when, newSparsity, criterion, blocks);
  }

  /// {@return the same with another criterion}
  ///
  /// @param newCriterion what survives
  public PruningSettings withCriterion(Criterion newCriterion) {
    return new PruningSettings(when, sparsity, newCriterion, blocks);
  }

  /// {@return the same with the criterion of blocks}
  ///
  /// @param shape of the blocks
  public PruningSettings withBlocks(BlockShape shape) {
    return new PruningSettings(when, sparsity, Criterion.BLOCKS, shape);
  }

  /// {@return the criterion as users write it, with the shape of blocks: `blocks=4x4`; empty if
  /// none is given}
  public String criterionName() {
    return criterion == null ? "" : criterion.name(blocks);
  }

  /// {@return whether the network is pruned at all}
  public boolean prunes() {
    return !(when instanceof Never);
  }

  /// Whether entire blocks survive in the end.
  ///
  /// @throws InvalidInputException if the settings have a mask that cannot be read
  boolean leavesBlocks() {
    return when instanceof ByMask(Path mask)
        ? BlockPruning.isInBlocks(MaskFile.read(mask))
        : criterion == Criterion.BLOCKS;
  }

  /// When the network is pruned in a run.
  ///
  /// @throws InvalidSettingException if the iterations do not fit each other, or the run would end
  ///   before the network is pruned to its sparsity
  /// @throws InvalidInputException if the mask cannot be read or is for another network
  PruningChoice over(int iterations, LayerNetwork network, StorageSettings storage) {
    Criterion chosen = criterion == null ? usual(network, storage) : criterion;
    return new PruningChoice(pruning(iterations, network.layout()), chosen, sparsity, blocks);
  }

  /// Whole units, unless too few parameters belong to them or the form of single elements is given.
  private Criterion usual(LayerNetwork network, StorageSettings storage) {
    boolean formed =
        storage.index() != null
            || storage.downCast() != null
            || storage.products() != Products.AUTO;
    return !formed && Criterion.STRUCTURES.reaches(sparsity, network)
        ? Criterion.STRUCTURES
        : Criterion.PER_LAYER;
  }

  private Pruning pruning(int iterations, ParameterLayout network) {
    return switch (when) {
      case Never() -> new Pruning.None();
      case EarlyBird(int every, int window, double distance, Integer until) -> {
        int last = until == null ? iterations / 2 : until;
        requireWithin("pruneUntil", last, iterations);
        yield new Pruning.EarlyBird(every, window, distance, last);
      }
      case OneShot(int at) -> {
        requireWithin("pruneAt", at, iterations);
        yield new Pruning.OneShot(at);
      }
      case Gradual(Integer at, Integer until, int every) -> {
        int from = at == null ? iterations / 10 : at;
        int last = until == null ? 3 * iterations / 5 : until;
        if (at == null && until == null && last <= from) {
          // So few iterations have no room for steps.
          yield new Pruning.OneShot(from);
        }
        requireWithin("pruneAt", from, iterations);
        requireWithin("pruneUntil", last, iterations);
        if (last <= from) {
          throw new InvalidSettingException(
              "{pruneUntil}: expected more than {pruneAt} %d, found %d".formatted(from, last));
        }
        yield new Pruning.Gradual(from, last, Math.min(every, last - from));
      }
      case ByMask(Path mask) -> new Pruning.Given(MaskFile.read(mask, network));
    };
  }

  private static void requireWithin(String component, int iteration, int iterations) {
    if (iteration >= iterations) {
      throw new InvalidSettingException(
          "{%s}: expected less than {iterations} %d, or the run ends before it is pruned, found %d"
              .formatted(component, iterations, iteration));
    }
  }
}
