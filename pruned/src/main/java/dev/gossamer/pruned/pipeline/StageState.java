package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.MeasuredArena;
import dev.gossamer.matrix.Workers;
import dev.gossamer.nn.CompressedState;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Mask;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.SparseState;
import dev.gossamer.nn.optimizer.Optimizer;
import java.lang.foreign.Arena;

/// What a rank keeps of its stage's parameters from iteration to iteration, with its memory: the
/// model state, the optimizer's slots, and how gradients travel. Pruning makes a new one.
public final class StageState implements AutoCloseable {
  private final MeasuredArena arena;
  private final Arena buffers = Arena.ofShared();
  private final StagePart part;
  private final ModelState model;
  private final Optimizer optimizer;
  private final Buckets buckets;
  private final GradientExchange exchange;

  private StageState(
      StagePart part,
      MeasuredArena arena,
      ModelState model,
      Optimizer optimizer,
      Replicas replicas) {
    this.part = part;
    this.arena = arena;
    this.model = model;
    this.optimizer = optimizer;
    buckets = Buckets.of(model.kept(), part.parametersOfBlocks(), part.bucketElements());
    exchange =
        new GradientExchange(
            buffers, replicas, buckets.largest(), part.stateSettings().format().bytes());
  }

  /// All parameters, with their first values.
  static StageState dense(StagePart part, Replicas replicas, Workers workers) {
    MeasuredArena arena = new MeasuredArena();
    DenseState model = new DenseState(arena, part.layout(), part.stateSettings().format());
    part.initialise(model.weights());
    model.refresh(workers);
    Optimizer optimizer = new Optimizer(arena, part.stateSettings().rule(), model.kept());
    return new StageState(part, arena, model, optimizer, replicas);
  }

  /// The survivors of a mask with what this state knows about them. This state is left as it is.
  ///
  /// @param next survivors of this state
  StageState pruned(Mask next, Replicas replicas, Workers workers) {
    StateSettings settings = part.stateSettings();
    MeasuredArena memory = new MeasuredArena();
    ModelState smaller =
        switch (settings.products()) {
          case DENSE ->
              CompressedState.of(
                  memory,
                  model,
                  next,
                  settings.format(),
                  settings.index(),
                  settings.downCast(),
                  workers);
          case SPARSE -> SparseState.of(memory, model, next, settings.format(), workers);
        };
    return new StageState(
        part, memory, smaller, optimizer.pruned(memory, model, smaller), replicas);
  }

  public ModelState model() {
    return model;
  }

  public Optimizer optimizer() {
    return optimizer;
  }

  Buckets buckets() {
    return buckets;
  }

  GradientExchange exchange() {
    return exchange;
  }

  /// The most bytes that the allocator has given to model state and optimizer.
  public long bytes() {
    return arena.peak();
  }

  /// What [#bytes] is by the formula (SAMO, section III-D).
  public long formulaBytes() {
    StateSettings settings = part.stateSettings();
    long parameters = model.layout().count();
    return model.kept().count() == parameters
        ? settings.denseBytes(parameters)
        : settings.compressedBytes(parameters, model.kept().count());
  }

  @Override
  public void close() {
    buffers.close();
    arena.close();
  }
}
