package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.Statistics;
import dev.gossamer.pruned.prune.MaskBits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/// Moves the state of stages from one grid of ranks to another, parameter by parameter: each rank
/// of a parameter's new stage copies it locally if it has it, and otherwise receives it from a
/// replica of the old stage, in turns. All ranks process parameters and receivers in the same
/// order, so that messages match. All methods are collective over all ranks.
final class StageMove {
  private static final int TAG = 4;

  private final Communicator world;
  private final StagePart from;
  private final StagePart to;

  /// @param from the stage that this rank has
  /// @param to the stage of the same network that it gets
  StageMove(Communicator world, StagePart from, StagePart to) {
    this.world = world;
    this.from = from;
    this.to = to;
  }

  /// What moves of one parameter or statistic.
  private interface Moved {
    /// Returns the data of a rank of the old stage.
    MemorySegment read(ParameterLayout.Entry entry, Arena arena);

    /// Returns the bytes that a rank of the new stage receives.
    long bytes(ParameterLayout.Entry entry);

    /// Stores data that have arrived on a rank of the new stage.
    void write(ParameterLayout.Entry entry, MemorySegment values);
  }

  /// The mask of the new stage.
  ///
  /// @param mine of the old stage
  Mask mask(Mask mine) {
    Map<String, BitSet> survivors = new HashMap<>();
    move(
        part -> part.layout().where(Mask::prunable),
        new Moved() {
          @Override
          public MemorySegment read(ParameterLayout.Entry entry, Arena arena) {
            MemorySegment bits = arena.allocate(bytes(entry));
            MaskBits.write(mine, entry, bits);
            return bits;
          }

          @Override
          public long bytes(ParameterLayout.Entry entry) {
            return MaskBits.bytes(entry.count());
          }

          @Override
          public void write(ParameterLayout.Entry entry, MemorySegment values) {
            survivors.put(entry.name(), MaskBits.read(values));
          }
        });
    return new Mask(to.layout(), survivors);
  }

  /// Running statistics.
  void statistics(Statistics mine, Statistics next) {
    move(
        StagePart::statistics,
        new Moved() {
          @Override
          public MemorySegment read(ParameterLayout.Entry entry, Arena arena) {
            return mine.running(entry.name());
          }

          @Override
          public long bytes(ParameterLayout.Entry entry) {
            return entry.count() * Float.BYTES;
          }

          @Override
          public void write(ParameterLayout.Entry entry, MemorySegment values) {
            next.running(entry.name()).copyFrom(values);
          }
        });
  }

  /// Weights, moments and the number of steps.
  ///
  /// @param next of the new stage, with the mask of it
  void state(StageState mine, StageState next) {
    flat(mine.model(), mine.model().weights(), next.model(), next.model().weights());
    for (int i = 0; i < mine.optimizer().moments().size(); i++) {
      MemorySegment moment = mine.optimizer().moments().get(i);
      flat(mine.model(), moment, next.model(), next.optimizer().moments().get(i));
    }
    next.optimizer().restore(mine.optimizer().steps());
  }

  private void flat(ModelState mine, MemorySegment flat, ModelState next, MemorySegment target) {
    move(
        StagePart::layout,
        new Moved() {
          @Override
          public MemorySegment read(ParameterLayout.Entry entry, Arena arena) {
            return mine.survivors(arena, entry.name(), flat);
          }

          @Override
          public long bytes(ParameterLayout.Entry entry) {
            return next.kept().entry(entry.name()).count() * Float.BYTES;
          }

          @Override
          public void write(ParameterLayout.Entry entry, MemorySegment values) {
            next.setSurvivors(entry.name(), values, target);
          }
        });
  }

  /// @param layout of what moves of a stage
  private void move(Function<StagePart, ParameterLayout> layout, Moved moved) {
    Map<String, Integer> sources = new HashMap<>();
    for (StagePart part : from.all()) {
      layout.apply(part).entries().forEach(entry -> sources.put(entry.name(), part.stage()));
    }
    for (StagePart part : to.all()) {
      for (ParameterLayout.Entry entry : layout.apply(part).entries()) {
        move(entry, Objects.requireNonNull(sources.get(entry.name())), part.stage(), moved);
      }
    }
  }

  private void move(ParameterLayout.Entry entry, int source, int target, Moved moved) {
    RankGrid before = from.settings().grid();
    RankGrid after = to.settings().grid();
    for (int replica = 0; replica < after.data(); replica++) {
      int receiver = replica * after.inter() + target;
      int sender =
          before.stage(receiver) == source
              ? receiver
              : replica % before.data() * before.inter() + source;
      if (world.rank() == sender || world.rank() == receiver) {
        try (Arena arena = Arena.ofShared()) {
          if (sender == receiver) {
            moved.write(entry, moved.read(entry, arena));
          } else if (world.rank() == sender) {
            world.send(receiver, TAG, moved.read(entry, arena));
          } else {
            MemorySegment values = arena.allocate(moved.bytes(entry), DenseMatrix.ALIGNMENT);
            world.receive(sender, TAG, values);
            moved.write(entry, values);
          }
        }
      }
    }
  }
}
