package dev.gossamer.minibatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.MpiProgram;
import dev.gossamer.comm.ThreadRanks;
import dev.gossamer.minibatch.RankMinibatches.Case;
import dev.gossamer.minibatch.RankMinibatches.Training;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Distributed equals serial: with the same batches a step, epochs over ranks have the losses and
/// scores of one rank, wherever graph and features are.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RankMinibatchTest {
  private List<Training> trainings = List.of();

  @BeforeAll
  void trainOnOneRank() {
    trainings = RankMinibatches.trainings();
  }

  @AfterAll
  void free() {
    trainings.forEach(Training::close);
  }

  static Stream<Case> cases() {
    return RankMinibatches.cases();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void lossesAndScoresEqualThoseOfOneRank(Case what) {
    for (Training training : trainings) {
      Map<Integer, List<Double>> byRank = new ConcurrentHashMap<>();
      ThreadRanks.run(
          what.ranks(),
          world -> byRank.put(world.rank(), RankMinibatches.distributed(world, training, what)));
      List<Double> first = Objects.requireNonNull(byRank.get(0));
      RankMinibatches.assertEqualsSerial(first, training);
      for (List<Double> values : byRank.values()) {
        assertThat(values).isEqualTo(first);
      }
    }
  }

  @Test
  void lossesAndScoresEqualThoseOfOneRankUnderMpi(@TempDir Path folder) throws Exception {
    MpiProgram.Outcome outcome =
        MpiProgram.run(
            folder, MpiProgram.OPEN_MPI, RankMinibatches.MPI_RANKS, MpiMinibatches.class);
    int equal = 2 * RankMinibatches.mpiCases().size() + HistoricalTrainings.mpiCases().size();
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("equal trainings: " + equal);
  }
}
