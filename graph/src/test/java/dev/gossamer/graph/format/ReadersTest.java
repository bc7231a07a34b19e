package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.bytes;
import static dev.gossamer.graph.format.SmallFiles.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Each reader on a small file of its format whose content is known.
class ReadersTest {
  private static final ReadOptions UNDIRECTED = ReadOptions.DEFAULT.withDirected(false);

  @TempDir Path folder;

  private static float[][] a(GraphData d) {
    return d.adjacency().toDense();
  }

  private static float[][] x(GraphData d) {
    return switch (d.features()) {
      case Features.Dense dense -> dense.x().toArray();
      case Features.Sparse sparse -> sparse.x().toDense();
      case Features.None none -> new float[0][];
    };
  }

  @Test
  void planetoid() {
    SmallFiles.planetoid(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("planetoid"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.name()).isEqualTo("tiny");
      assertThat(a(d))
          .isDeepEqualTo(
              new float[][] {
                {0, 1, 0, 0, 0, 1, 0},
                {1, 0, 0, 0, 0, 0, 0},
                {0, 0, 0, 0, 0, 0, 0},
                {0, 0, 0, 0, 1, 0, 0},
                {0, 0, 0, 1, 0, 0, 0},
                {1, 0, 0, 0, 0, 0, 0},
                {0, 0, 0, 0, 0, 0, 0}
              });
      assertThat(x(d))
          .isDeepEqualTo(
              new float[][] {
                {1, 0, 0}, {0, 1, 1}, {0, 0, 0}, {0, 0, 0.5f}, {0, 4, 0}, {5, 0, 0}, {0, 0, 0}
              });
      assertThat(d.labels()).containsExactly(0, 1, 0, 1, -1, 1, -1);
      assertThat(d.split()).containsExactly(1, 1, 2, 2, 3, 3, 0);
      assertThat(d.info().provenance()).containsEntry("format", "planetoid");
    }
  }

