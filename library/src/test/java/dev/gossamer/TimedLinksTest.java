package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask.CandidateSet;
import dev.gossamer.graph.Links;
import dev.gossamer.graph.Negatives;
import dev.gossamer.run.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Edges to predict that are divided by time.
final class TimedLinksTest {
  private static final int N = 200;
  private static final LinkSettings LINKS =
      new LinkSettings(
          "70/10/20", LinkSplit.By.TIME, 0, 16, 2, Negatives.By.UNIFORM, 20, CandidateSet.OWN);

  @TempDir Path folder;

  /// @param days on which edges come to be
  private static Dataset dataset(int days) {
    double[] times =
        IntStream.range(0, 4 * N).mapToDouble(e -> 86_400.0 * (e * 37 % (4 * N) % days)).toArray();
    return Dataset.of(ExampleGraphs.builder(N, 1).times(EdgeTimes.Unit.DATES, times).build());
  }

  private static GraphTraining training(Dataset dataset) {
    return ExampleGraphs.training(dataset).layers(new Sage(), 16).dropout(0, 0).epochs(4);
  }

  @Test
  void testEdgesAreLaterThanAllThatMessagesPassOver() {
    try (Dataset whole = dataset(100);
        Dataset dataset = whole.withLinks(LINKS, 0)) {
      GraphData data = whole.data();
      EdgeTimes times = Objects.requireNonNull(data.times());
      LinkSplit.Parts parts = Objects.requireNonNull(dataset.data().links()).parts();
      double latest = Double.NEGATIVE_INFINITY;
      for (int v = 0; v < N; v++) {
        for (int u : dataset.data().adjacency().rowColumns(v)) {
          latest = Math.max(latest, times.of(data.adjacency().find(v, u)));
        }
      }
      assertThat(Objects.requireNonNull(parts.latest()).train()).isEqualTo(latest);
      for (Links held : List.of(parts.validation(), parts.test())) {
        assertThat(held.count()).isPositive();
        for (int i = 0; i < held.count(); i++) {
          long entry = data.adjacency().find(held.sources()[i], held.targets()[i]);
          assertThat(times.of(entry)).isGreaterThan(latest);
        }
      }
    }
  }

  @Test
  void ranksAndBatchesOfAllEdgesTakeTheSameSteps() {
    try (Dataset dataset = dataset(100).withLinks(LINKS, 0)) {
      TrainingResult expected = training(dataset).train();
      LinkTasksTest.assertSame(training(dataset).ranks(4).train(), expected);
      MinibatchSettings all = MinibatchSettings.of(Sampler.sage(N, N)).withBatchSize(4 * N);
      LinkTasksTest.assertSame(training(dataset).minibatches(all).train(), expected);
    }
  }

  @Test
  void batchesOnRanksAreThoseOfOneRank() {
    try (Dataset dataset = dataset(100).withLinks(LINKS, 0)) {
      MinibatchSettings four =
          MinibatchSettings.of(Sampler.sage(4, 3)).withBatchSize(60).withStepBatches(4);
      LinkTasksTest.assertSame(
          training(dataset).minibatches(four).ranks(4).train(),
          training(dataset).minibatches(four).train());
    }
  }

  @Test
  void aModelIsEvaluatedOnTheSameEdges() throws IOException {
    try (Dataset dataset = dataset(100).withLinks(LINKS, 0)) {
      TrainingResult result = training(dataset).train();
      Path file = folder.resolve("links.safetensors");
      result.model().write(file);
      InferenceSettings settings = InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE);
      assertThat(
              GraphModel.open(file)
                  .evaluate(dataset, settings)
                  .test()
                  .value(Metric.MRR)
                  .orElseThrow())
          .isCloseTo(result.evaluation().test().value(Metric.MRR).orElseThrow(), within(1e-6));
    }
  }

  @Test
  void graphsThatCannotBeDividedAreRefused() {
    try (Dataset untimed = Dataset.of(ExampleGraphs.builder(N, 1).build());
        Dataset oneDay = dataset(1);
        Dataset fewDays = dataset(5)) {
      assertThatThrownBy(() -> untimed.withLinks(LINKS, 0))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("example: linkSplitBy: expected a time of each edge, found none");
      assertThatThrownBy(() -> oneDay.withLinks(LINKS, 0))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("after 1970-01-01, as those of one time are in one part");
      LinkSettings narrow =
          new LinkSettings(
              "75/1/24", LinkSplit.By.TIME, 0, 4, 1, Negatives.By.UNIFORM, 4, CandidateSet.OWN);
      assertThatThrownBy(() -> training(fewDays.withLinks(narrow, 0)).run())
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("linkSplit: expected edges in the validation part, found none of ")
          .hasMessageEndingWith("use other shares, as edges of one time are in one part");
    }
  }
}
