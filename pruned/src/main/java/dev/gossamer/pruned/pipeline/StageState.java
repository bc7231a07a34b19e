package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.MeasuredArena;
import dev.gossamer.base.Resources;
import dev.gossamer.base.Workers;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.CompressedState;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.SurvivingUnits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The persistent state of a rank's stage, with its memory: the model state, the optimizer's slots,
/// and the gradient exchange. Pruning creates a new one.
public final class StageState implements AutoCloseable {
  private final Resources resources;
  private final MeasuredArena arena;
  private final StagePart part;
  private final ModelState model;
  private final Optimizer optimizer;
  private final Buckets buckets;
  private final GradientExchange exchange;

  private StageState(
      Resources resources,
      StagePart part,
      MeasuredArena arena,
      ModelState model,
      Optimizer optimizer,
      Replicas replicas) {
    this.resources = resources;
    this.part = part;
    this.arena = arena;
    this.model = model;
    this.optimizer = optimizer;
    buckets = Buckets.of(model.kept(), part.parametersOfBlocks(), part.bucketElements());
    exchange =
        new GradientExchange(
            resources.add(Arena.ofShared()),
            replicas,
            buckets.largest(),
            part.stateSettings().format().bytes());
  }

  /// The survivors of a mask, parameter by parameter.
  static StageState of(StagePart part, Beginning beginning, Replicas replicas, Workers workers) {
    return Resources.owned(resources -> {
      MeasuredArena arena = resources.add(new MeasuredArena());
      Mask mask = beginning.mask();
      boolean whole = mask.count() == mask.layout().count();
      ModelState model =
          whole
              ? new DenseState(arena, part.layout(), part.stateSettings().format())
              : new CompressedState(arena, mask, part.stateSettings().form());
      beginning.values().fill(model);
      model.refresh(workers);
      Optimizer optimizer = new Optimizer(arena, part.stateSettings().rule(), model.kept());
      return new StageState(resources, part, arena, model, optimizer, replicas);
    });
  }

  /// Returns the state of a mask's survivors. This state is not changed.
  ///
  /// @param next survivors of this state
  StageState pruned(Mask next, Replicas replicas, Workers workers) {
    return Resources.owned(owned -> {
      MeasuredArena memory = owned.add(new MeasuredArena());
      ModelState smaller = smaller(memory, next, workers);
      return new StageState(
          owned, part, memory, smaller, optimizer.pruned(memory, model, smaller), replicas);
    });
  }

  /// Returns the state without removed units, in smaller matrices. This state is not changed.
  ///
  /// @param smaller the stage of the network without removed units
  /// @throws IllegalArgumentException if elements of this state have been pruned
  StageState without(SurvivingUnits units, StagePart smaller, Replicas replicas, Workers workers) {
    if (!(model instanceof DenseState)) {
      throw new IllegalArgumentException(
          "structures: expected a state that keeps all elements, found a pruned one");
    }
    return Resources.owned(owned -> {
      MeasuredArena memory = owned.add(new MeasuredArena());
      StateSettings settings = smaller.stateSettings();
      DenseState fewer = new DenseState(memory, smaller.layout(), settings.format());
      Optimizer steps = new Optimizer(memory, settings.rule(), fewer.kept());
      gather(units, model.weights(), fewer, fewer.weights());
      for (int i = 0; i < optimizer.moments().size(); i++) {
        gather(units, optimizer.moments().get(i), fewer, steps.moments().get(i));
      }
      steps.restore(optimizer.steps());
      fewer.refresh(workers);
      return new StageState(owned, smaller, memory, fewer, steps, replicas);
    });
  }

  /// What survives of a flat segment that is laid out as the parameters.
  private void gather(
      SurvivingUnits units, MemorySegment flat, ModelState smaller, MemorySegment to) {
    for (ParameterLayout.Entry entry : model.layout().entries()) {
      units.gather(entry, entry.of(flat), smaller.layout().entry(entry.name()).of(to));
    }
  }

  private ModelState smaller(Arena memory, Mask next, Workers workers) {
    return CompressedState.of(memory, model, next, part.stateSettings().form(), workers);
  }

  /// {@return the parameters, with their gradients}
  public ModelState model() {
    return model;
  }

  /// {@return the optimizer}
  public Optimizer optimizer() {
    return optimizer;
  }

  Buckets buckets() {
    return buckets;
  }

  GradientExchange exchange() {
    return exchange;
  }

  /// {@return the peak bytes of model state and optimizer, as counted by the allocator}
  public long bytes() {
    return arena.peak();
  }

  /// {@return [#bytes] as computed by the formula (SAMO, section III-D)}
  public long formulaBytes() {
    StateSettings settings = part.stateSettings();
    long parameters = model.layout().count();
    return model.kept().count() == parameters
        ? settings.denseBytes(parameters)
        : settings.prunedBytes(model.layout(), entry -> model.kept().entry(entry.name()).count());
  }

  @Override
  public void close() {
    resources.close();
  }
}
