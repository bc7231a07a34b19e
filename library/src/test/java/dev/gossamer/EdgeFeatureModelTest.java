package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.run.Evaluation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Models that read features of edges.
final class EdgeFeatureModelTest {
  private static final int N = 150;
  private static final int CLASSES = 3;
  private static final List<String> NAMES = List.of("trusted", "noise");

  /// Features of a vertex say its class; that of the vertex in question is the class of the one
  /// neighbour whose edge is trusted. Others are of any class.
  private static Dataset dataset(List<String> names) {
    Random random = new Random(4);
    int[] from = new int[4 * N];
    int[] to = new int[4 * N];
    float[] ofEdges = new float[8 * N];
    int[] labels = new int[2 * N];
    float[][] x = new float[2 * N][CLASSES];
    for (int v = 0; v < 2 * N; v++) {
      x[v][v % CLASSES] = 1;
      labels[v] = GraphData.UNLABELLED;
    }
    for (int v = 0; v < N; v++) {
      for (int j = 0; j < 4; j++) {
        int e = 4 * v + j;
        from[e] = N + random.nextInt(N);
        to[e] = v;
        ofEdges[2 * e] = j == 0 ? 1 : -1;
        ofEdges[2 * e + 1] = random.nextFloat();
        labels[v] = j == 0 ? from[e] % CLASSES : labels[v];
      }
    }
    GraphDataBuilder builder =
        GraphData.builder(2 * N)
            .edges(from, to)
            .directed()
            .edgeFeatures(ofEdges, 2)
            .features(x)
            .labels(labels)
            .classNames(List.of("a", "b", "c"))
            .split(ExampleGraphs.split(2 * N));
    return Dataset.of((names.isEmpty() ? builder : builder.edgeFeatureNames(names)).build());
  }

  private static GraphTraining training(Dataset dataset, LayerKind kind) {
    return ExampleGraphs.training(dataset)
        .layers(kind, 12)
        .threads(1)
        .dropout(0, 0)
        .epochs(40)
        .learningRate(0.05);
  }

  private static Dataset with(Dataset dataset, EdgeFeatures features) {
    return Dataset.of(dataset.data().withEdgeFeatures(features));
  }

  private static InferenceSettings settings(int ranks) {
    return InferenceSettings.DEFAULT
        .withMachine(ExampleGraphs.MACHINE.withThreads(1))
        .withRanks(RankSettings.DEFAULT.withCount(ranks));
  }

  static Stream<LayerKind> kinds() {
    return Stream.of(
        new Gat(2, Variant.STANDARD, 0),
        new Gat(2, Variant.MB, 0),
        new Gat(2, Variant.V2, 0),
        new Gin());
  }

  /// The mean or sum of four neighbours, of which one is asked for, is a guess.
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("kinds")
  void layersLearnWhichEdgesToFollow(LayerKind kind) {
    try (Dataset dataset = dataset(NAMES)) {
      Dataset without = Dataset.of(dataset.data().withEdgeFeatures(null));
      double guessed = accuracy(training(without, kind).epochs(200).learningRate(0.02).train());
      double followed = accuracy(training(dataset, kind).epochs(200).learningRate(0.02).train());
      assertThat(guessed).isLessThan(0.75);
      assertThat(followed).isGreaterThan(0.9);
    }
  }

