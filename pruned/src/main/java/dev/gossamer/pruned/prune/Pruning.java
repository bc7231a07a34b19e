package dev.gossamer.pruned.prune;

import dev.gossamer.base.InvalidSettingException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The time of pruning. Iterations count from 0. The [Criterion] decides which parameters survive.
public sealed interface Pruning {
  /// Iterations between two masks or steps.
  int DEFAULT_MASK_EVERY = 20;

  /// Number of masks that are compared for an Early-Bird Ticket, as published.
  int DEFAULT_MASK_WINDOW = 5;

  /// Distance of masks that have stabilised, as published.
  double DEFAULT_MASK_DISTANCE = 0.1;

  /// {@return the name for users and model files}
  String label();

  /// Resolves iterations that are null.
  ///
  /// @param iterations of the run
  /// @return a copy without nulls; one step if the run is too short for default gradual pruning
  /// @throws InvalidSettingException if the iterations do not fit each other, or the run would end
  ///   before the network is pruned to its sparsity
  default Pruning over(int iterations) {
    return this;
  }

  private static void requireIteration(String component, @Nullable Integer iteration) {
    if (iteration != null) {
      InvalidSettingException.requireAtLeast(component, iteration, 0);
    }
  }

  private static void requireWithin(String component, int iteration, int iterations) {
    if (iteration >= iterations) {
      throw new InvalidSettingException(
          "{%s}: expected less than {iterations} %d, or the run ends before it is pruned, found %d"
              .formatted(component, iterations, iteration));
    }
  }

  /// The network is never pruned.
  record Never() implements Pruning {
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
  /// @param maskDistance the ticket is drawn when the masks of the window differ by less than this
  ///   fraction of their surviving elements
  /// @param pruneUntil iteration before which the newest mask is used, stable or not; null for half
  ///   of the iterations
  record EarlyBird(int maskEvery, int maskWindow, double maskDistance, @Nullable Integer pruneUntil)
      implements Pruning {
    /// Maximum number of stored masks: each takes one bit per element. The publication uses five.
    public static final int MOST_MASKS = 64;

    /// The published window and distance, at the latest after half of the iterations.
    public static final EarlyBird DEFAULT =
        new EarlyBird(DEFAULT_MASK_EVERY, DEFAULT_MASK_WINDOW, DEFAULT_MASK_DISTANCE, null);

    /// Checks the settings.
    ///
    /// @throws InvalidSettingException if a number is out of its range
    public EarlyBird {
      InvalidSettingException.requireAtLeast("maskEvery", maskEvery, 1);
      InvalidSettingException.requireAtLeast("maskWindow", maskWindow, 2);
      if (maskWindow > MOST_MASKS) {
        throw new InvalidSettingException(
            "{maskWindow}: expected at most %d, found %d".formatted(MOST_MASKS, maskWindow));
      }
      if (!(maskDistance > 0 && maskDistance <= 1)) {
        throw new InvalidSettingException(
            "{maskDistance}: expected more than 0 and at most 1, a fraction of the survivors, found "
                + maskDistance);
      }
      requireIteration("pruneUntil", pruneUntil);
    }

    @Override
    public String label() {
      return "early-bird";
    }

    @Override
    public EarlyBird over(int iterations) {
      int last = pruneUntil == null ? iterations / 2 : pruneUntil;
      requireWithin("pruneUntil", last, iterations);
      return withPruneUntil(last);
    }

    /// {@return a copy with another interval between masks}
    ///
    /// @param newInterval iterations
    public EarlyBird withMaskEvery(int newInterval) {
      return new EarlyBird(newInterval, maskWindow, maskDistance, pruneUntil);
    }

    /// {@return a copy with another window}
    ///
    /// @param newWindow masks
    public EarlyBird withMaskWindow(int newWindow) {
      return new EarlyBird(maskEvery, newWindow, maskDistance, pruneUntil);
    }

    /// {@return a copy with another distance}
    ///
    /// @param newDistance fraction of elements
    public EarlyBird withMaskDistance(double newDistance) {
      return new EarlyBird(maskEvery, maskWindow, newDistance, pruneUntil);
    }

    /// {@return a copy with another latest iteration}
    ///
    /// @param newIteration 0-based
    public EarlyBird withPruneUntil(@Nullable Integer newIteration) {
      return new EarlyBird(maskEvery, maskWindow, maskDistance, newIteration);
    }
  }

  /// The network is pruned in one step.
  ///
  /// @param pruneAt iteration before which it is pruned
  record OneShot(int pruneAt) implements Pruning {
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

    @Override
    public OneShot over(int iterations) {
      requireWithin("pruneAt", pruneAt, iterations);
      return this;
    }
  }

  /// The network is pruned step by step (M. Zhu and S. Gupta, *To prune, or not to prune*, 2017).
  ///
  /// @param pruneAt iteration before which the first step is taken; null for a tenth of the
  ///   iterations
  /// @param pruneUntil iteration before which the last step is taken; null for three fifths of the
  ///   iterations
  /// @param maskEvery iterations between two steps; the last one is not later than `pruneUntil`
  record Gradual(@Nullable Integer pruneAt, @Nullable Integer pruneUntil, int maskEvery)
      implements Pruning {
    /// Steps from a tenth to three fifths of the iterations.
    public static final Gradual DEFAULT = new Gradual(null, null, DEFAULT_MASK_EVERY);

    /// Checks the settings.
    ///
    /// @throws InvalidSettingException if a number is out of its range
    public Gradual {
      requireIteration("pruneAt", pruneAt);
      InvalidSettingException.requireAtLeast("maskEvery", maskEvery, 1);
      requireIteration("pruneUntil", pruneUntil);
    }

    @Override
    public String label() {
      return "gradual";
    }

    @Override
    public Pruning over(int iterations) {
      int first = pruneAt == null ? iterations / 10 : pruneAt;
      int last = pruneUntil == null ? 3 * iterations / 5 : pruneUntil;
      if (pruneAt == null && pruneUntil == null && last <= first) {
        // So few iterations have no room for steps.
        return new OneShot(first);
      }
      requireWithin("pruneAt", first, iterations);
      requireWithin("pruneUntil", last, iterations);
      if (last <= first) {
        throw new InvalidSettingException(
            "{pruneUntil}: expected more than {pruneAt} %d, found %d".formatted(first, last));
      }
      return new Gradual(first, last, Math.min(maskEvery, last - first));
    }

    /// {@return the sparsity of each iteration}
    ///
    /// @param sparsity of the last step
    /// @throws NullPointerException if an iteration is null; see [#over]
    public GradualSchedule schedule(double sparsity) {
      int first = Objects.requireNonNull(pruneAt);
      int steps = Math.max(1, (Objects.requireNonNull(pruneUntil) - first) / maskEvery);
      return new GradualSchedule(0, sparsity, first, steps, maskEvery);
    }

    /// {@return a copy with another first iteration}
    ///
    /// @param newIteration 0-based
    public Gradual withPruneAt(@Nullable Integer newIteration) {
      return new Gradual(newIteration, pruneUntil, maskEvery);
    }

    /// {@return a copy with another last iteration}
    ///
    /// @param newIteration 0-based
    public Gradual withPruneUntil(@Nullable Integer newIteration) {
      return new Gradual(pruneAt, newIteration, maskEvery);
    }

    /// {@return a copy with another interval between steps}
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
  record ByMask(Path mask) implements Pruning {
    @Override
    public String label() {
      return "mask";
    }
  }
}