  @Test
  void planetoidWithRowsThatAreNotSorted() {
    SmallFiles.planetoid(folder);
    bytes(
        folder.resolve("ind.tiny.allx"),
        Pickle.csr(
            4,
            3,
            SmallFiles.ints(0, 1, 3, 3, 4),
            SmallFiles.ints(0, 2, 1, 2),
            SmallFiles.floats(1, 8, 7, 0.5f)));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(x(d)[1]).containsExactly(0, 7, 8);
      assertThat(x(d)[3]).containsExactly(0, 0, 0.5f);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sparsePairs(boolean deflated) {
    Path file = SmallFiles.npz(folder.resolve("pairs.npz"), SmallFiles.sparsePairs(), deflated);
    try (GraphData d = Datasets.open(file)) {
      assertThat(d.name()).isEqualTo("pairs");
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 0, 0, 2}, {0, 0, 0, 0}, {0, 0, 1, 0}});
      assertThat(d.labels()).containsExactly(1, 0, -1);
      assertThat(d.info().classNames()).containsExactly("no", "yes");
      assertThat(d.vertexNames()).containsExactly("ä", "bc", "");
      assertThat(d.split()).isEmpty();
    }
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {0, 0, 1}, {0, 1, 1}});
      assertThat(d.info().directed()).isTrue();
      assertThat(d.edges()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void edgesAndMasks(boolean deflated) {
    Path file = SmallFiles.npz(folder.resolve("masks.npz"), SmallFiles.edgesAndMasks(), deflated);
    try (GraphData d = Datasets.open(file)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0, 1}, {0, 0, 1}, {1, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {5, 6}});
      assertThat(d.labels()).containsExactly(0, 2, 1);
      assertThat(d.info().classNames()).containsExactly("0", "1", "2");
      assertThat(d.split()).containsExactly(1, 2, 3);
    }
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withSplitIndex(1))) {
      assertThat(d.split()).containsExactly(3, 2, 1);
    }
  }

  /// Masks, edges and features as numpy writes transposed arrays.
  @Test
  void masksInFortranOrder() {
    Map<String, byte[]> members = SmallFiles.edgesAndMasks();
    members.put("edges", SmallFiles.fortran("<i8", "(3, 2)", SmallFiles.longs(0, 1, 0, 2, 2, 0)));
    members.put(
        "node_features", SmallFiles.fortran("<f4", "(3, 2)", SmallFiles.floats(1, 3, 5, 2, 4, 6)));
    for (String masks : List.of("train_masks", "val_masks", "test_masks")) {
      byte[] first =
          switch (masks) {
            case "train_masks" -> SmallFiles.truths(1, 0, 0, 0, 0, 1);
            case "val_masks" -> SmallFiles.truths(0, 0, 1, 1, 0, 0);
            default -> SmallFiles.truths(0, 1, 0, 0, 1, 0);
          };
      members.put(masks, SmallFiles.fortran("|b1", "(2, 3)", first));
    }
    Path file = SmallFiles.npz(folder.resolve("fortran.npz"), members, true);
    for (int split = 0; split < 2; split++) {
      try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withSplitIndex(split))) {
        assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0, 1}, {0, 0, 1}, {1, 1, 0}});
        assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {5, 6}});
        assertThat(d.split())
            .containsExactly(split == 0 ? new int[] {1, 2, 3} : new int[] {3, 2, 1});
      }
    }
  }

  /// One-hot labels that numpy saved transposed.
  @Test
  void planetoidInFortranOrder() {
    SmallFiles.planetoid(folder);
    bytes(
        folder.resolve("ind.tiny.ally"),
        SmallFiles.concat(
            Pickle.START,
            Pickle.arrayBody("i4", "<", true, SmallFiles.ints(1, 0, 1, 0, 0, 1, 0, 1), 4, 2),
            Pickle.STOP));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.labels()).containsExactly(0, 1, 0, 1, -1, 1, -1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"csr", "csc", "coo"})
  void matricesOfScipy(String format) {
    Map<String, byte[]> members = SmallFiles.scipy(format);
    Path file = SmallFiles.npz(folder.resolve("m.npz"), members, true);
    try (GraphData d = Datasets.open(file)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 2, 0}, {2, 0, 3}, {0, 3, 0}});
      assertThat(d.info().provenance())
          .containsEntry(DatasetDraft.DROPPED, "directions, 1 self loop");
      assertThat(d.hasFeatures()).isFalse();
    }
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 2, 0}, {0, 0, 3}, {0, 0, 5}});
    }
    members.put("data", SmallFiles.npy("|b1", "(3,)", SmallFiles.truths(1, 1, 1)));
    try (GraphData d = Datasets.open(SmallFiles.npz(folder.resolve("p.npz"), members, false))) {
      assertThat(d.adjacency().values()).isNull();
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
    }
  }

  @Test
  void idsOfSnapMayHaveGaps() {
    String comments = "# Undirected graph: web.txt\n# Nodes: 3 Edges: 4\n# FromNodeId\tToNodeId\n";
    Path gaps =
        text(folder.resolve("gaps.txt"), comments + "3466\t937\n937\t3466\n937\t5233\n64\t64\n");
    assertThat(Datasets.recognise(gaps)).isEqualTo(GraphFormat.named("edges"));
    try (GraphData d = Datasets.open(gaps)) {
      assertThat(a(d))
          .isDeepEqualTo(new float[][] {{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 0, 0}, {0, 1, 0, 0}});
      assertThat(d.vertexNames()).containsExactly("64", "937", "3466", "5233");
      assertThat(d.info().provenance())
          .containsEntry("renumbered", "ids from 0 to 5,233 with gaps");
    }
    Path none = text(folder.resolve("none.txt"), comments + "0\t2\n2\t1\n");
    Path other = text(folder.resolve("other.txt"), "# five vertices\n0 4\n");
    try (GraphData whole = Datasets.open(none);
        GraphData sparse = Datasets.open(other)) {
      assertThat(whole.vertices()).isEqualTo(3);
      assertThat(whole.vertexNames()).isNull();
      assertThat(sparse.vertices()).isEqualTo(5);
      assertThat(sparse.vertexNames()).isNull();
    }
  }

  @Test
  void weightsAndNamesOfAnArchive() {
    Path file = SmallFiles.npz(folder.resolve("w.npz"), SmallFiles.weightedEdges(), true);
    try (GraphData d = Datasets.open(file)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0, 1.5f}, {0, 0, 2}, {1.5f, 2, 0}});
      assertThat(d.vertexNames()).containsExactly("ann", "bob", "cy");
    }
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{9, 0, 0.5f}, {0, 0, 2}, {1, 0, 0}});
    }
  }

  @Test
  void weightsThatAreAllOneAreAPattern() {
    Map<String, byte[]> members = SmallFiles.weightedEdges();
    members.put("edge_weights", SmallFiles.npy("<i8", "(4,)", SmallFiles.longs(1, 1, 1, 1)));
    try (GraphData d = Datasets.open(SmallFiles.npz(folder.resolve("w.npz"), members, true))) {
      assertThat(d.adjacency().values()).isNull();
    }
  }

  @Test
  void valuesOfASparseMatrixAreWeights() {
    Map<String, byte[]> members = SmallFiles.sparsePairs();
    members.put("adj_data", SmallFiles.npy("<f4", "(4,)", SmallFiles.floats(3, 5, 7, 1)));
    members.put(
        "attr_names", SmallFiles.npy("<U1", "(4,)", SmallFiles.texts(1, "a", "b", "c", "d")));
    members.put("idx_to_node", SmallFiles.npy("|O", "()", new byte[8]));
    Path arcs = SmallFiles.npz(folder.resolve("arcs.npz"), members, true);
    try (GraphData d = Datasets.open(arcs)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 3, 0}, {3, 0, 12}, {0, 12, 0}});
      assertThat(d.featureNames()).containsExactly("a", "b", "c", "d");
    }
    members.put("adj_indptr", SmallFiles.npy("<i4", "(4,)", SmallFiles.ints(0, 1, 3, 4)));
    members.put("adj_indices", SmallFiles.npy("<i4", "(4,)", SmallFiles.ints(1, 0, 2, 1)));
    members.put("adj_data", SmallFiles.npy("<f4", "(4,)", SmallFiles.floats(3, 3, 7, 7)));
    Path mirrored = SmallFiles.npz(folder.resolve("mirrored.npz"), members, true);
    try (GraphData d = Datasets.open(mirrored)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 3, 0}, {3, 0, 7}, {0, 7, 0}});
      assertThat(d.info().directed()).isFalse();
      assertThat(d.info().provenance())
          .doesNotContainKeys(DatasetDraft.MERGED, DatasetDraft.DROPPED);
    }
  }

  /// @param text an edge list
  /// @param directed how it is read
  /// @param merged what is said of repeats, or nothing
  /// @param dropped what is said to be left out, or nothing
  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      delimiter = '|',
      value = {
        "0 1;1 2|false|none|directions",
        "0 1;0 1;1 2|false|1 repeated edge|directions",
        "0 1;1 0;1 2|false|1 repeated edge|directions",
        "0 1;1 0;1 2;2 1|false|none|none",
        "0 1;1 0;1 2;2 1;0 1|false|1 repeated edge|none",
        "0 1;0 1;0 1;1 2;1 2|false|3 repeated edges|directions",
        "0 1 2;1 0 2|false|1 repeated edge|none",
        "0 1;1 0;1 1|false|none|1 self loop",
        "0 1;1 1;1 1|false|none|directions, 2 self loops",
        "0 1;0 1;1 1|true|1 repeated edge|none",
      })
  void whatIsMergedAndDroppedIsAFact(
      String text, boolean directed, @Nullable String merged, @Nullable String dropped) {
    Path file = text(folder.resolve("e.txt"), text.replace(';', '\n'));
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withDirected(directed))) {
      assertThat(d.info().provenance().get(DatasetDraft.MERGED)).isEqualTo(merged);
      assertThat(d.info().provenance().get(DatasetDraft.DROPPED)).isEqualTo(dropped);
    }
  }

  @Test
  void aFileWithoutDirectionsLosesNone() {
    for (Path file :
        List.of(
            SmallFiles.musae(folder),
            text(
                folder.resolve("s.mtx"),
                "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"),
            text(folder.resolve("g.graph"), "3 2\n2\n1 3\n2\n"))) {
      try (GraphData d = Datasets.open(file)) {
        assertThat(d.info().provenance().getOrDefault(DatasetDraft.DROPPED, ""))
            .as(file.toString())
            .doesNotContain("directions");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sender,receiver\nann,bob\nbob,cy\n",
        "Payer;Payee\nann;bob\nbob;cy\n",
        "who,whom,amount\nann,bob,3\nbob,cy,4\n",
        "account a,account b\nacc-1,acc-2\nacc-2,acc-3\n",
      })
  void headersAboveNamesAreNoEdges(String text) {
    try (GraphData d = Datasets.open(text(folder.resolve("h.csv"), text))) {
      assertThat(d.vertices()).isEqualTo(3);
      assertThat(d.edges()).isEqualTo(2);
      assertThat(d.info().provenance())
          .containsEntry("header", text.substring(0, text.indexOf(10)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ann,bob\nbob,cy\n",
        "MYC,MAX\nTP53,MDM2\nMDM2,MYC\n",
        "MYC,MAX\nMAX,TP53\nMDM2,TP53\n",
        "MYC MAX\nTP53 MDM2\n",
        "ann,bob,1\nbob,cy,2\n",
      })
  void namesOnTheFirstLineAreAnEdge(String text) {
    try (GraphData d = Datasets.open(text(folder.resolve("e.csv"), text))) {
      assertThat(d.edges()).isEqualTo(text.lines().count());
      assertThat(d.info().provenance()).doesNotContainKey("header");
    }
  }

  @Test
  void citations() {
    SmallFiles.citations(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("cora"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.name()).isEqualTo("tiny");
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 0, 0}, {0, 0, 1}, {0, 0, 0}});
      assertThat(d.labels()).containsExactly(1, 0, 1);
      assertThat(d.info().classNames()).containsExactly("Case_Based", "Theory");
      assertThat(d.vertexNames()).containsExactly("31336", "1061127", "x7");
    }
    try (GraphData d = Datasets.open(folder, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 0}, {0, 1, 1}});
    }
  }

  @Test
  void citationsOfUnknownPapersAreDropped() {
    Path cites = SmallFiles.citations(folder).resolve("tiny.cites");
    text(cites, "31336\tghost\n31336\t1061127\nghost\tx7\n1061127\tx7\n");
    try (GraphData d = Datasets.open(folder)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(d.info().provenance())
          .containsEntry(DatasetDraft.DROPPED, "directions, 2 links to unknown papers");
    }
  }

  @Test
  void musae() {
    SmallFiles.musae(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("musae"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.name()).isEqualTo("tiny");
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0, 1}, {0, 0, 1}, {1, 1, 0}});
      assertThat(x(d))
          .isDeepEqualTo(new float[][] {{0, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 1}});
      assertThat(d.labels()).containsExactly(1, 0, 1);
      assertThat(d.info().classNames()).containsExactly("club", "shop");
    }
  }

  @Test
  void musaeWithVertexNumbersInTheirColumn() {
    SmallFiles.twitch(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("musae"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0, 1}, {0, 0, 1}, {1, 1, 0}});
      assertThat(x(d))
          .isDeepEqualTo(new float[][] {{0, 1, 0, 0, 0}, {1, 0, 0, 0, 1}, {0, 0, 0, 0, 0}});
      assertThat(d.labels()).containsExactly(1, 0, 0);
      assertThat(d.info().classNames()).containsExactly("False", "True");
    }
  }

  @Test
  void reddit() {
    SmallFiles.reddit(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("reddit"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.name()).isEqualTo("tiny");
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {5, 6}});
      assertThat(d.labels()).containsExactly(0, 1, -1);
      assertThat(d.split()).containsExactly(1, 3, 0);
    }
  }

  @Test
  void graphSaint() {
    SmallFiles.graphSaint(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("graphsaint"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {5, 6}});
      assertThat(d.labels()).containsExactly(0, 1, -1);
      assertThat(d.info().classNames()).containsExactly("0", "1");
      assertThat(d.split()).containsExactly(1, 3, 0);
    }
  }

  @Test
  void textsOfTheOpenGraphBenchmark() {
    SmallFiles.ogb(folder, "time");
    SmallFiles.ogbText(folder, "split/later/train", "1\n2\n");
    SmallFiles.ogbText(folder, "split/later/valid", "");
    SmallFiles.ogbText(folder, "split/later/test", "0\n");
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("ogb"));
    try (GraphData d = Datasets.open(folder, ReadOptions.DEFAULT.withSplitIndex(1))) {
      assertThat(d.name()).isEqualTo(folder.getFileName().toString());
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {-0.5f, 6}});
      assertThat(d.labels()).containsExactly(0, 2, 1);
      assertThat(d.split()).containsExactly(1, 3, 2);
      assertThat(d.info().provenance())
          .containsEntry("split", "time")
          .containsEntry(DatasetDraft.DROPPED, "directions, 1 self loop, node_year");
      assertThat(ofEdges(d)).isDeepEqualTo(new float[][] {{1, 0}, {1, 0}, {2, -0.5f}, {2, -0.5f}});
    }
    try (GraphData d = Datasets.open(folder, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {0, 0, 1}, {0, 0, 1}});
      assertThat(d.split()).containsExactly(3, 1, 1);
      assertThat(ofEdges(d)).isDeepEqualTo(new float[][] {{1, 0}, {2, -0.5f}, {3, 0}});
    }
  }

  @Test
  void edgesOfTheOpenGraphBenchmarkWithoutDirections() {
    SmallFiles.ogb(folder, "sales_ranking");
    try (GraphData d = Datasets.open(folder)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(d.info().provenance())
          .containsEntry(DatasetDraft.DROPPED, "1 self loop, node_year");
    }
    assertThatThrownBy(() -> Datasets.open(folder, ReadOptions.DEFAULT.withDirected(true)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            folder.resolve("raw") + ": expected a directed graph, found edges without directions");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void arraysOfTheOpenGraphBenchmark(boolean fortran) {
    SmallFiles.ogbArrays(folder);
    if (fortran) {
      Map<String, byte[]> members = SmallFiles.ogbData();
      members.put(
          "edge_index", SmallFiles.fortran("<i8", "(2, 3)", SmallFiles.longs(0, 1, 1, 2, 2, 2)));
      members.put(
          "node_feat",
          SmallFiles.fortran("<f4", "(3, 2)", SmallFiles.floats(1, 3, -0.5f, 2, 4, 6)));
      SmallFiles.npz(folder.resolve("raw/data.npz"), members, true);
    }
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("ogb"));
    try (GraphData d = Datasets.open(folder)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(x(d)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {-0.5f, 6}});
      assertThat(d.labels()).containsExactly(0, -1, 1);
      assertThat(d.split()).containsExactly(1, 3, 2);
      assertThat(ofEdges(d)).isDeepEqualTo(new float[][] {{1, 0}, {1, 0}, {2, -0.5f}, {2, -0.5f}});
    }
  }

  @Test
  void typesOfTheOpenGraphBenchmark() {
    SmallFiles.ogbTyped(folder);
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("ogb"));
    try (GraphData d = Datasets.open(folder)) {
      // Authors 0 and 1, papers 2 to 4.
      assertThat(a(d))
          .isDeepEqualTo(
              new float[][] {
                {0, 0, 1, 0, 0}, {0, 0, 1, 0, 1}, {1, 1, 0, 1, 0}, {0, 0, 1, 0, 1}, {0, 1, 0, 1, 0}
              });
      GraphTypes types = Objects.requireNonNull(d.types());
      assertThat(types.vertices())
          .containsExactly(
              new GraphTypes.OfVertices("author", 2),
              new GraphTypes.OfVertices("field", 0),
              new GraphTypes.OfVertices("paper", 3));
      assertThat(types.edges()).containsExactly("writes", "cites");
      assertThat(types.count(0, d)).isEqualTo(3);
      assertThat(types.count(1, d)).isEqualTo(2);
      assertThat(types.has(d.adjacency().find(4, 1), 0)).isTrue();
      assertThat(types.has(d.adjacency().find(4, 1), 1)).isFalse();
      assertThat(x(d))
          .isDeepEqualTo(
              new float[][] {
                {0, 0, 1, 0, 0},
                {0, 0, 1, 0, 0},
                {1, 2, 0, 0, 1},
                {3, 4, 0, 0, 1},
                {-0.5f, 6, 0, 0, 1}
              });
      assertThat(d.labels()).containsExactly(-1, -1, 0, 1, 1);
      assertThat(d.split()).containsExactly(0, 0, 1, 3, 2);
      assertThat(d.info().provenance())
          .containsEntry("split", "time")
          .containsEntry(DatasetDraft.DROPPED, "directions, 1 self loop, edge_reltype, node_year");
    }
    try (GraphData d = Datasets.open(folder, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d))
          .isDeepEqualTo(
              new float[][] {
                {0, 0, 1, 0, 0}, {0, 0, 1, 0, 1}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}
              });
      assertThat(Objects.requireNonNull(d.types()).count(1, d)).isEqualTo(3);
    }
  }

  @Test
  void typesOfEdgesThatShareANameAreToldApartByTheirVertices() {
    SmallFiles.ogbTyped(folder);
    SmallFiles.ogbText(
        folder,
        "raw/triplet-type-list",
        "paper,cites,paper\nauthor,cites,paper\nauthor,writes,paper\n");
    SmallFiles.ogbText(folder, "raw/relations/author___cites___paper/num-edge-list", "1\n");
    SmallFiles.ogbText(folder, "raw/relations/author___cites___paper/edge", "0,0\n");
    try (GraphData d = Datasets.open(folder)) {
      GraphTypes types = Objects.requireNonNull(d.types());
      assertThat(types.edges())
          .containsExactly("paper cites paper", "author cites paper", "writes");
      long both = d.adjacency().find(2, 0);
      assertThat(types.has(both, 0)).isFalse();
      assertThat(types.has(both, 1)).isTrue();
      assertThat(types.has(both, 2)).isTrue();
    }
  }

  @Test
  void typesWithoutClassesFeaturesOrPartsAreAGraph() throws IOException {
    SmallFiles.ogbTyped(folder);
    for (String absent :
        List.of(
            "raw/node-label/paper/node-label.csv.gz",
            "raw/node-feat/paper/node-feat.csv.gz",
            "split/time/paper/train.csv.gz",
            "split/time/paper/valid.csv.gz",
            "split/time/paper/test.csv.gz",
            "split/time/paper")) {
      Files.delete(folder.resolve(absent));
    }
    try (GraphData d = Datasets.open(folder)) {
      assertThat(d.edges()).isEqualTo(5);
      assertThat(d.features().width()).isZero();
      assertThat(d.outputs()).isZero();
    }
  }

  @Test
  void aChangeInAFolderOfATypeChangesTheKey() {
    SmallFiles.ogbTyped(folder);
    String before = Datasets.contentKey(folder, ReadOptions.DEFAULT);
    SmallFiles.ogbText(folder, "split/time/paper/train", "0\n1\n");
    String parts = Datasets.contentKey(folder, ReadOptions.DEFAULT);
    SmallFiles.ogbText(folder, "raw/relations/paper___cites___paper/edge", "0,1\n0,2\n1,2\n2,2\n");
    assertThat(List.of(before, parts, Datasets.contentKey(folder, ReadOptions.DEFAULT)))
        .doesNotHaveDuplicates();
  }

  private static float[][] ofEdges(GraphData d) {
    return Objects.requireNonNull(d.edgeFeatures()).x().toArray();
  }

  @Test
  void featuresOfEdgesThatDoNotFitIntoMemoryAreRefused() {
    SmallFiles.ogb(folder, "time");
    // 4 arcs of 2 features, 8 more bytes than the graph needs while it is built.
    long graph = 2 * (4 * Long.BYTES + 6 * Integer.BYTES);
    assertThat(graph).isGreaterThan(4 * 2 * Float.BYTES);
    SmallFiles.ogbText(folder, "raw/edge-feat", "1,2,3,4,5,6,7,8\n".repeat(3));
    ReadOptions options = ReadOptions.DEFAULT.withMemoryLimit(graph);
    assertThatThrownBy(() -> Datasets.open(folder, options))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageEndingWith(
            "edge-feat.csv.gz: 8 features of 4 arcs: expected at most 112 bytes of memory, needs 128; without the features, the graph is read alone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "readme", "LICENSE", "SHA256SUMS", ".hidden"})
  void aFolderWithOneFileAndATextAboutItIsThatFile(String about) {
    text(folder.resolve(about), "A path.\n");
    text(
        folder.resolve("path.mtx"),
        "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
    assertThat(Datasets.recognise(folder)).isEqualTo(GraphFormat.named("mtx"));
    for (ReadOptions options :
        List.of(ReadOptions.DEFAULT, ReadOptions.DEFAULT.withFormat(GraphFormat.named("mtx")))) {
      try (GraphData d = Datasets.open(folder, options)) {
        assertThat(d.name()).isEqualTo("path");
        assertThat(d.edges()).isEqualTo(1);
        assertThat(d.info().provenance()).containsEntry("source", "path.mtx");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 1\n1 2\n",
        "# comment\n\n0\t1\n% another\n2\t1\n",
        "id_1,id_2\n0,1\n1,2\n2,2\n",
        "whatever;else\r\n0;1\r\n1; 2\r\n",
        "0, 1\n1, 2\n1, 0",
        "0,\t1\n1\t,2\n",
        "\ufeff0,1\n1,2\n",
        "0   1\n 1  2  \n"
      })
  void edgeListsOfNumbers(String text) {
    Path plain = text(folder.resolve("plain.csv"), text);
    Path packed = bytes(folder.resolve("packed.csv.gz"), SmallFiles.gzip(text));
    for (Path file : new Path[] {plain, packed}) {
      assertThat(Datasets.recognise(file)).isEqualTo(GraphFormat.named("edges"));
      try (GraphData d = Datasets.open(file)) {
        assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
        assertThat(d.features()).isInstanceOf(Features.None.class);
        assertThat(d.labels()).isEmpty();
        assertThat(d.vertexNames()).isNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ann bob 2\nbob cy 0.5\nbob ann 1",
        "source,target,weight\nann,bob,3\n\"bob\",\"cy\",.5\n",
        "Src\tDst\tW\nann\tbob\t3\ncy\tbob\t0.5\n"
      })
  void edgeListsOfNames(String text) {
    try (GraphData d = Datasets.open(text(folder.resolve("names.txt"), text))) {
      List<String> names = Objects.requireNonNull(d.vertexNames());
      float[][] sums = a(d);
      assertThat(d.edges()).isEqualTo(2);
      int bob = names.indexOf("bob");
      assertThat(sums[bob][names.indexOf("ann")]).isEqualTo(3f);
      assertThat(sums[bob][names.indexOf("cy")]).isEqualTo(0.5f);
      assertThat(names.getFirst()).isEqualTo("ann");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Doe, Jane\tRoe, Max, Jr.\nA;B\tDoe, Jane\n",
        "\"Doe, Jane\"\t\"Roe, Max, Jr.\"\nA;B\t\"Doe, Jane\"\n"
      })
  void namesBetweenTabsMayHoldCommas(String text) {
    try (GraphData d = Datasets.open(text(folder.resolve("t.tsv"), text))) {
      assertThat(d.vertexNames()).containsExactly("Doe, Jane", "Roe, Max, Jr.", "A;B");
      assertThat(d.adjacency().values()).isNull();
    }
  }

  @Test
  void theCharacterOfUnreadableBytesMayBeInANameThatIsRead() {
    try (GraphData d = Datasets.open(text(folder.resolve("e.csv"), "ann,bob\n\ufffd,bob\n"))) {
      assertThat(d.vertexNames()).containsExactly("ann", "bob", "\ufffd");
    }
  }

  @Test
  void edgeListsCanBeDirected() {
    Path file = text(folder.resolve("e.txt"), "0 1\n1 1\n2 1\n");
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}});
      assertThat(d.edges()).isEqualTo(3);
    }
  }

  @Test
  void quotedNamesMayHoldTheSeparator() {
    Path file = text(folder.resolve("q.csv"), "source,target\n\"a,b\",\"say \"\"hi\"\"\"\n");
    try (GraphData d = Datasets.open(file)) {
      assertThat(d.vertexNames()).containsExactly("a,b", "say \"hi\"");
    }
  }

  @Test
  void metis() {
    String star = "% star\n4 3\n2 3 4 \n1\n% inside\n1\n1";
    Path file = text(folder.resolve("star"), star);
    assertThat(Datasets.recognise(file)).isEqualTo(GraphFormat.named("metis"));
    try (GraphData d = Datasets.open(file)) {
      assertThat(a(d))
          .isDeepEqualTo(new float[][] {{0, 1, 1, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}});
    }
    Path isolated = bytes(folder.resolve("i.graph.gz"), SmallFiles.gzip("3 1\n3\n\n1\n"));
    try (GraphData d = Datasets.open(isolated)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}});
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3 2 1\n2 7\n1 7 3 9\n2 9\n",
        "3 2 11\n5 2 7\n6 1 7 3 9\n5 2 9\n",
        "3 2 011 2\n5 5 2 7\n6 5 1 7 3 9\n5 5 2 9\n",
        "3 2 111 1\n1 5 2 7\n1 6 1 7 3 9\n1 5 2 9\n"
      })
  void metisWithWeights(String text) {
    try (GraphData d = Datasets.open(text(folder.resolve("w.graph"), text))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 7, 0}, {7, 0, 9}, {0, 9, 0}});
    }
  }

  @Test
  void metisWithVertexWeightsOnlyIsAPattern() {
    try (GraphData d = Datasets.open(text(folder.resolve("w.graph"), "2 1 10\n4 2\n4 1\n"))) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1}, {1, 0}});
      assertThat(d.adjacency().values()).isNull();
    }
  }

  @Test
  void matrixMarket() {
    String banner = "%%MatrixMarket matrix coordinate ";
    Path symmetric =
        text(folder.resolve("s.mtx"), banner + "pattern symmetric\n% c\n3 3 3\n2 1\n3 3\n3 2\n");
    assertThat(Datasets.recognise(symmetric)).isEqualTo(GraphFormat.named("mtx"));
    try (GraphData d = Datasets.open(symmetric)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(d.info().directed()).isFalse();
    }
    Path general =
        text(folder.resolve("g.mtx"), banner + "real general\n2 2 3\n1 2 1e-1\n2 2 -3\n1 1 2\n");
    try (GraphData d = Datasets.open(general)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{2, 0.1f}, {0, -3}});
      assertThat(d.info().directed()).isTrue();
    }
    try (GraphData d = Datasets.open(general, UNDIRECTED)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 0.1f}, {0.1f, 0}});
    }
    Path mirrored =
        text(folder.resolve("m.mtx"), banner + "integer general\n2 2 3\n1 2 5\n2 1 5\n1 1 2\n");
    for (ReadOptions options : List.of(ReadOptions.DEFAULT, UNDIRECTED)) {
      try (GraphData d = Datasets.open(mirrored, options)) {
        assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 5}, {5, 0}});
        assertThat(d.info().directed()).isFalse();
      }
    }
  }

  @Test
  void dimacs() {
    Path twoWays =
        text(folder.resolve("t.gr"), "c roads\np sp 3 4\na 1 2 8\na 2 1 8\na 2 3 4\na 3 2 4\n");
    assertThat(Datasets.recognise(twoWays)).isEqualTo(GraphFormat.named("dimacs"));
    for (ReadOptions options : List.of(ReadOptions.DEFAULT, UNDIRECTED)) {
      try (GraphData d = Datasets.open(twoWays, options)) {
        assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 8, 0}, {8, 0, 4}, {0, 4, 0}});
        assertThat(d.info().directed()).isFalse();
      }
    }
    for (String begin :
        List.of("p\tsp\t2 1", "p  sp 2 1", "c\tx\ncomment\np\tsp 2 1", "\nc\np sp 2 1")) {
      Path other = text(folder.resolve("other"), begin + "\na 1 2 8\n");
      assertThat(Datasets.recognise(other)).as(begin).isEqualTo(GraphFormat.named("dimacs"));
      Datasets.open(other).close();
    }
    Path oneWay = text(folder.resolve("o.gr"), "p sp 2 1\na 1 2 8\n");
    try (GraphData d = Datasets.open(oneWay)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 8}, {0, 0}});
      assertThat(d.info().directed()).isTrue();
    }
    try (GraphData d = Datasets.open(oneWay, UNDIRECTED)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 8}, {8, 0}});
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ufeff%%MatrixMarket", "%%matrixmarket", "%%MATRIXMARKET"})
  void theFirstWordOfMatrixMarketIsReadInAnyCaseAndAfterAByteOrderMark(String word) {
    Path file = text(folder.resolve("g"), word + " matrix coordinate Real General\n2 2 1\n1 2 3\n");
    assertThat(Datasets.recognise(file)).isEqualTo(GraphFormat.named("mtx"));
    try (GraphData d = Datasets.open(file)) {
      assertThat(a(d)).isDeepEqualTo(new float[][] {{0, 3}, {0, 0}});
    }
  }

  @Test
  void edgesOfAVertexCalledCAreNoCommentsOfDimacs() {
    Path file = text(folder.resolve("e.txt"), "c a\nc b\na b\n");
    assertThat(Datasets.recognise(file)).isEqualTo(GraphFormat.named("edges"));
    try (GraphData d = Datasets.open(file)) {
      assertThat(d.vertexNames()).containsExactly("c", "a", "b");
      assertThat(d.edges()).isEqualTo(3);
    }
    ReadOptions dimacs = ReadOptions.DEFAULT.withFormat(GraphFormat.named("dimacs"));
    assertThatThrownBy(() -> Datasets.open(file, dimacs))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(file + ": line 3: expected a line 'p sp VERTICES ARCS', found 'a b'");
  }

  @Test
  void aLineLongerThanTheBufferIsRead() {
    StringBuilder hub = new StringBuilder("40000 39999\n");
    for (int v = 2; v <= 40000; v++) {
      hub.append(v).append(' ');
    }
    hub.append("\n").append("1\n".repeat(39999));
    try (GraphData d = Datasets.open(text(folder.resolve("hub.graph"), hub.toString()))) {
      assertThat(d.adjacency().rowLength(0)).isEqualTo(39999);
      assertThat(d.edges()).isEqualTo(39999);
    }
  }

  @Test
  void aFormatCanBeForced() {
    Path file = text(folder.resolve("f"), "3 3\n1 3\n3 2\n2 1\n");
    assertThat(Datasets.recognise(file)).isEqualTo(GraphFormat.named("metis"));
    try (GraphData d =
        Datasets.open(file, ReadOptions.DEFAULT.withFormat(GraphFormat.named("EDGES")))) {
      assertThat(d.vertices()).isEqualTo(4);
    }
    assertThatThrownBy(() -> GraphFormat.named("gml"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "format: expected one of dataset, planetoid, musae, cora, reddit, graphsaint, ogb, npz, mtx, dimacs, metis,"
                + " edges, found gml");
  }

  static List<GraphFormat> formats() {
    return GraphFormat.all();
  }

  @ParameterizedTest
  @MethodSource("formats")
  void everyFormatIsFoundByItsName(GraphFormat format) {
    assertThat(GraphFormat.named(format.name())).isEqualTo(format);
    assertThat(GraphFormat.named(format.name().toUpperCase(Locale.ROOT))).isEqualTo(format);
    assertThat(format.description()).isNotBlank().doesNotContain("\n");
  }

  /// What a user writes who adds a format: one class.
  private static final class Triangle implements GraphFormat {
    @Override
    public String name() {
      return "triangle";
    }

    @Override
    public String description() {
      return "a file that holds nothing but a triangle";
    }

    @Override
    public boolean isFolder() {
      return false;
    }

    @Override
    public boolean recognises(FormatProbe probe) {
      return probe.firstLine().equals("triangle");
    }

    @Override
    public GraphData read(Path path, ReadOptions options) {
      try (DatasetDraft draft = new DatasetDraft(this, path, options);
          ArcBuffer arcs = new ArcBuffer(false)) {
        arcs.add(0, 1, 1f);
        arcs.add(1, 2, 1f);
        arcs.add(2, 0, 1f);
        draft.graph(3, arcs, true);
        return draft.finish(Datasets.nameOf(path));
      }
    }
  }

  @Test
  void aFormatOfOnesOwnIsReadWithoutBeingRegistered() {
    Path file = text(folder.resolve("t.txt"), "triangle\n");
    GraphFormat format = new Triangle();
    assertThat(format.recognises(FormatProbe.of(file))).isTrue();
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withFormat(format))) {
      assertThat(d.edges()).isEqualTo(3);
      assertThat(d.name()).isEqualTo("t");
      assertThat(d.info().provenance()).containsEntry("format", "triangle");
    }
  }

  @Test
  void namesLoseAllTheirEndings() {
    Path file = text(folder.resolve("cnr.v2.metis.GRAPH"), "2 1\n2\n1\n");
    try (GraphData d = Datasets.open(file)) {
      assertThat(d.name()).isEqualTo("cnr.v2");
    }
  }

  @Test
  void aLongFirstLineOfTextMayBreakOffInsideACharacter() {
    String name = "ä".repeat(50_001);
    for (String start : List.of("", "x")) {
      Path file = text(folder.resolve("long.txt"), start + name + " b\nb c\n");
      try (GraphData d = Datasets.open(file)) {
        assertThat(d.edges()).isEqualTo(2);
      }
    }
  }

  @Test
  void memoryIsRefusedBeforeItIsTaken() {
    Path file = text(folder.resolve("e.txt"), "0 900000\n");
    assertThatThrownBy(() -> Datasets.open(file, ReadOptions.DEFAULT.withMemoryLimit(1000)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected at most 1000 bytes of memory, needs 144");
  }

  @Test
  void theContentKeyFollowsTheFilesAndTheOptions() throws IOException {
    SmallFiles.musae(folder);
    String key = Datasets.contentKey(folder, ReadOptions.DEFAULT);
    assertThat(key).hasSize(32).isEqualTo(Datasets.contentKey(folder, ReadOptions.DEFAULT));
    assertThat(Datasets.contentKey(folder, ReadOptions.DEFAULT.withDirected(true)))
        .isNotEqualTo(key);
    assertThat(Datasets.contentKey(folder, ReadOptions.DEFAULT.withMemoryLimit(1 << 20)))
        .isEqualTo(key);
    Files.setLastModifiedTime(
        folder.resolve("tiny_edges.csv"), FileTime.from(Instant.ofEpochSecond(7)));
    assertThat(Datasets.contentKey(folder, ReadOptions.DEFAULT)).isNotEqualTo(key);
  }

  @Test
  void aSplitIndexIsForFilesWithSeveralSplits() {
    Path file = text(folder.resolve("e.txt"), "0 1\n");
    assertThatThrownBy(() -> Datasets.open(file, ReadOptions.DEFAULT.withSplitIndex(2)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            file + ": splitIndex: expected 0, as format edges has one split at most, found 2");
  }

  @Test
  void namesWithLineBreaksCannotBeWritten() {
    Map<String, byte[]> members = SmallFiles.sparsePairs();
    members.put("node_names", SmallFiles.npy("<U2", "(3,)", SmallFiles.texts(2, "a", "\n", "b")));
    Path file = SmallFiles.npz(folder.resolve("g.npz"), members, true);
    try (GraphData d = Datasets.open(file)) {
      assertThatThrownBy(() -> DatasetFolder.write(folder.resolve("out"), d))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage("vertices.txt: expected names without line breaks, found ' '");
      assertThat(folder.resolve("out")).doesNotExist();
    }
  }
}
