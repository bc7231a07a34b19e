package dev.gossamer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerKind.Sight;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Relations;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.run.Evaluation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GraphModelTest {
  /// Sums of a few dozen float products of numbers below 10.
  private static final double TOLERANCE = 1e-4;

  private static final int N = 150;
  private static final List<LayerKind> KINDS =
      List.of(
          new Gcn(),
          new Sage(),
          new Gat(),
          new Gat(2, Variant.V2, 0.1),
          new Gin(),
          new Appnp(2, 0.1),
          new Gcnii(),
          new Rgcn(),
          new Rsage(),
          new Sgc(),
          new Sign(2),
          new Mlp());

  @TempDir Path temporary;

  private static GraphTraining training(Dataset dataset) {
    return ExampleGraphs.training(dataset).gcn(8).threads(1).epochs(5).learningRate(0.05);
  }

  /// Hidden layers of a network of two layers.
  private static int[] hidden(LayerKind kind) {
    return kind instanceof Gcnii ? new int[] {8, 8} : new int[] {8};
  }

  private static InferenceSettings settings() {
    return InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE.withThreads(2));
  }

  private static InferenceSettings onRanks(int ranks) {
    return settings().withRanks(RankSettings.DEFAULT.withCount(ranks));
  }

  /// Each kind of layers with all combinations of dense or sparse features, ranks and batches.
  static Stream<Arguments> trainings() {
    List<Arguments> all = new ArrayList<>();
    for (LayerKind kind : KINDS) {
      for (boolean sparse : new boolean[] {false, true}) {
        for (int ranks : new int[] {1, 4}) {
          for (boolean minibatches : new boolean[] {false, true}) {
            all.add(Arguments.of(kind, sparse, ranks, minibatches));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @ShareOf("trainings")
  void evaluationIsThatOfTheTraining(
      LayerKind kind, boolean sparse, int ranks, boolean minibatches) {
    try (Dataset dataset = sparse ? ExampleGraphs.sparse(N, 1) : ExampleGraphs.dense(N, 1)) {
      GraphTraining whole =
          training(dataset)
              .layers(kind, hidden(kind))
              .featureScaling(FeatureScaling.ROW)
              .ranks(ranks);
      TrainingResult result =
          (minibatches
                  ? whole.minibatches(MinibatchSettings.of(sampler(kind)).withBatchSize(16))
                  : whole)
              .train();
      GraphModel model = result.model();
      for (int inferring : new int[] {1, 4}) {
        assertClose(model.evaluate(dataset, onRanks(inferring)), result.evaluation());
        if (samples(model)) {
          assertClose(
              model.evaluate(dataset, onRanks(inferring).withNeighbours(List.of(N))),
              result.evaluation());
        }
      }
    }
  }

  private static Sampler sampler(LayerKind kind) {
    return kind.sight() == Sight.NONE ? Sampler.none(2) : Sampler.sage(4, 4);
  }

  /// Whether neighbours can be sampled.
  private static boolean samples(GraphModel model) {
    return model.description().network().seesGraph();
  }

  private static void assertClose(Evaluation found, Evaluation expected) {
    List<Evaluation.Scores> a = List.of(found.train(), found.validation(), found.test());
    List<Evaluation.Scores> b = List.of(expected.train(), expected.validation(), expected.test());
    for (int i = 0; i < a.size(); i++) {
      assertThat(a.get(i).count()).isEqualTo(b.get(i).count()).isPositive();
      assertThat(a.get(i).loss()).isCloseTo(b.get(i).loss(), within(TOLERANCE));
      // A vertex between two classes may fall to either.
      double one = 1.0 / a.get(i).count() + TOLERANCE;
      assertThat(a.get(i).accuracy()).isCloseTo(b.get(i).accuracy(), within(one));
    }
  }

  static Stream<LayerKind> kinds() {
    return KINDS.stream();
  }

  /// With a network whose layers are more than its tensors.
  static Stream<LayerKind> keptKinds() {
    return Stream.concat(kinds(), Stream.of(new Appnp()));
  }

  @ParameterizedTest
  @MethodSource("keptKinds")
  void fileKeepsEverything(LayerKind kind) throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(N, 1);
        Dataset other = ExampleGraphs.dense(77, 2)) {
      int second = kind instanceof Gcnii ? 8 : 4;
      GraphModel model =
          training(dataset).layers(kind, 8, second).featureScaling(FeatureScaling.ROW).run();
      Path file = temporary.resolve("model.safetensors");
      model.write(file);
      GraphModel opened = GraphModel.open(file);
      ModelDescription description = opened.description();
      assertThat(description).isEqualTo(model.description());
      assertThat(description.network().kind()).isEqualTo(kind.on(Relations.named(dataset.data())));
      assertThat(description.network().hidden()).containsExactly(8, second);
      assertThat(description.features())
          .isEqualTo(
              new ModelDescription.Features(
                  ExampleGraphs.WIDTH, FeatureScaling.ROW, List.of(), "", null, null));
      assertThat(opened.classes()).isEqualTo(ExampleGraphs.CLASSES);
      assertSame(opened.predict(other, settings()), model.predict(other, settings()), 0);
      Path again = temporary.resolve("again.safetensors");
      opened.write(again);
      assertThat(Files.readAllBytes(again)).isEqualTo(Files.readAllBytes(file));
    }
  }

  /// Each kind of layers with whatever may follow a layer.
  static Stream<Arguments> finishes() {
    Finish normalised = new Finish(Activation.Function.GELU, Norm.LAYER, true);
    Finish sloped = new Finish(Activation.Function.PRELU, Norm.LAYER, true);
    List<Finish> all =
        List.of(
            normalised,
            new Finish(Activation.Function.GELU, Norm.BATCH, true),
            new Finish(Activation.Function.PRELU, Norm.NONE, false),
            Finish.USUAL.withFeedForward(true),
            normalised.withFeedForward(true));
    List<Finish> ofGraphs = new ArrayList<>(all);
    for (Jumping jumping : List.of(Jumping.CONCAT, Jumping.MAX, Jumping.SUM)) {
      ofGraphs.add(Finish.USUAL.withJumping(jumping));
      ofGraphs.add(normalised.withJumping(jumping));
    }
    ofGraphs.add(Finish.USUAL.withInputProjection(true));
    ofGraphs.add(sloped.withInputProjection(true));
    ofGraphs.add(sloped.withJumping(Jumping.MAX).withInputProjection(true));
    return kinds()
        .filter(LayerKind::finishes)
        .flatMap(kind ->
            (kind.sight() == Sight.NONE ? all : ofGraphs)
                .stream().map(finish -> Arguments.of(kind, finish)));
  }

  @ParameterizedTest
  @ShareOf("finishes")
  void whatFollowsALayerIsKept(LayerKind kind, Finish finish) {
    try (Dataset dataset = ExampleGraphs.dense(N, 1);
        Dataset other = ExampleGraphs.sparse(77, 2)) {
      TrainingResult result =
          training(dataset)
              .layers(kind, 8, kind instanceof Sign ? 24 : 8)
              .finish(finish)
              .ranks(2)
              .train();
      Path file = temporary.resolve("model.safetensors");
      result.model().write(file);
      GraphModel opened = GraphModel.open(file);
      assertThat(opened.description()).isEqualTo(result.model().description());
      assertThat(opened.description().network().finish()).isEqualTo(finish);
      for (int ranks : new int[] {1, 3}) {
        assertClose(opened.evaluate(dataset, onRanks(ranks)), result.evaluation());
        assertSame(
            opened.predict(other, onRanks(ranks)),
            result.model().predict(other, settings()),
            TOLERANCE);
      }
    }
  }

  /// Whatever the scales of columns, on other data too, of which nothing is measured.
  @Test
  void standardScalingTakesTheScalesAwayAndIsKept() {
    Path file = temporary.resolve("model.safetensors");
    try (Dataset dataset = ExampleGraphs.dense(N, 1);
        Dataset other = ExampleGraphs.dense(77, 2)) {
      GraphTraining plain = training(dataset).featureScaling(FeatureScaling.STANDARD);
      GraphTraining scaled =
          training(ExampleGraphs.onOwnScales(dataset)).featureScaling(FeatureScaling.STANDARD);
      TrainingResult result = scaled.train();
      result.model().write(file);
      GraphModel opened = GraphModel.open(file);
      assertThat(opened.description()).isEqualTo(result.model().description());
      assertClose(
          opened.evaluate(ExampleGraphs.onOwnScales(dataset), onRanks(4)), result.evaluation());
      // A column around -7 with a deviation of 1e4 has some 1e-7 of its scale as rounding.
      assertSame(
          opened.predict(ExampleGraphs.onOwnScales(other), settings()),
          plain.run().predict(other, settings()),
          1e-3);
    }
  }

  private static void assertSame(Predictions found, Predictions expected, double tolerance) {
    assertThat(found.vertices()).isEqualTo(expected.vertices());
    for (int v = 0; v < found.vertices(); v++) {
      for (int c = 0; c < expected.classes().size(); c++) {
        assertThat(found.probability(v, c))
            .isCloseTo(expected.probability(v, c), within(tolerance));
      }
    }
  }

  @ParameterizedTest
  @ShareOf("kinds")
  void graphNotSeenInTrainingIsPredictedOnAnyRanksAndWithoutLabels(LayerKind kind) {
    try (Dataset dataset = ExampleGraphs.dense(N, 1);
        Dataset other = ExampleGraphs.unlabelled(91, 3)) {
      GraphModel model = training(dataset).layers(kind, hidden(kind)).run();
      Predictions alone = model.predict(other, settings());
      assertThat(alone.vertices()).isEqualTo(91);
      for (int v = 0; v < 91; v++) {
        double[] row = {alone.probability(v, 0), alone.probability(v, 1), alone.probability(v, 2)};
        assertThat(Arrays.stream(row).sum()).isCloseTo(1, within(1e-5));
        assertThat(row[alone.classOf(v)]).isEqualTo(Arrays.stream(row).max().orElseThrow());
        assertThat(alone.classNameOf(v)).isEqualTo(model.classes().get(alone.classOf(v)));
        assertThat(alone.embedding(v))
            .hasSize(kind instanceof Appnp ? 3 : kind instanceof Sign ? 24 : 8);
      }
      assertSame(model.predict(other, onRanks(4)), alone, TOLERANCE);
      InferenceSettings some = onRanks(4).withNeighbours(List.of(91, 91));
      if (samples(model)) {
        Predictions sampled = model.predict(other, some);
        assertSame(sampled, alone, TOLERANCE);
        // Sums with weights go layer by layer, and keep the last hidden one.
        assertThat(sampled.hasEmbeddings())
            .isEqualTo(kind.sight() == Sight.ROWS && !(kind instanceof Sage));
      } else {
        assertThatThrownBy(() -> model.predict(other, some))
            .isInstanceOf(InvalidSettingException.class)
            .hasMessageStartingWith("neighbours: ");
      }
    }
  }

  @Test
  void singleLayerHasNoEmbeddings() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Predictions p = training(dataset).gcn().run().predict(dataset, settings());
      assertThat(p.hasEmbeddings()).isFalse();
      assertThatThrownBy(() -> p.embedding(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> p.write(temporary.resolve("p"), Predictions.Contents.EMBEDDINGS))
          .isInstanceOf(InvalidSettingException.class);
      assertThat(temporary).isEmptyDirectory();
    }
  }

  @Test
  void predictionsAreWritten() throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Predictions p = training(dataset).run().predict(dataset, settings());
      Path folder = temporary.resolve("answers");
      p.write(folder, Predictions.Contents.EMBEDDINGS);
      List<String> lines = Files.readAllLines(folder.resolve("predictions.csv"));
      assertThat(lines).hasSize(N + 1).startsWith("vertex,class,probability");
      assertThat(lines.get(8)).startsWith("7," + p.classNameOf(7) + ",0.");
      assertThat(folder.resolve("probabilities.npy")).exists();
      assertThat(folder.resolve("embeddings.npy")).exists();
    }
  }

  @Test
  void tableHasAllProbabilitiesByNameIfAsked() throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphData data = dataset.data();
      List<String> names = List.of("=1+1", "a,b", "plain");
      Dataset named = Dataset.of(data.withInfo(data.info().withClassNames(names)));
      Predictions p = training(named).run().predict(named, settings());
      Path folder = temporary.resolve("all");
      p.write(folder, Predictions.Contents.PROBABILITIES, Predictions.Columns.ALL);
      try (CSVParser rows =
          CSVParser.parse(
              folder.resolve("predictions.csv"),
              UTF_8,
              CSVFormat.DEFAULT.builder().setHeader().setSkipHeaderRecord(true).get())) {
        assertThat(rows.getHeaderNames())
            .containsExactly("vertex", "class", "probability", "'=1+1", "a,b", "plain");
        rows.forEach(row -> {
          int v = Integer.parseInt(row.get("vertex"));
          for (int c = 0; c < 3; c++) {
            assertThat(Double.parseDouble(row.get(3 + c)))
                .isCloseTo(p.probability(v, c), within(1e-6));
          }
          assertThat(row.get("probability")).isEqualTo(row.get(3 + p.classOf(v)));
        });
        assertThat(rows.getRecordNumber()).isEqualTo(N);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void classesAreCountedAsTheyArePredicted(int ranks) {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphModel model = training(dataset).run();
      Predictions predictions = model.predict(dataset, settings());
      ClassEvaluation found = model.evaluateClasses(dataset, onRanks(ranks));
      assertThat(found.classes()).isEqualTo(ExampleGraphs.CLASSES);
      long[][] expected = new long[3][3];
      double confidence = 0;
      for (int v = 0; v < N; v++) {
        if (dataset.data().isLabelled(v, Split.TEST)) {
          expected[dataset.data().labels()[v]][predictions.classOf(v)]++;
          confidence += predictions.probability(v, predictions.classOf(v));
        }
      }
      for (int label = 0; label < 3; label++) {
        for (int c = 0; c < 3; c++) {
          assertThat(found.test().count(label, c)).isEqualTo(expected[label][c]);
        }
      }
      assertThat(found.test().accuracy()).isEqualTo(found.scores().test().accuracy());
      assertThat(found.train().count()).isEqualTo(found.scores().train().count());
      List<Reliability.Bin> bins =
          found.reliability().bins().stream().filter(bin -> bin.vertices() > 0).toList();
      long count = found.test().count();
      assertThat(found.reliability().vertices()).isEqualTo(count);
      assertThat(bins.stream().mapToDouble(bin -> bin.vertices() * bin.confidence()).sum())
          .isCloseTo(confidence, within(1e-5 * count));
      assertThat(bins.stream().mapToDouble(bin -> bin.vertices() * bin.accuracy()).sum())
          .isCloseTo(count * found.test().accuracy(), within(1e-9 * count));
    }
  }

  @Test
  void cellsThatAreNotThereAreRefused() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      Predictions p = training(dataset).run().predict(dataset, settings());
      assertThatThrownBy(() -> p.probability(0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> p.classOf(N)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> dataset.vertexName(N)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void dataThatDoNotFitAreRefused() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1);
        Dataset unlabelled = ExampleGraphs.unlabelled(40, 1);
        Dataset noSplit = ExampleGraphs.labelled(40, 1);
        Dataset narrow =
            Dataset.of(GraphData.builder(2).name("narrow").features(new float[4], 2).build());
        Dataset bare = Dataset.of(GraphData.builder(2).name("bare").build())) {
      GraphModel model = training(dataset).sage(8).run();
      assertThatThrownBy(() -> model.predict(narrow))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "narrow: expected 8 features per vertex, as the model was trained on, found 2");
      assertThatThrownBy(() -> model.predict(bare))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "bare: expected 8 features per vertex, as the model was trained on, found none; if training added them (--features), use the folder of its run in place of the model file, or add them with dataset convert");
      assertThatThrownBy(() -> model.evaluate(unlabelled))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected labels to score the model on, found none; predicting needs none");
      assertThatThrownBy(() -> model.evaluate(noSplit))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "example: expected labelled vertices in the parts of a split, found none; draw a split");
      Dataset others =
          Dataset.of(
              dataset
                  .data()
                  .withInfo(dataset.data().info().withClassNames(List.of("green", "red", "grey"))));
      for (Runnable use :
          List.<Runnable>of(() -> model.evaluate(others), () -> model.predict(others))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(InvalidInputException.class)
            .hasMessage(
                "example: expected the 3 classes that the model was trained on (red, green, blue),"
                    + " found 3 (green, red, grey); missing: blue; not known to the model: grey");
      }
      assertThatThrownBy(() -> model.predict(dataset, settings().withNeighbours(List.of(1, 2, 3))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("neighbours: expected 1 or 2 numbers for 2 layers, found 3");
      assertThatThrownBy(() -> settings().withNeighbours(List.of(0)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("neighbours: expected at least 1, found 0");
    }
  }

  /// The same data with class names in another order, and labels that say so.
  @Test
  void classesAreKnownByTheirNames() {
    List<String> names = List.of("blue", "red", "green");
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphData data = dataset.data();
      int[] labels =
          Arrays.stream(data.labels())
              .map(c -> c < 0 ? c : names.indexOf(ExampleGraphs.CLASSES.get(c)))
              .toArray();
      Dataset reordered =
          Dataset.of(data.withInfo(data.info().withClassNames(names)).withLabels(labels));
      GraphModel model = training(dataset).sage(8).run();
      for (InferenceSettings way :
          List.of(settings(), onRanks(3), settings().withNeighbours(List.of(N)))) {
        assertThat(model.evaluate(reordered, way)).isEqualTo(model.evaluate(dataset, way));
        Predictions expected = model.predict(dataset, way);
        Predictions found = model.predict(reordered, way);
        assertThat(found.classes()).isEqualTo(names);
        for (int v = 0; v < N; v++) {
          assertThat(found.classNameOf(v)).isEqualTo(expected.classNameOf(v));
          for (int c = 0; c < names.size(); c++) {
            assertThat(found.probability(v, c))
                .isEqualTo(expected.probability(v, ExampleGraphs.CLASSES.indexOf(names.get(c))));
          }
        }
      }
    }
  }

  @Test
  void featuresAreKnownByTheirNamesAndEncoding() {
    List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    List<String> others = List.of("a", "b", "d", "c", "e", "f", "g", "h");
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphData data = dataset.data();
      GraphModel model = training(Dataset.of(data.withFeatureNames(names))).run();
      assertThat(model.predict(dataset, settings()).vertices()).isEqualTo(N);
      assertThat(model.predict(Dataset.of(data.withFeatureNames(names)), settings()).vertices())
          .isEqualTo(N);
      Dataset renamed = Dataset.of(data.withFeatureNames(others));
      assertThatThrownBy(() -> model.predict(renamed))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage("example: feature 2: expected 'c', as the model was trained on, found 'd'");
      GraphModel encoded = training(encoded(data, "words 1")).run();
      assertThat(encoded.predict(encoded(data, "words 1"), settings()).vertices()).isEqualTo(N);
      assertThat(encoded.predict(dataset, settings()).vertices()).isEqualTo(N);
      assertThatThrownBy(() -> encoded.evaluate(encoded(data, "words 2")))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith("example: expected features of encoding ")
          .hasMessageContaining(", as the model was trained on, found ");
    }
  }

  private static Dataset encoded(GraphData data, String encoding) {
    return Dataset.of(
        data.withInfo(data.info().withProvenance(Map.of(GraphData.Info.DEFINITION, encoding))));
  }

  /// With as many neighbours as there are, nothing is estimated, to the bit; weights of edges
  /// count.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sampledSumsBecomeTheSums(boolean weighted) {
    try (Dataset plain = ExampleGraphs.dense(N, 1)) {
      Dataset dataset = weighted ? ExampleGraphs.weighted(plain, 5) : plain;
      GraphModel model = training(dataset).gcn(8, 4).run();
      for (int ranks : new int[] {1, 3}) {
        Predictions whole = model.predict(dataset, onRanks(ranks));
        assertSame(model.predict(dataset, onRanks(ranks).withNeighbours(List.of(N))), whole, 0);
      }
      InferenceSettings some = settings().withNeighbours(List.of(2, 3, 1));
      Predictions sampled = model.predict(dataset, some);
      assertSame(model.predict(dataset, some.withRanks(onRanks(3).ranks())), sampled, TOLERANCE);
      assertThat(differs(sampled, model.predict(dataset, settings()))).isTrue();
      assertThat(differs(sampled, model.predict(dataset, some.withSeed(1)))).isTrue();
    }
  }

  private static boolean differs(Predictions a, Predictions b) {
    return IntStream.range(0, N).anyMatch(v -> a.probability(v, 0) != b.probability(v, 0));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void progressEndsWithAll(LayerKind kind) {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphModel model = training(dataset).layers(kind, hidden(kind)).run();
      List<InferenceSettings> ways = new ArrayList<>(List.of(settings(), onRanks(3)));
      if (samples(model)) {
        ways.add(settings().withNeighbours(List.of(3)));
      }
      for (InferenceSettings way : ways) {
        List<Long> heard = new ArrayList<>();
        model.predict(
            dataset,
            way.withProgress((label, done, total) -> {
              assertThat(label).isEqualTo("inference");
              assertThat(done).isLessThanOrEqualTo(total);
              assertThat(total).isLessThanOrEqualTo(N);
              heard.add(total - done);
            }));
        assertThat(heard).isSortedAccordingTo(Comparator.reverseOrder()).endsWith(0L);
      }
    }
  }

  @Test
  void splitWithoutLabelsDoesNotHinderPrediction() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1);
        Dataset other =
            Dataset.of(ExampleGraphs.builder(40, 1).split(ExampleGraphs.split(40)).build())) {
      assertThat(other.data().isLabelled(0, Split.TRAIN)).isFalse();
      assertThat(training(dataset).run().predict(other, settings()).vertices()).isEqualTo(40);
    }
  }

  @Test
  void memoryLimitRefusesInference() {
    try (Dataset dataset = ExampleGraphs.dense(N, 1)) {
      GraphModel model = training(dataset).run();
      InferenceSettings little =
          InferenceSettings.DEFAULT.withMachine(MachineSettings.DEFAULT.withMemory(1 << 20));
      assertThatThrownBy(() -> model.predict(dataset, little))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("memory: predicting needs ");
      assertThatThrownBy(() -> model.evaluate(dataset, little))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("memory: predicting needs ");
    }
  }

  @Test
  void filesThatAreNoModelsAreRefused() throws IOException {
    assertThatThrownBy(() -> GraphModel.open(temporary))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a trained model, found none");
    assertThatThrownBy(() -> GraphModel.open(temporary.resolve("none")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a model file or a run folder, found nothing");
    Path file = temporary.resolve("text");
    Files.writeString(file, "no model");
    assertThatThrownBy(() -> GraphModel.open(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(file.toString());
  }

  /// Every cell is text for a spreadsheet, and every name can be told from another.
  @Test
  void namesThatASpreadsheetTakesForFormulasAreWrittenAsText() throws IOException {
    List<String> names =
        List.of("=1+1", "+1", "-2.5e3", "-x", "@SUM(A1)", "\tx", " =x", "\uff1dx", "plain", "a=b");
    List<String> cells =
        List.of(
            "'=1+1",
            "+1",
            "-2.5e3",
            "'-x",
            "'@SUM(A1)",
            "'\tx",
            "' =x",
            "'\uff1dx",
            "plain",
            "a=b");
    DenseMatrix one =
        DenseMatrix.wrap(MemorySegment.ofArray(new float[names.size()]), names.size(), 1);
    Predictions p =
        new Predictions(
            Task.CLASSIFICATION, one, null, List.of("=cmd|'/c calc'!A0"), names::get, null);
    p.write(temporary.resolve("p"));
    String csv = Files.readString(temporary.resolve("p/predictions.csv"));
    List<List<String>> rows;
    try (CSVParser parser = CSVParser.parse(csv, CSVFormat.DEFAULT)) {
      rows = parser.stream().skip(1).map(row -> List.of(row.get(0), row.get(1))).toList();
    }
    assertThat(rows).extracting(List::getFirst).containsExactlyElementsOf(cells);
    assertThat(rows).extracting(List::getLast).containsOnly("'=cmd|'/c calc'!A0");
  }
}
