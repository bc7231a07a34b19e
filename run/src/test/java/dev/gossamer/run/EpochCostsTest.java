package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.Arena;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EpochCostsTest {
  /// A rank that has trained an epoch.
  private record Trained(
      Communicator world, Team team, Map<Phase, Double> takePhases, CacheUse cacheUse)
      implements EpochTrainer {
    @Override
    public Traffic.Snapshot sent() {
      Traffic traffic = new Traffic(world.size());
      traffic.count(Operation.SEND, 0, 100 + world.rank());
      return traffic.snapshot();
    }

    @Override
    public double train(int epoch, double learningRate) {
      throw new AssertionError();
    }

    @Override
    public Evaluation evaluate() {
      throw new AssertionError();
    }

    @Override
    public DenseState state() {
      throw new AssertionError();
    }

    @Override
    public Optimizer optimizer() {
      throw new AssertionError();
    }

    @Override
    public void close() {
      throw new AssertionError();
    }
  }

  private static Map<Phase, Double> seconds(double spmm, double reduce) {
    return new EnumMap<>(Map.of(Phase.SPMM, spmm, Phase.REDUCE, reduce));
  }

  private static EpochCosts costs(Communicator world, Map<Phase, Double> mine, CacheUse use) {
    try (Arena arena = Arena.ofShared()) {
      return EpochCosts.of(new Trained(world, Team.of(world, arena), mine, use));
    }
  }

  @Test
  void theyAreThoseOfAllRanks() {
    ThreadRanks.run(
        3,
        world -> {
          int rank = world.rank();
          Map<Phase, Double> mine = seconds(1 + rank, 3 - rank);
          EpochCosts costs = costs(world, mine, new CacheUse(rank, 1, rank, 2L * rank * rank));
          assertThat(costs.own()).isEqualTo(mine);
          assertThat(costs.ownByLabel()).containsEntry("spmm", 1.0 + rank).hasSize(2);
          assertThat(costs.phases()).isEqualTo(seconds(3, 3));
          assertThat(costs.bytes()).isEqualTo(303);
          assertThat(costs.hitRate()).isEqualTo(3 / 6.0);
          assertThat(costs.staleness()).isEqualTo(10 / 3.0);
        });
  }

  @Test
  void withoutCachesNothingIsSaidOfThem() {
    EpochCosts costs = costs(ThreadRanks.alone(), seconds(1, 2), CacheUse.NONE);
    assertThat(costs.phases()).isEqualTo(seconds(1, 2));
    assertThat(costs.hitRate()).isNaN();
    assertThat(costs.staleness()).isNaN();
  }
}
