package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.IterationSettings.Keep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BestWeightsTest {
  private static final IterationSettings EVALUATED =
      IterationSettings.DEFAULT
          .withIterations(12)
          .withEvaluateEvery(1)
          .withEvaluateSamples(16)
          .withKeep(Keep.BEST);

  @TempDir static Path shared;
  static Path text = Path.of("");

  @TempDir Path folder;

  @BeforeAll
  static void write() throws IOException {
    text = TinyText.write(shared);
  }

  /// Learns so fast that it gets worse, and is pruned before the fourth iteration.
  private static PrunedTraining wild() {
    return TinyText.training(text)
        .iterations(EVALUATED)
        .optimizer(OptimizerSettings.DEFAULT.withLearningRate(1.0).withMinLearningRate(1.0));
  }

  private static double loss(IterationRecord record) {
    return Objects.requireNonNull(record.validation()).loss();
  }

  private static double leastSincePruned(PrunedResult run) {
    return run.result().records().stream()
        .filter(record -> record.number() > 3)
        .mapToDouble(BestWeightsTest::loss)
        .min()
        .orElseThrow();
  }

  @Test
  void theModelHasTheWeightsWithTheSmallestLossSinceItWasPruned() {
    PrunedResult run = wild().train();
    double least = leastSincePruned(run);
    assertThat(loss(run.result().records().getLast())).isGreaterThan(least);
    assertThat(Objects.requireNonNull(run.result().validation()).loss()).isEqualTo(least);
    PrunedModel model = Objects.requireNonNull(run.model());
    assertThat(model.sparsity()).isCloseTo(0.9, within(1e-3));
    try (Corpus corpus = model.corpus(text)) {
      // The run reads matrices of 16 bits, the model those of 32.
      assertThat(
              model
                  .evaluate(corpus, Part.VALIDATION, EvaluationSettings.DEFAULT.withSamples(16))
                  .loss())
          .isCloseTo(least, within(0.02 * least));
    }
  }

  @Test
  void patienceEndsARunThatGetsNoBetter() {
    PrunedResult run = wild().iterations(EVALUATED.withIterations(40).withPatience(2)).train();
    int iterations = run.result().iterations();
    assertThat(run.result().interrupted()).isFalse();
    assertThat(iterations).isBetween(6, 39);
    assertThat(Objects.requireNonNull(run.result().validation()).loss())
        .isEqualTo(leastSincePruned(run));
  }

  @Tag("slow")
  @Test
  void aResumedRunRemembersItsBest() throws IOException {
    PrunedTraining wild = wild().iterations(EVALUATED.withCheckpointEvery(1));
    PrunedModel whole = Objects.requireNonNull(wild.train().model());
    int[] done = {0};
    PrunedResult stopped =
        wild.folder(folder)
            .onIteration(record -> done[0] = record.number())
            .stopWhen(() -> done[0] >= 9)
            .train();
    assertThat(stopped.result().interrupted()).isTrue();
    PrunedModel resumed = wild.resume(Objects.requireNonNull(stopped.plan().folder())).run();
    assertThat(resumed.write(folder.resolve("resumed")))
        .hasSameBinaryContentAs(whole.write(folder.resolve("whole")));
  }
}
