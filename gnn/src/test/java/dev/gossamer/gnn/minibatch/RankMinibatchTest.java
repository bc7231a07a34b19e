package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.comm.MpiProgram;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.gnn.minibatch.RankMinibatches.Case;
import dev.gossamer.gnn.minibatch.RankMinibatches.Training;
import dev.gossamer.matrix.format.RowFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Distributed equals serial: with the same batches a step, and with subgraphs always, epochs over
/// ranks have the losses and scores of one rank, wherever graph and features are.
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

  /// Each training in one case.
  @ParameterizedTest
  @MethodSource("cases")
  void lossesAndScoresEqualThoseOfOneRank(Case what) {
    List<Case> all = cases().toList();
    for (int i = all.indexOf(what); i < trainings.size(); i += all.size()) {
      assertEqualsSerial(trainings.get(i), what);
    }
  }

  @Tag("endurance")
  @ParameterizedTest
  @MethodSource("cases")
  void lossesAndScoresOfEveryTrainingEqualThoseOfOneRank(Case what) {
    trainings.forEach(training -> assertEqualsSerial(training, what));
  }

  private static void assertEqualsSerial(Training training, Case what) {
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

  static Stream<Case> casesThatFetch() {
    return cases().filter(what -> what.ranks() > what.replication());
  }

  /// Rows that were rounded by at most `2^-8` of them go into one product of each of the two layers
  /// and the gradient of one, so a loss of about 1 changes by about as much in each; Adam passes
  /// relative errors on, and they add up over the two epochs. The bits depend neither on the cache
  /// nor on what goes on at the same time.
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("casesThatFetch")
  void bfloat16KeepsTheLossesOfTheFirstEpochs(Case what) {
    Training training = trainings.getFirst();
    Case other = new Case(what.ranks(), what.replication(), what.partitioned(), !what.overlap());
    List<Double> wide = losses(training, what, RowFormat.FLOAT32, 0);
    List<Double> narrow = losses(training, what, RowFormat.BF16, 0);
    for (int i = 0; i < 3; i++) {
      // The loss of an epoch, the loss of an evaluation, and the next.
      assertThat(narrow.get(i)).isCloseTo(wide.get(i), within(2 * 3 * 0x1p-8));
    }
    assertThat(narrow).isNotEqualTo(wide);
    assertThat(losses(training, other, RowFormat.BF16, 1000)).isEqualTo(narrow);
  }

  private static List<Double> losses(
      Training training, Case what, RowFormat wire, long cacheBytes) {
    MinibatchSettings settings = RankMinibatches.settings(training, what, wire, cacheBytes);
    AtomicReference<List<Double>> losses = new AtomicReference<>(List.of());
    ThreadRanks.run(
        what.ranks(),
        world -> {
          List<Double> mine = RankMinibatches.distributed(world, training, settings);
          if (world.rank() == 0) {
            losses.set(mine);
          }
        });
    return Objects.requireNonNull(losses.get());
  }

  @Tag("endurance")
  @Test
  void lossesAndScoresEqualThoseOfOneRankUnderMpi(@TempDir Path folder) throws Exception {
    int equal = 2 * RankMinibatches.mpiCases().size() + HistoricalTrainings.mpiCases().size();
    MpiProgram.Outcome outcome =
        MpiProgram.run(
            folder,
            MpiProgram.OPEN_MPI,
            RankMinibatches.MPI_RANKS,
            MpiMinibatches.class,
            folder.toString());
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("equal trainings: " + equal);
  }
}
