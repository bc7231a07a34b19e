package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.LinkTask.CandidateSet;
import dev.gossamer.graph.Links;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Edges as what is predicted.
final class LinkTasksTest {
  private static final int N = 240;

  private static final LinkSettings LINKS =
      new LinkSettings(
          "70/10/20", LinkSplit.By.RANDOM, 0.3, 16, 2, Negatives.By.UNIFORM, 20, CandidateSet.OWN);

  private static final MinibatchSettings EDGES = edges(Sampler.sage(4, 3));

  @TempDir Path folder;

  private static MinibatchSettings edges(Sampler sampler) {
    return MinibatchSettings.of(sampler).withBatchSize(60);
  }

  private static InferenceSettings inference() {
    return InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE);
  }

  private static Dataset dataset() {
    return Dataset.of(ExampleGraphs.builder(N, 1).build()).withLinks(LINKS, 0);
  }

  private static GraphTraining training(Dataset dataset) {
    return ExampleGraphs.training(dataset).gcn(16).dropout(0, 0).threads(1).epochs(5);
  }

  private static GraphTraining batches(Dataset dataset, MinibatchSettings minibatches) {
    return training(dataset).layers(new Sage(), 16).minibatches(minibatches);
  }

  /// Losses and scores that differ by rounding alone.
  static void assertSame(TrainingResult found, TrainingResult expected) {
    assertThat(found.records()).isNotEmpty().hasSameSizeAs(expected.records());
    for (int epoch = 0; epoch < expected.records().size(); epoch++) {
      assertThat(losses(found).get(epoch)).isCloseTo(losses(expected).get(epoch), within(1e-4));
    }
    expected
        .evaluation()
        .test()
        .values()
        .forEach((metric, score) ->
            assertThat(found.evaluation().test().value(metric).orElseThrow())
                .as(metric.name())
                .isCloseTo(score, within(0.02)));
  }

  @Test
  void aBatchOfAllEdgesAndNeighboursIsAStepOnTheWholeGraph() {
    try (Dataset dataset = dataset()) {
      assertSame(
          batches(dataset, MinibatchSettings.of(Sampler.sage(N, N)).withBatchSize(4 * N)).train(),
          training(dataset).layers(new Sage(), 16).train());
    }
  }

  /// No vertex is a training vertex, so all count.
  @Test
  void standardisedFeaturesAreLearnedFromAndKept() {
    try (Dataset plain = dataset()) {
      Dataset dataset = ExampleGraphs.onOwnScales(plain);
      TrainingResult result =
          training(dataset).featureScaling(FeatureScaling.STANDARD).epochs(80).train();
      assertThat(result.evaluation().test().rocAuc().orElseThrow()).isGreaterThan(0.6);
      assertThat(result.model().evaluate(dataset, inference()).test().rocAuc().orElseThrow())
          .isCloseTo(result.evaluation().test().rocAuc().orElseThrow(), within(1e-6));
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(GraphPlace.class)
  void ranksTakeTheSameStepsWithAsManyBatches(GraphPlace graph) {
    try (Dataset dataset = dataset()) {
      MinibatchSettings four = EDGES.withStepBatches(4);
      assertSame(
          batches(dataset, four.withGraph(graph)).ranks(4).train(), batches(dataset, four).train());
    }
  }

  @Tag("slow")
  @Test
  void batchesAreLearnedFromAsTheWholeGraphIs() {
    try (Dataset dataset = dataset()) {
      double whole = rocAuc(training(dataset).layers(new Sage(), 16).epochs(80));
      for (Sampler sampler : List.of(Sampler.sage(5, 5), Sampler.ladies(150, 150))) {
        assertThat(rocAuc(batches(dataset, edges(sampler)).epochs(20)))
            .as(sampler.name())
            .isGreaterThan(whole - 0.05);
      }
    }
  }

  private static double rocAuc(GraphTraining training) {
    return training.train().evaluation().test().rocAuc().orElseThrow();
  }

  @Test
  void batchesAreTheSameForAnyNumberOfThreadsAndBulk() throws IOException {
    try (Dataset dataset = dataset()) {
      Path one = folder.resolve("one.safetensors");
      batches(dataset, EDGES).run().write(one);
      Path three = folder.resolve("three.safetensors");
      batches(dataset, EDGES.withBulk(3).withOverlap(Overlap.OFF)).threads(3).run().write(three);
      assertThat(three).hasSameBinaryContentAs(one);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aResumedRunOfBatchesIsBitIdentical(int ranks) throws IOException {
    try (Dataset dataset = dataset()) {
      GraphTraining whole = batches(dataset, EDGES).ranks(ranks).dropout(0.3, 0);
      ResumedRun.assertBitIdentical(whole, 3, folder);
    }
  }

  private static List<Double> losses(TrainingResult result) {
    return result.records().stream().map(EpochRecord::loss).toList();
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void areTheSameOnAnyNumberOfRanks(int ranks) {
    try (Dataset dataset = dataset()) {
      TrainingResult expected = training(dataset).train();
      TrainingResult found = training(dataset).ranks(ranks).train();
      assertSame(found, expected);
    }
  }

  @Tag("slow")
  @Test
  void areRankedAmongSharedPairs() {
    LinkSettings shared =
        new LinkSettings(
            "70/10/20",
            LinkSplit.By.RANDOM,
            0.3,
            16,
            2,
            Negatives.By.UNIFORM,
            500,
            CandidateSet.SHARED);
    try (Dataset dataset = Dataset.of(ExampleGraphs.builder(N, 1).build()).withLinks(shared, 0)) {
      GraphTraining training = training(dataset).selectBy(Metric.HITS_50);
      TrainingResult one = training.train();
      assertThat(one.evaluation().test().values().keySet())
          .contains(Metric.MRR, Metric.HITS_20, Metric.HITS_50, Metric.HITS_100);
      assertSame(training.ranks(3).train(), one);
      assertSame(
          batches(dataset, edges(Sampler.sage(4, 3)).withStepBatches(2)).ranks(2).train(),
          batches(dataset, edges(Sampler.sage(4, 3)).withStepBatches(2)).train());
    }
  }

  @Test
  void areLearnedAndScoredByWhatTheModelFileSays() throws IOException {
    try (Dataset dataset = dataset()) {
      TrainingResult result = training(dataset).epochs(80).train();
      Evaluation.Scores test = result.evaluation().test();
      assertThat(test.values().keySet())
          .containsExactly(
              Metric.LOSS,
              Metric.ROC_AUC,
              Metric.PR_AUC,
              Metric.MRR,
              Metric.HITS_1,
              Metric.HITS_10);
      LinkSplit.Parts parts = Objects.requireNonNull(dataset.data().links()).parts();
      assertThat(test.count()).isEqualTo(parts.test().count());
      // Three of four edges are within one of three classes, which features tell.
      assertThat(test.rocAuc().orElseThrow()).isGreaterThan(0.7);
      Path file = folder.resolve("links.safetensors");
      result.model().write(file);
      GraphModel model = GraphModel.open(file);
      assertThat(model.task()).isEqualTo(Task.LINKS);
      for (int ranks : new int[] {1, 3}) {
        Evaluation again =
            model.evaluate(dataset, inference().withRanks(RankSettings.DEFAULT.withCount(ranks)));
        assertThat(again.test().count()).isEqualTo(test.count());
        // Layers are computed in other blocks here, in float32.
        test.values()
            .forEach((metric, score) ->
                assertThat(again.test().value(metric).orElseThrow())
                    .as(metric.name())
                    .isCloseTo(score, within(0.01)));
      }
    }
  }

  /// The scores of held-out edges follow from the vectors that are predicted.
  @Test
  void vectorsTellEdgesFromPairs() throws IOException {
    try (Dataset dataset = dataset();
        Dataset whole = Dataset.of(ExampleGraphs.builder(N, 1).build())) {
      GraphModel model = training(dataset).epochs(80).run();
      Predictions predictions = model.predict(dataset, inference());
      Links test = Objects.requireNonNull(dataset.data().links()).parts().test();
      double edges = 0;
      for (int i = 0; i < test.count(); i++) {
        edges += product(predictions, test.sources()[i], test.targets()[i]) / test.count();
      }
      double pairs = 0;
      int count = 0;
      GraphData data = whole.data();
      for (int v = 0; v < N; v++) {
        for (int u = 0; u < v; u++) {
          if (data.adjacency().find(v, u) < 0) {
            pairs += product(predictions, v, u);
            count++;
          }
        }
      }
      assertThat(edges).isGreaterThan(pairs / count + 0.5);
      predictions.write(folder.resolve("out"));
      List<String> lines = Files.readAllLines(folder.resolve("out/predictions.csv"));
      assertThat(lines).hasSize(N + 1);
      assertThat(lines.getFirst()).startsWith("vertex,0,1,2,").endsWith(",15");
      assertThat(model.predict(whole, inference()).vertices()).isEqualTo(N);
      assertThatThrownBy(() -> model.evaluate(whole, inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining(
              "expected edges that are held out to score the model on, found none");
    }
  }

  /// They are over all edges, also those that are held out, as recommendations are.
  @Test
  void vectorsOrderAndScorePairsAsTheModelDoes() {
    try (Dataset dataset = dataset()) {
      GraphModel model = training(dataset).run();
      Predictions vectors = model.predict(dataset, inference());
      Recommendations found = model.recommend(dataset, new int[] {0, 17, N - 1}, 5, inference());
      for (int i = 0; i < found.count(); i++) {
        int vertex = found.vertex(i);
        List<Integer> best = found.items(i).stream().map(Recommendations.Item::vertex).toList();
        assertThat(best).isEqualTo(likeliest(vectors, dataset, vertex));
        VertexPairs pairs = VertexPairs.of(new int[] {vertex}, new int[] {best.getFirst()});
        assertThat((double) model.edgeProbabilities(dataset, pairs, inference())[0])
            .isCloseTo(
                1 / (1 + Math.exp(-product(vectors, vertex, best.getFirst()))), within(1e-5));
      }
      Dataset whole = Dataset.of(dataset.data().withoutLinks());
      assertThat(model.predictionMemory(dataset, inference()))
          .isEqualTo(model.predictionMemory(whole, inference()));
    }
  }

  /// Five vertices without an edge with one, the highest product of vectors first.
  private static List<Integer> likeliest(Predictions vectors, Dataset dataset, int vertex) {
    CsrMatrix edges = dataset.data().withoutLinks().adjacency();
    return IntStream.range(0, N)
        .filter(v -> v != vertex && edges.find(vertex, v) < 0)
        .boxed()
        .sorted(Comparator.comparingDouble(v -> -product(vectors, vertex, v)))
        .limit(5)
        .toList();
  }

  private static double product(Predictions predictions, int v, int u) {
    double sum = 0;
    for (int j = 0; j < LINKS.embedding(); j++) {
      sum += predictions.value(v, j) * predictions.value(u, j);
    }
    return sum;
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aResumedRunIsBitIdentical(int ranks) throws IOException {
    try (Dataset dataset = dataset()) {
      GraphTraining whole = training(dataset).ranks(ranks).dropout(0.3, 0);
      assertThat(ResumedRun.assertBitIdentical(whole, 3, folder).records()).hasSize(2);
    }
  }

  @Test
  void whatDoesNotSuitEdgesIsRefused() {
    try (Dataset dataset = dataset();
        Dataset whole = Dataset.of(ExampleGraphs.builder(N, 1).build())) {
      refused(
          training(dataset).minibatches(MinibatchSettings.of(Sampler.saintNode(2, 50))),
          "sampler: task links draws around the ends of edges, and saint-node draws vertices of its own; expected a layer-by-layer sampler, such as sage");
      refused(
          batches(dataset, EDGES.withTestFanouts(List.of(3, 3))),
          "testFanouts: edges are scored by the outputs of all vertices over all neighbours; leave it out");
      refused(
          batches(dataset, EDGES.withOwnBatches(null)).ranks(2),
          "placement: batches of edges are drawn from those of all ranks, as an edge of task links has ends on two; leave it out");
      refused(
          batches(dataset, EDGES.withOwnBatches(HistoricalSettings.DEFAULT)).ranks(2),
          "historical: embeddings are kept for batches of a rank's own vertices, and an edge of task links has ends on two ranks; leave it out");
      refused(
          training(dataset).loss(LossSettings.DEFAULT.withLoss(new Loss.Focal(2))),
          "loss: expected cross-entropy for the task of example, which is links, found focal");
      refused(
          training(dataset).selectBy(Metric.ACCURACY),
          "selectBy: expected one of loss, roc-auc, pr-auc, mrr, hits-1, hits-10 for the task of example, which is links, found accuracy");
      GraphModel model = training(dataset).run();
      assertThatThrownBy(() -> model.evaluate(dataset, inference().withNeighbours(List.of(3))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("edges are scored by the outputs of all vertices");
      assertThatThrownBy(() ->
              new LinkSettings(
                  "85/15", LinkSplit.By.RANDOM, 0, 4, 1, Negatives.By.UNIFORM, 4, CandidateSet.OWN))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("linkSplit: expected train/validation/test in percent");
      assertThatThrownBy(() ->
              new LinkSettings(
                  "80/20/0",
                  LinkSplit.By.RANDOM,
                  0,
                  4,
                  1,
                  Negatives.By.UNIFORM,
                  4,
                  CandidateSet.OWN))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("linkSplit: expected shares for training and testing above 0");
      assertThatThrownBy(() -> new VertexData(null, "random:3", Task.LINKS, LINKS))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("vertexLabels: task links does not read them; leave them out");
      assertThatThrownBy(
              () -> new DataSettings("g", null, null, 0, "10/10/80", 0, VertexData.ofLinks(LINKS)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("split: task links divides edges, not vertices; use linkSplit");
      assertThat(whole.data().links()).isNull();
    }
  }

  @Test
  void aPartWithoutEdgesAndACompleteGraphAreRefused() {
    int[] pairs = IntStream.range(0, 12 * 12).filter(p -> p / 12 < p % 12).toArray();
    try (Dataset dataset = Dataset.of(dozen(pairs))) {
      refused(
          training(dataset.withLinks(LINKS, 3)),
          "dozen: expected edges that can be told from pairs without an edge, found none: vertices have edges with all others of a type, or with none");
    }
    // Without the edge between 0 and 1, theirs are compared with that pair.
    try (Dataset dataset = Dataset.of(dozen(IntStream.of(pairs).skip(1).toArray()))) {
      LinkSettings few =
          new LinkSettings(
              "98/1/1", LinkSplit.By.RANDOM, 0, 4, 1, Negatives.By.UNIFORM, 4, CandidateSet.OWN);
      refused(
          training(dataset.withLinks(few, 0)),
          "dozen: linkSplit: expected edges in the validation part, found none of 20; use other shares, or another seed");
    }
  }

  private static GraphData dozen(int[] pairs) {
    return GraphData.builder(12)
        .name("dozen")
        .edges(
            IntStream.of(pairs).map(p -> p / 12).toArray(),
            IntStream.of(pairs).map(p -> p % 12).toArray())
        .features(new float[12][2])
        .build();
  }

  private static DenseMatrix features(GraphData data) {
    return ((Features.Dense) data.features()).x();
  }

  /// Also where edges that were held out are in the graph again.
  @Test
  void degreesAreThoseOfTheEdgesThatTrainingPassesMessagesOver() throws IOException {
    StringBuilder edges = new StringBuilder();
    for (int v = 0; v < N; v++) {
      edges.append("%d %d%n%d %d%n".formatted(v, (v + 1) % N, v, (v + 7) % N));
    }
    Path file = Files.writeString(folder.resolve("rings.txt"), edges);
    DataSettings settings =
        DataSettings.of(file.toString())
            .withVertexData(new VertexData("degree", null, Task.LINKS, LINKS));
    try (Dataset dataset = settings.open()) {
      GraphData data = dataset.data();
      GraphData whole = data.withoutLinks();
      assertThat(data.adjacency().nnz()).isLessThan(whole.adjacency().nnz());
      for (int v = 0; v < N; v++) {
        float expected = (float) Math.log(1.0 + data.adjacency().rowLength(v));
        assertThat(features(data).get(v, 0)).isCloseTo(expected, within(1e-6f));
        assertThat(features(whole).get(v, 0)).isEqualTo(features(data).get(v, 0));
      }
    }
  }

  /// The shares of validation and test differ; messages pass over the same edges.
  @Test
  void otherHeldOutEdgesAreNotResumedOn() throws IOException {
    Path run = folder.resolve("run");
    Path data = run.resolve("data.json");
    try (Dataset dataset = dataset();
        Dataset others =
            Dataset.of(ExampleGraphs.builder(N, 1).build())
                .withLinks(
                    new LinkSettings(
                        "70/20/10",
                        LinkSplit.By.RANDOM,
                        0.3,
                        16,
                        2,
                        Negatives.By.UNIFORM,
                        20,
                        CandidateSet.OWN),
                    0)) {
      training(dataset).epochs(2).output(RunOutput.at(run)).run();
      refused(
          training(others).epochs(3).resume(run),
          "%s: expected the data that the run was started with, found data that differ in: test edges, validation edges; resume with the original data, or start a new run"
              .formatted(data));
      String recorded = Files.readString(data);
      String before = recorded.replaceAll("\"[a-z]+ edges\":\"[^\"]*\",?", "");
      assertThat(before).isNotEqualTo(recorded);
      Files.writeString(data, before.replace(",}", "}"));
      assertThat(training(others).epochs(3).resume(run).train().records()).hasSize(1);
    }
  }

  private static LinkTask task(Dataset dataset, long seed) {
    return Objects.requireNonNull(dataset.withLinks(LINKS, seed).data().links());
  }

  private static void refused(GraphTraining training, String message) {
    assertThatThrownBy(training::run).isInstanceOf(InvalidInputException.class).hasMessage(message);
  }

  @Test
  void partsAreOfTheSplitSeed() {
    try (Dataset dataset = Dataset.of(ExampleGraphs.builder(N, 1).build())) {
      int[] first = task(dataset, 1).parts().scored(Split.TEST).sources();
      assertThat(task(dataset, 1).parts().scored(Split.TEST).sources()).isEqualTo(first);
      assertThat(task(dataset, 2).parts().scored(Split.TEST).sources()).isNotEqualTo(first);
    }
  }
}
