package dev.gossamer.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OrtException;
import dev.gossamer.Architecture;
import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.CalibrationSettings;
import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.GraphTraining;
import dev.gossamer.InferenceSettings;
import dev.gossamer.LinkSettings;
import dev.gossamer.MachineSettings;
import dev.gossamer.Predictions;
import dev.gossamer.Recommendations;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask.CandidateSet;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Files of models of graphs, computed by ONNX Runtime on graphs that are not those of the
/// training.
final class OnnxModelTest {
  /// As promised; relative to numbers above 1.
  private static final double TOLERANCE = 1e-5;

  private static final int TRAINED = 48;
  private static final int WIDTH = 6;
  private static final List<String> CLASSES = List.of("red", "green", "blue");
  private static final List<String> TYPES = List.of("even", "odd");

  /// A fixed limit of memory: what is free at the moment decides nothing.
  private static final MachineSettings MACHINE =
      MachineSettings.DEFAULT.withMemory(1L << 34).withThreads(1);

  @TempDir private Path folder;

  /// Edges as a user has them: some repeated, in both directions, and to a vertex itself.
  ///
  /// @param from sources
  /// @param to targets
  /// @param weights of the edges
  /// @param types 0 or 1
  @SuppressWarnings("ArrayRecordComponent")
  record Edges(
      int vertices, boolean directed, int[] from, int[] to, float[] weights, long[] types) {
    static Edges random(int vertices, int count, boolean directed, long seed) {
      Random random = new Random(seed);
      int[] from = new int[count];
      int[] to = new int[count];
      // The last sixth of the vertices have no edges.
      int linked = Math.max(1, vertices - vertices / 6);
      for (int e = 0; e < count; e++) {
        from[e] = random.nextInt(linked);
        to[e] = e % 9 == 0 ? from[e] : random.nextInt(linked);
        if (e % 5 == 4) {
          from[e] = from[e - 1];
          to[e] = to[e - 1];
        }
        if (e % 7 == 6) {
          from[e] = to[e - 1];
          to[e] = from[e - 1];
        }
      }
      float[] weights = new float[count];
      long[] types = new long[count];
      for (int e = 0; e < count; e++) {
        weights[e] = 0.25f + random.nextFloat();
        types[e] = random.nextInt(TYPES.size());
      }
      return new Edges(vertices, directed, from, to, weights, types);
    }

    GraphDataBuilder builder(boolean weighted) {
      GraphDataBuilder builder =
          GraphData.builder(vertices).name("example").edges(from, to).features(features());
      if (weighted) {
        builder.weights(weights);
      }
      return directed ? builder.directed() : builder;
    }

    float[][] features() {
      Random random = new Random(vertices);
      float[][] x = new float[vertices][WIDTH];
      for (float[] row : x) {
        for (int j = 0; j < WIDTH; j++) {
          row[j] = random.nextInt(4) == 0 ? 0 : (float) random.nextGaussian() * (j + 1);
        }
      }
      return x;
    }

    /// The same graph with the types of its edges, of which repeated ones may have several.
    GraphData typed(GraphData data) {
      CsrMatrix a = data.adjacency();
      MemorySegment masks = Arena.ofAuto().allocate(a.nnz() * Integer.BYTES, Integer.BYTES);
      for (int e = 0; e < from.length; e++) {
        add(masks, a.find(from[e], to[e]), types[e]);
        if (!directed) {
          add(masks, a.find(to[e], from[e]), types[e]);
        }
      }
      List<GraphTypes.OfVertices> all = List.of(new GraphTypes.OfVertices("all", vertices));
      return data.withTypes(new GraphTypes(all, TYPES, masks));
    }

    private static void add(MemorySegment masks, long entry, long type) {
      if (entry >= 0) {
        int mask = masks.getAtIndex(ValueLayout.JAVA_INT, entry);
        masks.setAtIndex(ValueLayout.JAVA_INT, entry, mask | 1 << type);
      }
    }

    /// Inputs of a file that has them.
    OnnxRun.Given given() {
      return new OnnxRun.Given()
          .with("features", features())
          .with("edges", from, to)
          .with("edge_weights", weights, weights.length)
          .with("edge_types", types, types.length);
    }
  }

