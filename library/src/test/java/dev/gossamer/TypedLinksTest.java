package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.link.LinkDecoder.Kind;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.GraphTypes.OfVertices;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask.CandidateSet;
import dev.gossamer.graph.Negatives;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Metric;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Edges of several types as what is predicted.
final class TypedLinksTest {
  private static final int N = 300;
  private static final int GROUPS = 6;
  private static final List<String> TYPES = List.of("near", "next");
  private static final int NEXT = 1;

  private static final LinkSettings LINKS =
      new LinkSettings(
          "80/10/10", LinkSplit.By.RANDOM, 0.5, 16, 1, Negatives.By.UNIFORM, 20, CandidateSet.OWN);

  @TempDir private Path folder;

  private static int group(int vertex) {
    return vertex % GROUPS;
  }

  /// Each vertex has edges to vertices of its group, of one type, and to some of the next group, of
  /// another; features tell the group, with noise.
  private static GraphData graph(boolean directed, List<String> types) {
    Random random = new Random(5);
    int[] from = new int[8 * N];
    int[] to = new int[8 * N];
    for (int e = 0; e < from.length; e++) {
      from[e] = e / 8;
      int other = random.nextInt(N / GROUPS) * GROUPS;
      to[e] = other + (group(from[e]) + e % 2) % GROUPS;
    }
    float[][] x = new float[N][GROUPS];
    for (int v = 0; v < N; v++) {
      for (int j = 0; j < GROUPS; j++) {
        x[v][j] = (group(v) == j ? 1 : 0) + 0.3f * (float) random.nextGaussian();
      }
    }
    GraphDataBuilder builder = GraphData.builder(N).name("rounds").edges(from, to).features(x);
    GraphData data = (directed ? builder.directed() : builder).build();
    CsrMatrix a = data.adjacency();
    MemorySegment masks = Arena.ofAuto().allocate(a.nnz() * Integer.BYTES, Integer.BYTES);
    for (int u = 0; u < N; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int type = group(u) == group(a.column(e)) ? 0 : NEXT;
        masks.setAtIndex(ValueLayout.JAVA_INT, e, 1 << type);
      }
    }
    return data.withTypes(new GraphTypes(List.of(new OfVertices("all", N)), types, masks));
  }

  private static Dataset dataset(boolean directed) {
    return Dataset.of(graph(directed, TYPES)).withLinks(LINKS, 0);
  }

  private static GraphTraining training(Dataset dataset, LayerKind kind) {
    return ExampleGraphs.training(dataset)
        .layers(kind, 16)
        .dropout(0, 0)
        .threads(1)
        .epochs(100)
        .learningRate(0.02);
  }

  private static InferenceSettings inference() {
    return InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE.withThreads(1));
  }

  private static double mrr(GraphTraining training) {
    return training.train().evaluation().test().value(Metric.MRR).orElseThrow();
  }

  @Tag("slow")
  @Test
  void mapsOfTypesTellEdgesThatADotProductConfuses() {
    try (Dataset dataset = dataset(false)) {
      GraphTraining training = training(dataset, new Sage()).epochs(200);
      double dot = mrr(training.decoder(Kind.DOT));
      assertThat(mrr(training.decoder(Kind.DISTMULT))).isGreaterThan(dot + 0.04);
      assertThat(mrr(training.decoder(Kind.BILINEAR))).isGreaterThan(dot + 0.04);
    }
  }

  @Tag("slow")
  @Test
  void bilinearMapsTellDirections() {
    try (Dataset dataset = dataset(true)) {
      double symmetric = mrr(training(dataset, new Sage()).decoder(Kind.DISTMULT));
      assertThat(mrr(training(dataset, new Sage()).decoder(Kind.BILINEAR)))
          .isGreaterThan(symmetric + 0.03);
    }
  }

  @Test
  void edgesOfSeveralTypesShareNoPairs() {
    LinkSettings shared =
        new LinkSettings(
            "80/10/10",
            LinkSplit.By.RANDOM,
            0,
            16,
            1,
            Negatives.By.UNIFORM,
            20,
            CandidateSet.SHARED);
    try (Dataset dataset = dataset(false)) {
      Dataset whole = Dataset.of(dataset.data().withoutLinks());
      assertThatThrownBy(() -> whole.withLinks(shared, 0))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining(
              "candidateSet: expected edges of one type to share pairs, found %d types; use own"
                  .formatted(TYPES.size()));
    }
  }

  private static List<Double> losses(TrainingResult result) {
    return result.records().stream().map(EpochRecord::loss).toList();
  }

  /// Each layer with each decoder, on a directed or an undirected graph in turn.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void areTheSameOnAnyNumberOfRanks(boolean directed) {
    assertTheSameOnRanks(directed, directed ? 1 : 0);
  }

  @Tag("endurance")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void areTheSameOnAnyNumberOfRanksInTheOtherHalf(boolean directed) {
    assertTheSameOnRanks(directed, directed ? 0 : 1);
  }

  /// @param half those whose number of layer and number of decoder have this sum modulo 2
  private static void assertTheSameOnRanks(boolean directed, int half) {
    List<LayerKind> kinds = List.of(new Sage(), new Rgcn(), new Rsage());
    List<Kind> decoders = List.of(Kind.DISTMULT, Kind.BILINEAR, Kind.MLP);
    try (Dataset dataset = dataset(directed)) {
      for (int k = 0; k < kinds.size(); k++) {
        for (int d = (k + half) % 2; d < decoders.size(); d += 2) {
          GraphTraining training =
              training(dataset, kinds.get(k)).decoder(decoders.get(d)).epochs(3);
          List<Double> one = losses(training.train());
          List<Double> four = losses(training.ranks(4).train());
          for (int epoch = 0; epoch < 3; epoch++) {
            assertThat(four.get(epoch)).isCloseTo(one.get(epoch), within(1e-4));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aBatchOfAllEdgesIsAStepOnTheWholeGraph(Kind decoder) {
    try (Dataset dataset = dataset(true)) {
      GraphTraining whole = training(dataset, new Rgcn()).decoder(decoder).epochs(4);
      List<Double> expected = losses(whole.train());
      MinibatchSettings all = MinibatchSettings.of(Sampler.sage(N, N)).withBatchSize(8 * N);
      List<Double> found = losses(whole.minibatches(all).train());
      for (int epoch = 0; epoch < 4; epoch++) {
        assertThat(found.get(epoch)).isCloseTo(expected.get(epoch), within(1e-4));
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(Kind.class)
  void theModelFileKeepsTheDecoder(Kind kind) throws IOException {
    try (Dataset dataset = dataset(true)) {
      TrainingResult result = training(dataset, new Rgcn()).decoder(kind).epochs(20).train();
      Path file = folder.resolve("links.safetensors");
      result.model().write(file);
      GraphModel model = GraphModel.open(file);
      LinkDecoder decoder = model.description().network().decoder();
      assertThat(decoder.kind()).isEqualTo(kind);
      assertThat(decoder.types()).isEqualTo(kind == Kind.DOT ? List.of() : TYPES);
      assertThat(decoder.directed()).isEqualTo(kind == Kind.BILINEAR);
      for (int ranks : new int[] {1, 3}) {
        RankSettings on = RankSettings.DEFAULT.withCount(ranks);
        model
            .evaluate(dataset, inference().withRanks(on))
            .test()
            .values()
            .forEach((metric, score) ->
                assertThat(score)
                    .as(metric.name())
                    .isCloseTo(
                        result.evaluation().test().value(metric).orElseThrow(), within(0.01)));
      }
      Path again = folder.resolve("again.safetensors");
      model.write(again);
      assertThat(again).hasSameBinaryContentAs(file);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BILINEAR", "MLP"})
  void aResumedRunIsBitIdentical(Kind kind) throws IOException {
    try (Dataset dataset = dataset(false)) {
      GraphTraining whole = training(dataset, new Rgcn()).dropout(0.3, 0).epochs(6).decoder(kind);
      ResumedRun.assertBitIdentical(whole, 3, folder);
    }
  }

  @Tag("slow")
  @Test
  void layersRecommendByOneType() {
    try (Dataset dataset = dataset(false)) {
      GraphModel model = training(dataset, new Sage()).decoder(Kind.MLP).run();
      for (int type = 0; type < TYPES.size(); type++) {
        Recommendations found =
            model.recommend(dataset, new int[] {7, 50}, 10, TYPES.get(type), inference());
        for (int i = 0; i < found.count(); i++) {
          int mine = group(found.vertex(i));
          int step = type;
          assertThat(
                  found.items(i).stream()
                      .map(item -> group(item.vertex()))
                      .filter(other ->
                          other == (mine + step) % GROUPS || mine == (other + step) % GROUPS)
                      .count())
              .isGreaterThan(7);
        }
      }
    }
  }

  @Tag("slow")
  @Test
  void recommendsByOneType() {
    try (Dataset dataset = dataset(true)) {
      GraphModel model = training(dataset, new Sage()).decoder(Kind.BILINEAR).run();
      for (int type = 0; type < TYPES.size(); type++) {
        Recommendations found =
            model.recommend(dataset, new int[] {7, 50}, 10, TYPES.get(type), inference());
        for (int i = 0; i < found.count(); i++) {
          int wanted = (group(found.vertex(i)) + type) % GROUPS;
          assertThat(found.items(i)).hasSize(10);
          assertThat(found.items(i).stream().filter(item -> group(item.vertex()) == wanted).count())
              .isGreaterThan(7);
          for (Recommendations.Item item : found.items(i)) {
            assertThat(
                    dataset.data().withoutLinks().adjacency().find(found.vertex(i), item.vertex()))
                .isNegative();
          }
        }
      }
      int[] one = {1};
      assertThatThrownBy(() -> model.recommend(dataset, one, 1, inference()))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "edgeType: expected the type of edges to recommend by, one of near, next, found none");
      assertThatThrownBy(() -> model.recommend(dataset, new int[] {1, -1}, 1, "near", inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageMatching(".*: expected vertices from 0 to [0-9]+, found -1");
      assertThatThrownBy(() -> model.recommend(dataset, one, 1, "far", inference()))
          .hasMessageEndingWith("one of near, next, found far");
      GraphModel plain = training(dataset, new Sage()).decoder(Kind.DOT).epochs(1).run();
      assertThatThrownBy(() -> plain.recommend(dataset, one, 1, "near", inference()))
          .hasMessageStartingWith("edgeType: the model tells no types of edges apart");
    }
  }

  @Test
  void severalTypesHaveMapsUnlessOneAsksForNone() {
    try (Dataset typed = dataset(false);
        Dataset plain = Dataset.of(graph(false, TYPES).withTypes(null)).withLinks(LINKS, 0)) {
      assertThat(decoder(training(typed, new Sage()))).isEqualTo(Kind.BILINEAR);
      assertThat(decoder(training(plain, new Sage()))).isEqualTo(Kind.DOT);
      assertThat(decoder(training(plain, new Sage()).decoder(Kind.BILINEAR)))
          .isEqualTo(Kind.BILINEAR);
    }
  }

  private static Kind decoder(GraphTraining training) {
    return training.epochs(1).run().description().network().decoder().kind();
  }

  @Test
  void whatDoesNotSuitIsRefused() {
    try (Dataset dataset = dataset(false);
        Dataset others = Dataset.of(graph(false, List.of("near", "far"))).withLinks(LINKS, 0);
        Dataset classes = ExampleGraphs.dense(60, 1)) {
      assertThatThrownBy(() -> ExampleGraphs.training(classes).gcn(4).decoder(Kind.DISTMULT).run())
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("decoder: only task links compares vertices; leave it out");
      GraphModel model = training(dataset, new Sage()).epochs(1).run();
      assertThatThrownBy(() -> model.evaluate(others, inference()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining(
              "expected edges of the relations that the model was trained on (near, next), found near, far");
    }
  }
}
