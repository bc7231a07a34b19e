package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.GraphTypes.OfVertices;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Graphs in which only the type of edges tells the class of a vertex.
final class RelationTrainingTest {
  private static final int N = 200;
  private static final int HUBS = 20;
  private static final List<String> TYPES = List.of("likes", "owns");

  @TempDir private Path folder;

  /// Each vertex has three edges to hubs, all of the type of its class; features are noise. The
  /// first vertices are the hubs, which have no class.
  private static Dataset graph(boolean directed, List<String> types) {
    Random random = new Random(5);
    int[] labels =
        IntStream.range(0, N).map(v -> v < HUBS ? GraphData.UNLABELLED : v % 2).toArray();
    int[] from = new int[3 * (N - HUBS)];
    int[] to = new int[from.length];
    for (int e = 0; e < from.length; e++) {
      from[e] = HUBS + e / 3;
      to[e] = random.nextInt(HUBS);
    }
    float[][] x = new float[N][4];
    for (float[] row : x) {
      for (int j = 0; j < row.length; j++) {
        row[j] = 1 + 0.1f * (float) random.nextGaussian();
      }
    }
    Split[] parts = {Split.TRAIN, Split.VALIDATION, Split.TEST};
    GraphDataBuilder builder =
        GraphData.builder(N)
            .name("hubs")
            .edges(from, to)
            .features(x)
            .labels(labels)
            .classNames(List.of("even", "odd"))
            .split(
                IntStream.range(0, N)
                    .mapToObj(v -> parts[v / 2 % parts.length])
                    .toArray(Split[]::new));
    GraphData data = (directed ? builder.directed() : builder).build();
    CsrMatrix a = data.adjacency();
    MemorySegment masks = Arena.ofAuto().allocate(a.nnz() * Integer.BYTES, Integer.BYTES);
    for (int u = 0; u < N; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int type = Math.max(u, a.column(e)) % 2;
        masks.setAtIndex(ValueLayout.JAVA_INT, e, 1 << type);
      }
    }
    return Dataset.of(
        data.withTypes(new GraphTypes(List.of(new OfVertices("all", N)), types, masks)));
  }

  private static GraphTraining training(Dataset dataset, LayerKind kind) {
    return ExampleGraphs.training(dataset)
        .layers(kind, 8)
        .threads(1)
        .epochs(60)
        .learningRate(0.05)
        .seed(3);
  }

  private static InferenceSettings onRanks(int ranks) {
    return InferenceSettings.DEFAULT
        .withMachine(ExampleGraphs.MACHINE.withThreads(1))
        .withRanks(RankSettings.DEFAULT.withCount(ranks));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyRelationalConvolutionsLearnWhatTypesTell(boolean directed) {
    try (Dataset dataset = graph(directed, TYPES)) {
      double relational = accuracy(training(dataset, new Rgcn()));
      assertThat(relational).isGreaterThan(0.98);
      for (LayerKind kind : List.of(new Gcn(), new Sage())) {
        assertThat(accuracy(training(dataset, kind))).isLessThan(0.75);
      }
      MinibatchSettings batches = MinibatchSettings.of(Sampler.sage(2, 2)).withBatchSize(16);
      assertThat(accuracy(training(dataset, new Rgcn()).minibatches(batches))).isGreaterThan(0.98);
      assertThat(accuracy(training(dataset, new Rsage()))).isGreaterThan(0.98);
    }
  }

  private static double accuracy(GraphTraining training) {
    return training.train().evaluation().test().accuracy();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void modelsPredictOnAnyRanksAndKeepTheirRelations(boolean directed) {
    try (Dataset dataset = graph(directed, TYPES);
        Dataset others = graph(directed, List.of("likes", "sells"));
        Dataset untyped = Dataset.of(dataset.data().withTypes(null));
        Dataset turned = graph(!directed, TYPES)) {
      TrainingResult result = training(dataset, new Rgcn(2)).epochs(5).ranks(3).train();
      Path file = folder.resolve("model.safetensors");
      result.model().write(file);
      GraphModel opened = GraphModel.open(file);
      assertThat(opened.description()).isEqualTo(result.model().description());
      for (int ranks : new int[] {1, 4}) {
        assertThat(opened.evaluate(dataset, onRanks(ranks)).test().loss())
            .isCloseTo(result.evaluation().test().loss(), within(1e-5));
        assertThat(
                opened.evaluate(dataset, onRanks(ranks).withNeighbours(List.of(N))).test().loss())
            .isCloseTo(result.evaluation().test().loss(), within(1e-5));
      }
      String known = directed ? "likes, owns, likes (inverse), owns (inverse)" : "likes, owns";
      for (Dataset other : List.of(others, untyped, turned)) {
        assertThatThrownBy(() -> opened.predict(other, onRanks(1)))
            .isInstanceOf(InvalidInputException.class)
            .hasMessageStartingWith(
                "hubs: expected edges of the relations that the model was trained on (%s), found "
                    .formatted(known));
      }
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Dataset dataset = graph(true, TYPES)) {
      GraphTraining training = training(dataset, new Rgcn());
      assertThatThrownBy(
              () -> training.minibatches(MinibatchSettings.of(Sampler.ladies(9, 9))).train())
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "sampler: rgcn takes the mean of what is drawn, by relation; expected one that takes"
                  + " means, such as sage, found ladies");
      Architecture.View loops = new Architecture.View(null, true);
      assertThatThrownBy(() -> Architecture.of(new Rgcn()).withView(loops))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("selfLoops: rgcn has separate weights");
      assertThatThrownBy(() -> new Rgcn(0))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("bases: expected 1 to 64, found 0");
    }
  }
}
