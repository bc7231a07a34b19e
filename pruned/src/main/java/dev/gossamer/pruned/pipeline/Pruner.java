package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.GradualSchedule;
import dev.gossamer.pruned.prune.MagnitudePruning;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.pruned.prune.PruningQuota;
import dev.gossamer.pruned.prune.StableMask;
import dev.gossamer.pruned.prune.StructuredPruning;
import dev.gossamer.pruned.prune.SurvivingUnits;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Prunes the stages of a network in the iterations of its schedule. The mask does not depend on
/// the division into stages. All methods except accessors are collective.
public final class Pruner {
  private static final int NEVER = -1;

  private final PruningChoice pruning;
  private final PipelineTrainer trainer;
  private final ParameterLayout network;
  private final StableMask earlyBird;
  private int ticket = NEVER;
  private boolean stable;
  private long kept;

  /// Creates the pruner of a rank's stage.
  ///
  /// @param pruning time, criterion and sparsity; see [#requirePossible]
  /// @param whole network of the run, with all units
  /// @param trainer of this rank, in the state of [Beginning#of]
  public Pruner(PruningChoice pruning, LayerNetwork whole, PipelineTrainer trainer) {
    this.pruning = pruning;
    this.trainer = trainer;
    network = whole.layout();
    kept = network.count();
    Pruning.EarlyBird bird =
        pruning.when() instanceof Pruning.EarlyBird given ? given : Pruning.EarlyBird.DEFAULT;
    earlyBird = new StableMask(bird.maskWindow(), bird.maskDistance(), trainer::sumOverStages);
  }

  /// Checks that pruning is possible, before ranks are started.
  ///
  /// @param pruning time, criterion and sparsity
  /// @param any one of the stages
  /// @throws InvalidSettingException if too few elements may be pruned for a sparsity, or the
  ///   criterion does not fit network or grid
  public static void requirePossible(PruningChoice pruning, StagePart any) {
    if (pruning.isGiven() || pruning.when() instanceof Pruning.Never) {
      return;
    }
    Criterion criterion = pruning.criterion();
    double sparsity = pruning.sparsity();
    LayerNetwork network = any.network();
    if (pruning.removesUnits()) {
      requireNoForm(criterion, any.stateSettings().storage());
    }
    if (criterion.isStructural()) {
      long removable = network.parameters() - pruning.units(network).least();
      PruningQuota.total(network.parameters(), removable, sparsity);
    } else {
      PruningQuota.of(network.layout(), sparsity);
    }
  }

  /// Refuses forms of pruned elements where whole units go, and nothing would read them.
  private static void requireNoForm(Criterion criterion, StorageSettings storage) {
    requireNone("index", storage.index(), criterion);
    requireNone("downCast", storage.downCast(), criterion);
    requireNone(
        "products", storage.products() == Products.AUTO ? null : storage.products(), criterion);
  }

  private static void requireNone(String component, @Nullable Enum<?> value, Criterion criterion) {
    if (value != null) {
      throw new InvalidSettingException(
          "{%s}: expected none with {criterion} %s, whose matrices are dense, found %s"
              .formatted(
                  component,
                  InvalidSettingException.nameOf(criterion),
                  InvalidSettingException.nameOf(value)));
    }
  }

  /// Prunes before an iteration, if it is scheduled.
  ///
  /// @param step 0-based
  /// @return whether it has pruned
  boolean before(int step) {
    return switch (pruning.when()) {
      case Pruning.Never() -> false;
      case Pruning.OneShot(int at) ->
          step == at && (pruning.isFirst() ? begun(step) : prune(step, pruning.sparsity()));
      case Pruning.ByMask _ -> step == 0 && begun(step);
      case Pruning.Gradual gradual -> {
        GradualSchedule schedule = gradual.schedule(pruning.sparsity());
        yield schedule.prunesAt(step) && prune(step, schedule.at(step));
      }
      case Pruning.EarlyBird bird -> ticket == NEVER && draw(step, bird);
    };
  }

  /// Returns whether the network has its final sparsity.
  ///
  /// @param step 0-based, that of an iteration that is done
  boolean isDone(int step) {
    return switch (pruning.when()) {
      case Pruning.Never _, Pruning.ByMask _ -> true;
      case Pruning.OneShot(int at) -> step >= at;
      case Pruning.Gradual gradual -> step >= Objects.requireNonNull(gradual.pruneUntil());
      case Pruning.EarlyBird bird ->
          ticket != NEVER || step >= Objects.requireNonNull(bird.pruneUntil());
    };
  }

