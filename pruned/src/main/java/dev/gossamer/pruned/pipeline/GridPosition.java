package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Link;
import dev.gossamer.run.Resources;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// Where a rank stands on a grid: its stage and replica with their groups of ranks, and the memory
/// of the microbatches that go through its stage.
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

  /// Takes groups and memory. Collective over all ranks.
  ///
  /// @throws IllegalArgumentException if there are more or fewer ranks than the grid has
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

  /// Gives memory and groups back. Collective.
  @Override
  public void close() {
    memory.close();
    replicas.close();
    pipeline.close();
  }
}