  /// Graphs that models have not seen: one of several components with lone vertices, one dense, one
  /// of a single vertex.
  private static List<Edges> heldOut(boolean directed) {
    return List.of(
        Edges.random(31, 60, directed, 5),
        Edges.random(12, 90, directed, 6),
        Edges.random(1, 0, directed, 7));
  }

  private static Split[] split(int n) {
    Split[] parts = {Split.TRAIN, Split.TRAIN, Split.VALIDATION, Split.TEST};
    return IntStream.range(0, n).mapToObj(v -> parts[v % parts.length]).toArray(Split[]::new);
  }

  /// Numbers whose predictions are the outputs of the network, shifted and scaled.
  private static float[][] numbers(Edges edges) {
    float[][] x = edges.features();
    return Arrays.stream(x)
        .map(row -> new float[] {row[0] - row[1], row[2] + 1, row[3] * row[4] / 9})
        .toArray(float[][]::new);
  }

  private static int[] labels(int n) {
    return IntStream.range(0, n).map(v -> v * v % 3).toArray();
  }

  private static GraphTraining training(GraphData data, Architecture architecture) {
    return GraphTraining.on(Dataset.of(data))
        .machine(MACHINE)
        .architecture(architecture)
        .epochs(2)
        .learningRate(0.02);
  }

  private static Architecture architecture(LayerKind kind) {
    List<Integer> hidden =
        kind instanceof Gcnii ? List.of(8, 8, 8) : kind instanceof Sgc ? List.of() : List.of(8, 8);
    return Architecture.of(kind)
        .withLayers(kind, hidden)
        .withDropout(new Architecture.DropoutRates(0, 0.0));
  }

  private static Architecture architecture(Finish finish) {
    return architecture(new Sage()).withFinish(finish);
  }