  /// Draws the ticket if its mask has stabilised, or this is the last iteration for it.
  private boolean draw(int step, Pruning.EarlyBird bird) {
    boolean last = step == Objects.requireNonNull(bird.pruneUntil());
    if (!last && (step == 0 || step % bird.maskEvery() != 0)) {
      return false;
    }
    SurvivingUnits units = pruning.removesUnits() ? units(pruning.sparsity()) : null;
    Mask mask = units == null ? mask(pruning.sparsity()) : units.mask(trainer.part().layout());
    stable = earlyBird.add(mask);
    if (!(stable || last) || kept <= PruningChoice.left(network, pruning.sparsity())) {
      return false;
    }
    return units == null ? prune(step, mask) : !units.areAll() && remove(step, units);
  }

  /// Prunes to a sparsity, unless as much is pruned already: a run that is resumed with more
  /// iterations or a smaller sparsity has another schedule, and what is pruned stays pruned.
  private boolean prune(int step, double sparsity) {
    if (kept <= PruningChoice.left(network, sparsity)) {
      return false;
    }
    if (!pruning.removesUnits()) {
      return prune(step, mask(sparsity));
    }
    SurvivingUnits units = units(sparsity);
    return !units.areAll() && remove(step, units);
  }

  private boolean remove(int step, SurvivingUnits units) {
    trainer.remove(units);
    return begun(step);
  }

  private boolean prune(int step, Mask mask) {
    trainer.prune(mask);
    return begun(step);
  }

  /// The state is that of the survivors.
  private boolean begun(int step) {
    ticket = step;
    count();
    return true;
  }

  private void count() {
    kept = trainer.sumOverStages(trainer.state().model().kept().count());
  }

  /// The units of the whole network that survive. Of a network that has lost some, the sparsity is
  /// that of the network with all of them.
  private SurvivingUnits units(double sparsity) {
    StructuredPruning choice = pruning.units(trainer.part().network());
    ModelState model = trainer.state().model();
    double[] scores =
        pruning.criterion() == Criterion.CHANNELS ? choice.scales(model) : choice.norms(model);
    trainer.sumOverParts(scores);
    return choice.survivors(scores, PruningChoice.left(network, sparsity));
  }

  /// The stage's part of a mask of the whole network.
  private Mask mask(double sparsity) {
    ModelState model = trainer.state().model();
    return switch (pruning.criterion()) {
      case PER_LAYER, BLOCKS -> pruning.byMatrix(model, trainer.part().network(), sparsity);
      case GLOBAL -> {
        long prunable = network.where(Mask::prunable).count();
        yield MagnitudePruning.global(
            model,
            prunable - PruningQuota.total(network.count(), prunable, sparsity),
            key -> trainer.sumOverStages(MagnitudePruning.countAtLeast(model, key)),
            key -> trainer.sumOverStagesBefore(MagnitudePruning.ties(model, key)));
      }
      case CHANNELS, HEADS, NEURONS, STRUCTURES ->
          throw new IllegalStateException(pruning.criterion() + " removes whole units");
    };
  }

  /// {@return the number of parameters that survive} Local.
  public long kept() {
    return kept;
  }

  /// {@return the number of parameters of the network} Local.
  public long parameters() {
    return network.count();
  }

  /// {@return the iteration, 0-based, before which the network was pruned last; -1 for never}
  /// Local.
  public int ticket() {
    return ticket;
  }

  /// {@return whether the mask of an early-bird ticket had stabilised} Local.
  public boolean isStable() {
    return stable;
  }

  /// Returns the remaining units of prunable layers, by layer name; empty before units are removed,
  /// and if the network is pruned by elements. Local.
  Map<String, Integer> widths() {
    Map<String, Integer> widths = new TreeMap<>();
    if (pruning.removesUnits() && ticket != NEVER) {
      trainer.part().network().structures().forEach(each -> widths.put(each.name(), each.units()));
    }
    return widths;
  }

  /// The masks that the next one is compared with. Local.
  List<Mask> remembered() {
    return pruning.when() instanceof Pruning.EarlyBird && ticket == NEVER
        ? earlyBird.masks()
        : List.of();
  }

  /// Continues from a checkpoint whose mask the trainer has already loaded.
  void restore(List<Mask> remembered, int before, boolean wasStable) {
    remembered.forEach(earlyBird::add);
    ticket = before;
    stable = wasStable;
    count();
  }
}
