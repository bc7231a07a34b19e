package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Resources;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Link;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// The position of a rank on a grid: its stage and replica with their groups of ranks, and the
/// memory of its microbatches.
final class GridPosition implements AutoCloseable {
  private final StagePart part;
  private final Communicator pipeline;
  private final Replicas replicas;
  private final Arena memory;
  private final Stage stage;
  private final MicrobatchSchedule schedule;

  private GridPosition(
      Communicator world, StagePart part, StageClock clock, @Nullable Link link, Arena memory) {
    this.part = part;
    this.memory = memory;
    RankGrid grid = part.settings().grid();
    pipeline = world.split(grid.replica(world.rank()), grid.stage(world.rank()));
    replicas = Replicas.of(world, grid);
    StagePlan plan = part.plan();
    stage = new Stage(memory, plan);
    schedule =
        new MicrobatchSchedule(
            pipeline,
            stage,
            clock,
            part.settings().microbatch(),
            MessageTime.nanos(pipeline, plan, link));
  }

  /// Creates groups and allocates memory. Collective over all ranks.
  ///
  /// @throws IllegalArgumentException if the number of ranks differs from the grid
  static GridPosition open(
      Communicator world, StagePart part, StageClock clock, @Nullable Link link) {
    RankGrid grid = part.settings().grid();
    if (world.size() != grid.ranks()) {
      throw new IllegalArgumentException(
          "grid: %s needs %d ranks but there are %d".formatted(grid, grid.ranks(), world.size()));
    }
    return Resources.owned(
        owned -> new GridPosition(world, part, clock, link, owned.add(Arena.ofShared())));
  }

  StagePart part() {
    return part;
  }

  /// The stages of this replica, in their order.
  Communicator pipeline() {
    return pipeline;
  }

  Replicas replicas() {
    return replicas;
  }

  Stage stage() {
    return stage;
  }

  MicrobatchSchedule schedule() {
    return schedule;
  }

  /// Frees memory and groups. Collective.
  @Override
  public void close() {
    memory.close();
    replicas.close();
    pipeline.close();
  }
}
