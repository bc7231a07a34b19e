package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.nn.Mask;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.prune.BlockPruning;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.ChannelPruning;
import dev.gossamer.pruned.prune.EarlyBird;
import dev.gossamer.pruned.prune.GradualSchedule;
import dev.gossamer.pruned.prune.MagnitudePruning;
import dev.gossamer.pruned.prune.PruningQuota;
import java.util.List;

/// Prunes the stages of a network when it is time. What a network loses does not depend on how it
/// is cut into stages. All methods but accessors are collective.
public final class Pruner {
  private static final int NEVER = -1;

  private final Pruning pruning;
  private final Criterion criterion;
  private final double sparsity;
  private final BlockShape blocks;
  private final PipelineTrainer trainer;
  private final ParameterLayout network;
  private final EarlyBird earlyBird;
  private int ticket = NEVER;
  private boolean stable;
  private long kept;

  /// The pruner of a rank's stage.
  ///
  /// @param pruning when
  /// @param criterion what survives
  /// @param sparsity share of all parameters that is pruned in the end; see [#requirePossible]
  /// @param blocks their shape, for the criterion of that name
  /// @param trainer of this rank
  public Pruner(
      Pruning pruning,
      Criterion criterion,
      double sparsity,
      BlockShape blocks,
      PipelineTrainer trainer) {
    this.pruning = pruning;
    this.criterion = criterion;
    this.sparsity = sparsity;
    this.blocks = blocks;
    this.trainer = trainer;
    network = trainer.part().network().layout();
    kept = network.count();
    earlyBird =
        pruning instanceof Pruning.EarlyBird bird
            ? new EarlyBird(bird.window(), bird.threshold(), trainer::sumOverStages)
            : new EarlyBird();
  }

  /// Refuses what cannot be, before ranks are started.
  ///
  /// @param pruning when
  /// @param criterion what survives
  /// @param sparsity share of all parameters that is pruned in the end
  /// @param any one of the stages
  /// @throws InvalidSettingException if too few elements may be pruned for a sparsity, or the
  ///   criterion does not go with network or grid
  public static void requirePossible(
      Pruning pruning, Criterion criterion, double sparsity, StagePart any) {
    if (pruning instanceof Pruning.None || pruning instanceof Pruning.Given) {
      return;
    }
    LayerNetwork network = any.network();
    if (criterion == Criterion.CHANNELS) {
      int inter = any.settings().grid().inter();
      if (inter > 1) {
        throw new InvalidSettingException(
            "{criterion} channels: compares the channels of all layers; expected {stages} 1, found "
                + inter);
      }
      if (network.channelGroups().isEmpty()) {
        throw new InvalidSettingException(
            "{criterion} channels: expected convolutions with batch normalisation, found none in "
                + network.name());
      }
    }
    try {
      if (criterion == Criterion.CHANNELS) {
        ChannelPruning.removed(network.layout(), network.channelGroups(), sparsity);
      } else {
        PruningQuota.of(network.layout(), sparsity);
      }
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      throw new InvalidSettingException(message.replaceFirst("^sparsity", "{sparsity}"), e);
    }
  }

  /// Prunes, if it is time to before an iteration.
  ///
  /// @param step 0-based
  void before(int step) {
    switch (pruning) {
      case Pruning.None() -> {}
      case Pruning.OneShot(int at) -> {
        if (step == at) {
          prune(step, mask(sparsity));
        }
      }
      case Pruning.Given(Mask whole) -> {
        if (step == 0) {
          prune(step, whole.part(trainer.part().layout()));
        }
      }
      case Pruning.Gradual gradual -> {
        GradualSchedule schedule = schedule(gradual);
        if (schedule.prunesAt(step) && schedule.at(step) > 0) {
          prune(step, mask(schedule.at(step)));
        }
      }
      case Pruning.EarlyBird bird -> {
        boolean due = step > 0 && step % bird.every() == 0;
        if (ticket == NEVER && (due || step == bird.latest())) {
          Mask mask = mask(sparsity);
          stable = earlyBird.add(mask);
          if (stable || step == bird.latest()) {
            prune(step, mask);
          }
        }
      }
    }
  }

  private GradualSchedule schedule(Pruning.Gradual gradual) {
    int steps = Math.max(1, (gradual.end() - gradual.begin()) / gradual.every());
    return new GradualSchedule(0, sparsity, gradual.begin(), steps, gradual.every());
  }

  private void prune(int step, Mask mask) {
    trainer.prune(mask);
    ticket = step;
    count();
  }

  private void count() {
    kept = trainer.sumOverStages(trainer.state().model().kept().count());
  }

  /// The stage's part of a mask of the whole network.
  private Mask mask(double share) {
    ModelState model = trainer.state().model();
    return switch (criterion) {
      case PER_LAYER ->
          MagnitudePruning.perLayer(
              model, PruningQuota.of(network, share), trainer.part().network().comparisonGroups());
      case BLOCKS ->
          BlockPruning.mask(
              model,
              PruningQuota.of(network, share),
              trainer.part().network().comparisonGroups(),
              blocks);
      case GLOBAL -> {
        long prunable = network.where(Mask::prunable).count();
        yield MagnitudePruning.global(
            model,
            prunable - PruningQuota.total(network.count(), prunable, share),
            key -> trainer.sumOverStages(MagnitudePruning.countAtLeast(model, key)),
            key -> trainer.sumOverStagesBefore(MagnitudePruning.ties(model, key)));
      }
      case CHANNELS -> ChannelPruning.mask(model, trainer.part().network().channelGroups(), share);
    };
  }

  /// {@return parameters of the network that survive} Local.
  public long kept() {
    return kept;
  }

  /// {@return parameters of the network} Local.
  public long parameters() {
    return network.count();
  }

  /// {@return iteration, 0-based, before which the network was pruned last; -1 for never} Local.
  public int ticket() {
    return ticket;
  }

  /// {@return whether the mask of an early-bird ticket had stabilised} Local.
  public boolean isStable() {
    return stable;
  }

  /// The masks that the next one is compared with. Local.
  List<Mask> remembered() {
    return pruning instanceof Pruning.EarlyBird && ticket == NEVER ? earlyBird.masks() : List.of();
  }

  /// Goes on as a checkpoint says, whose mask the trainer has.
  void restore(List<Mask> remembered, int before, boolean wasStable) {
    remembered.forEach(earlyBird::add);
    ticket = before;
    stable = wasStable;
    count();
  }
}