  static Stream<Arguments> networks() {
    List<Architecture> all = new ArrayList<>();
    for (LayerKind kind :
        List.of(
            new Gcn(),
            new Sage(),
            new Gat(),
            new Gat(2, Variant.STANDARD, 0),
            new Gat(2, Variant.V2, 0),
            new Gin(),
            new Rgcn(3),
            new Rsage(),
            new Appnp(3, 0.2),
            new Gcnii(),
            new Sgc(2),
            new Sign(2),
            new Mlp())) {
      all.add(architecture(kind));
    }
    all.add(architecture(new Gcn()).withView(new Architecture.View(Normalisation.ROW_MEAN, false)));
    all.add(architecture(new Gcn()).withFeatureScaling(FeatureScaling.STANDARD));
    all.add(architecture(new Mlp()).withFeatureScaling(FeatureScaling.ROW));
    all.add(architecture(new Finish(Activation.Function.GELU, Norm.LAYER, true)));
    all.add(architecture(new Finish(Activation.Function.ELU, Norm.BATCH, true)));
    all.add(architecture(new Finish(Activation.Function.PRELU, Norm.LAYER, true)));
    for (Jumping jumping : List.of(Jumping.CONCAT, Jumping.MAX, Jumping.SUM)) {
      all.add(architecture(Finish.USUAL.withJumping(jumping)));
    }
    Finish projecting = Finish.USUAL.withInputProjection(true);
    for (LayerKind kind : List.of(new Gcn(), new Sage(), new Gat(), new Gin(), new Rgcn(3))) {
      all.add(architecture(kind).withFinish(projecting));
    }
    Finish sloped = new Finish(Activation.Function.PRELU, Norm.LAYER, true);
    all.add(architecture(sloped.withInputProjection(true).withFeedForward(true)));
    all.add(architecture(new Gat()).withFinish(Finish.USUAL.withFeedForward(true)));
    List<Arguments> each = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      each.add(Arguments.of(all.get(i), i % 2 == 1, i / 2 % 2 == 1));
    }
    for (boolean directed : new boolean[] {false, true}) {
      each.add(Arguments.of(architecture(new Gcn()), directed, true));
    }
    each.add(Arguments.of(architecture(new Sage()), false, true));
    each.add(Arguments.of(architecture(new Rgcn(3)), true, false));
    each.add(Arguments.of(architecture(new Rsage()), true, false));
    each.add(Arguments.of(architecture(new Rsage()), false, false));
    return each.stream();
  }

  /// Some layers use weights of edges, others do not.
  @ParameterizedTest
  @MethodSource("networks")
  void outputsAreThoseOfGossamer(Architecture architecture, boolean directed, boolean weighted)
      throws OrtException {
    Edges edges = Edges.random(TRAINED, 160, directed, 1);
    GraphModel model = training(data(edges, architecture, weighted), architecture).run();
    try (OnnxRun run = OnnxRun.of(OnnxModel.of(model), folder)) {
      for (Edges other : heldOut(directed)) {
        Predictions expected = predictions(model, data(other, architecture, weighted));
        assertClose(run.of(other.given()).get("numbers"), expected);
      }
    }
  }

  /// The inputs of a file have no features of edges.
  @Test
  void modelsThatReadFeaturesOfEdgesAreRefused() {
    for (LayerKind kind : List.of(new Gat(), new Gin())) {
      Architecture reading = architecture(kind);
      GraphData data = data(Edges.random(TRAINED, 160, true, 1), reading, false);
      DenseMatrix x = DenseMatrix.allocate(Arena.ofAuto(), data.adjacency().nnz(), 2);
      GraphModel model =
          training(data.withEdgeFeatures(new EdgeFeatures(x, List.of())), reading).run();
      assertThatThrownBy(() -> OnnxModel.of(model))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "model: expected one that reads no features of edges, which the inputs of an ONNX"
                  + " file do not have, found 2 features; train it on edges without features, or"
                  + " export --format safetensors");
    }
  }

  private static GraphData data(Edges edges, Architecture architecture, boolean weighted) {
    boolean typed = architecture.kind().sight() == LayerKind.Sight.RELATIONS;
    GraphData data =
        edges
            .builder(weighted && !typed)
            .numbers(numbers(edges))
            .split(split(edges.vertices()))
            .build();
    return typed ? edges.typed(data) : data;
  }

  private static Predictions predictions(GraphModel model, GraphData data) {
    return model.predict(Dataset.of(data), InferenceSettings.DEFAULT.withMachine(MACHINE));
  }

  private static void assertClose(OnnxRun.Numbers.Floats found, Predictions expected) {
    int columns = expected.classes().size();
    assertThat(found.shape()).containsExactly(expected.vertices(), columns);
    for (int v = 0; v < expected.vertices(); v++) {
      for (int c = 0; c < columns; c++) {
        assertClose(found.row(v)[c], expected.value(v, c));
      }
    }
  }

  private static void assertClose(double found, double expected) {
    double most = TOLERANCE * Math.max(1, Math.abs(expected));
    assertThat(found).isCloseTo(expected, within(most));
  }

  @Test
  void probabilitiesAreThoseOfACalibratedModel() throws OrtException {
    Edges edges = Edges.random(TRAINED, 160, false, 1);
    GraphData data =
        edges
            .builder(false)
            .labels(labels(TRAINED))
            .classNames(CLASSES)
            .split(split(TRAINED))
            .build();
    GraphModel trained = training(data, architecture(new Gin())).run();
    GraphModel model =
        trained
            .calibrate(
                Dataset.of(data),
                CalibrationSettings.DEFAULT.withTemperature(1.7),
                InferenceSettings.DEFAULT.withMachine(MACHINE))
            .model();
    OnnxModel onnx = OnnxModel.of(model);
    assertThat(onnx.inputs())
        .hasToString("[features: float32[vertices, 6], edges: int64[2, edges]]");
    assertThat(onnx.outputs())
        .hasToString("[logits: float32[vertices, 3], probabilities: float32[vertices, 3]]");
    try (OnnxRun run = OnnxRun.of(onnx, folder)) {
      assertThat(run.session().getMetadata().getCustomMetadata())
          .containsEntry("classes", "[\"red\",\"green\",\"blue\"]")
          .containsEntry("edges", "undirected");
      Edges other = heldOut(false).getFirst();
      OnnxRun.Outputs outputs = run.of(other.given());
      GraphData unseen = other.builder(false).build();
      assertClose(outputs.get("probabilities"), predictions(model, unseen));
      for (int v = 0; v < other.vertices(); v++) {
        float[] p = outputs.get("probabilities").row(v);
        float[] z = outputs.get("logits").row(v);
        assertThat(Math.log(p[0] / p[1])).isCloseTo((z[0] - z[1]) / 1.7, within(1e-3));
      }
    }
  }

  /// Edges are put in order by one number for both ends: one of another vertex must not be taken.
  @Tag("slow")
  @Test
  void endsAndTypesThatDoNotExistAreRefused() throws OrtException {
    Edges edges = Edges.random(TRAINED, 160, true, 1);
    Architecture architecture = architecture(new Rgcn(2));
    GraphModel model = training(data(edges, architecture, false), architecture).run();
    try (OnnxRun run = OnnxRun.of(OnnxModel.of(model), folder)) {
      OnnxRun.Given given = edges.given().with("edge_types", new long[] {1}, 1);
      assertThat(run.of(given.with("edges", new int[] {0}, new int[] {TRAINED - 1})).all())
          .hasSize(1);
      assertThatThrownBy(() -> run.of(given.with("edges", new int[] {TRAINED}, new int[] {0})))
          .isInstanceOf(OrtException.class)
          .hasMessageContaining("out of data bounds");
      OnnxRun.Given typed = edges.given().with("edge_types", new long[] {2}, 1);
      assertThatThrownBy(() -> run.of(typed.with("edges", new int[] {0}, new int[] {0})))
          .isInstanceOf(OrtException.class)
          .hasMessageContaining("out of data bounds");
    }
  }

  @Test
  void labelsHaveProbabilitiesOfTheirOwn() throws OrtException {
    Edges edges = Edges.random(TRAINED, 160, false, 1);
    float[][] labels = new float[TRAINED][2];
    for (int v = 0; v < TRAINED; v++) {
      labels[v][v % 2] = 1;
    }
    GraphData data = edges.builder(false).multiLabels(labels).split(split(TRAINED)).build();
    GraphModel model = training(data, architecture(new Gcn())).run();
    try (OnnxRun run = OnnxRun.of(OnnxModel.of(model), folder)) {
      Edges other = heldOut(false).getFirst();
      assertClose(
          run.of(other.given()).get("probabilities"),
          predictions(model, other.builder(false).build()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void scoresOfPairsAreThoseOfRecommendations(LinkDecoder.Kind decoder) throws OrtException {
    Edges edges = Edges.random(TRAINED, 160, true, 1);
    LinkSettings links =
        new LinkSettings(
            "80/10/10",
            LinkSplit.By.RANDOM,
            0.5,
            16,
            1,
            Negatives.By.UNIFORM,
            20,
            CandidateSet.OWN);
    Dataset dataset = Dataset.of(edges.typed(edges.builder(false).build())).withLinks(links, 0);
    GraphModel model =
        GraphTraining.on(dataset)
            .machine(MACHINE)
            .layers(new Sage(), 8)
            .decoder(decoder)
            .epochs(3)
            .run();
    int[] all = IntStream.range(0, TRAINED).toArray();
    Recommendations expected =
        model.recommend(
            dataset,
            all,
            5,
            decoder == LinkDecoder.Kind.DOT ? null : TYPES.getLast(),
            InferenceSettings.DEFAULT.withMachine(MACHINE));
    List<Integer> from = new ArrayList<>();
    List<Recommendations.Item> to = new ArrayList<>();
    for (int i = 0; i < expected.count(); i++) {
      from.addAll(Collections.nCopies(expected.items(i).size(), expected.vertex(i)));
      to.addAll(expected.items(i));
    }
    long[] types = new long[to.size()];
    Arrays.fill(types, TYPES.size() - 1);
    try (OnnxRun run = OnnxRun.of(OnnxModel.of(model), folder)) {
      float[] found =
          run.of(
                  edges
                      .given()
                      .with(
                          "pairs",
                          ints(from),
                          ints(to.stream().map(Recommendations.Item::vertex).toList()))
                      .with("pair_types", types, types.length))
              .get("probabilities")
              .values();
      assertThat(to).hasSizeGreaterThan(TRAINED);
      for (int i = 0; i < found.length; i++) {
        assertClose(found[i], to.get(i).probability());
      }
    }
  }

  private static int[] ints(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }
}