  private static double accuracy(TrainingResult result) {
    return result.evaluation().test().accuracy();
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("kinds")
  void modelsReadThemFromTheirFiles(LayerKind kind, @TempDir Path folder) {
    modelsReadThemFromTheirFiles(kind, 1, folder);
    modelsReadThemFromTheirFiles(kind, 3, folder);
  }

  private static void modelsReadThemFromTheirFiles(LayerKind kind, int ranks, Path folder) {
    for (boolean batches : new boolean[] {false, true}) {
      try (Dataset dataset = dataset(NAMES)) {
        GraphTraining whole = training(dataset, kind).epochs(3).ranks(ranks);
        GraphTraining training =
            batches
                ? whole.minibatches(MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(20))
                : whole;
        TrainingResult result = training.train();
        Path file = folder.resolve("model-%s-%d.safetensors".formatted(batches, ranks));
        result.model().write(file);
        GraphModel read = GraphModel.open(file);
        assertThat(read.description().edges()).isEqualTo(result.model().description().edges());
        assertThat(read.description().network().kind().edgeFeatures()).isEqualTo(2);
        Evaluation expected = result.evaluation();
        for (int others : new int[] {1, 2}) {
          Evaluation found = read.evaluate(dataset, settings(others));
          assertThat(found.test().loss()).isCloseTo(expected.test().loss(), within(1e-5));
        }
      }
    }
  }

  @Test
  void dataWithOtherFeaturesOfEdgesAreRefused() {
    try (Dataset dataset = dataset(NAMES)) {
      GraphModel model = training(dataset, new Gat()).epochs(1).run();
      EdgeFeatures features = Objects.requireNonNull(dataset.data().edgeFeatures());
      refused(
          model,
          Dataset.of(dataset.data().withEdgeFeatures(null)),
          "graph: expected 2 features of each edge, as the model was trained on, found 0");
      refused(
          model,
          with(dataset, new EdgeFeatures(features.x(), List.of("trusted", "age"))),
          "graph: feature 1 of edges: expected 'noise', as the model was trained on, found 'age'");
      // Names that are not known are not compared.
      model.evaluate(with(dataset, new EdgeFeatures(features.x(), List.of())), settings(1));
    }
  }

  private static void refused(GraphModel model, Dataset dataset, String message) {
    assertThatThrownBy(() -> model.evaluate(dataset, settings(1)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(message);
  }

  @Test
  void otherLayersDoNotReadThem() {
    try (Dataset dataset = dataset(List.of())) {
      Dataset without = Dataset.of(dataset.data().withEdgeFeatures(null));
      for (LayerKind kind : List.of(new Gcn(), new Sage())) {
        GraphModel model = training(dataset, kind).epochs(2).run();
        assertThat(model.description().network().kind().edgeFeatures()).isZero();
        GraphModel same = training(without, kind).epochs(2).run();
        assertThat(model.evaluate(without, settings(1)).test().loss())
            .isEqualTo(same.evaluate(dataset, settings(1)).test().loss());
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("kinds")
  void aResumedRunIsBitIdentical(LayerKind kind, @TempDir Path folder) throws IOException {
    try (Dataset dataset = dataset(NAMES)) {
      ResumedRun.assertBitIdentical(training(dataset, kind).epochs(5).ranks(2), 3, folder);
    }
  }

  @Test
  void aRunIsNotResumedOnOtherFeaturesThatItsLayersRead(@TempDir Path folder) {
    Path reading = folder.resolve("reading");
    Path plain = folder.resolve("plain");
    try (Dataset dataset = dataset(NAMES)) {
      EdgeFeatures features = Objects.requireNonNull(dataset.data().edgeFeatures());
      DenseMatrix changed = DenseMatrix.of(Arena.ofAuto(), features.x().toArray());
      changed.set(0, 1, 2);
      Dataset others = with(dataset, new EdgeFeatures(changed, NAMES));
      training(dataset, new Gin()).epochs(1).output(RunOutput.at(reading)).run();
      training(dataset, new Sage()).epochs(1).output(RunOutput.at(plain)).run();
      assertThatThrownBy(training(others, new Gin()).epochs(2).resume(reading)::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("found data that differ in: edge features; resume with");
      assertThat(training(others, new Sage()).epochs(2).resume(plain).train().records()).hasSize(1);
    }
  }

  @Test
  void exchangesThatDivideRowsAreRefused() {
    try (Dataset dataset = dataset(NAMES)) {
      GraphTraining training =
          training(dataset, new Gin())
              .ranks(
                  RankSettings.DEFAULT
                      .withCount(4)
                      .withStrategy(new ExchangeStrategy(Kind.OBLIVIOUS, 1, true)));
      assertThatThrownBy(training::run)
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "exchange: gin with features of edges needs the rows of all neighbours at once; expected sparsity-aware, found oblivious");
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("kinds")
  void edgesToPredictHaveFeaturesInTheGraph(LayerKind kind) {
    try (Dataset dataset = dataset(NAMES);
        Dataset links = dataset.withLinks(LinkSettings.DEFAULT, 3)) {
      GraphModel model = training(links, kind).epochs(2).run();
      assertThat(model.description().network().kind().edgeFeatures()).isEqualTo(2);
      assertThat(model.evaluate(links, settings(1)).test().loss()).isFinite();
    }
  }
}
