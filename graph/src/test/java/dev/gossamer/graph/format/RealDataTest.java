package dev.gossamer.graph.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Published data sets have the sizes that were counted by other programs.
class RealDataTest {
  /// Share of the edges between labelled vertices that join vertices of one class.
  private static final Map<String, Double> HOMOPHILY =
      Map.of(
          "cora-planetoid", 0.810,
          "tolokers/tolokers.npz", 0.595,
          "facebook-large", 0.885);

  /// Least and greatest weight of an edge.
  private static final Map<String, float[]> WEIGHTS =
      Map.of(
          "usa-road-ny/USA-road-d.NY.gr.gz", new float[] {1, 36946},
          "small-graphs/recomp_dna1GB_3.graph", new float[] {1, 10118559});

  @TempDir Path folder;

  /// @param edges undirected, without self loops
  /// @param nnz features stored
  record Counts(
      String name,
      String format,
      int vertices,
      long edges,
      int width,
      long nnz,
      List<Integer> classSizes,
      int unlabelled,
      List<Integer> parts) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Counts graph(String name, String format, int vertices, long edges) {
    return new Counts(name, format, vertices, edges, 0, 0, List.of(), 0, List.of());
  }

  static Stream<Counts> counts() {
    return Stream.of(
        new Counts(
            "cora-planetoid",
            "planetoid",
            2708,
            5278,
            1433,
            49216,
            List.of(351, 217, 418, 818, 426, 298, 180),
            0,
            List.of(1068, 140, 500, 1000)),
        new Counts(
            "cora-npz/cora.npz",
            "npz",
            2708,
            5278,
            1433,
            49216,
            List.of(298, 418, 818, 426, 217, 180, 351),
            0,
            List.of()),
        new Counts(
            "cora-text",
            "cora",
            2708,
            5278,
            1433,
            49216,
            List.of(298, 418, 818, 426, 217, 180, 351),
            0,
            List.of()),
        new Counts(
            "tolokers/tolokers.npz",
            "npz",
            11758,
            519000,
            10,
            117580,
            List.of(9192, 2566),
            0,
            List.of(0, 5879, 2939, 2940)),
        new Counts(
            "chameleon-filtered/chameleon_filtered.npz",
            "npz",
            890,
            8854,
            2325,
            890 * 2325,
            List.of(242, 134, 209, 164, 141),
            0,
            List.of(0, 409, 287, 194)),
        new Counts(
            "facebook-large",
            "musae",
            22470,
            170823,
            4714,
            314583,
            List.of(6495, 6880, 5768, 3327),
            0,
            List.of()),
        graph("cnr-2000/cnr-2000.metis.graph.gz", "metis", 325557, 2738969),
        graph("usa-road-ny/USA-road-d.NY.gr.gz", "dimacs", 264346, 365050),
        graph("small-graphs/4elt.graph", "metis", 15606, 45878),
        graph("small-graphs/delaunay_n15.graph", "metis", 32768, 98274),
        graph("small-graphs/recomp_dna1GB_3.graph", "metis", 2174, 66459),
        graph("small-graphs/karate.mtx", "mtx", 34, 78),
        graph("small-graphs/jagmesh7.mtx", "mtx", 1138, 3156));
  }

  @ParameterizedTest
  @MethodSource("counts")
  void hasTheCountsOfItsDescription(Counts expected) {
    Path path = RealData.path(expected.name());
    assertThat(Datasets.recognise(path)).isEqualTo(GraphFormat.named(expected.format()));
    try (GraphData d = Datasets.open(path)) {
      assertThat(d.vertices()).isEqualTo(expected.vertices());
      assertThat(d.edges()).isEqualTo(expected.edges());
      assertThat(d.info().directed()).isFalse();
      assertThat(d.adjacency().validate()).isNull();
      assertThat(d.adjacency().isCanonical()).isTrue();
      assertThat(d.features().width()).isEqualTo(expected.width());
      assertThat(nnz(d.features())).isEqualTo(expected.nnz());
      assertThat(d.classes()).isEqualTo(expected.classSizes().size());
      Map<Integer, Integer> labels = new HashMap<>();
      for (int label : d.labels()) {
        labels.merge(label, 1, Integer::sum);
      }
      assertThat(labels.getOrDefault(GraphData.UNLABELLED, 0)).isEqualTo(expected.unlabelled());
      for (int c = 0; c < d.classes(); c++) {
        assertThat(labels.get(c)).isEqualTo(expected.classSizes().get(c));
      }
      int[] parts = new int[4];
      for (byte code : d.split()) {
        parts[code]++;
      }
      for (int p = 0; p < parts.length; p++) {
        assertThat(parts[p]).isEqualTo(expected.parts().isEmpty() ? 0 : expected.parts().get(p));
      }
      // Labels sit on the right vertices: wrong by one, this would be the share of a random
      // labelling.
      // Published to three digits.
      Double homophily = HOMOPHILY.get(expected.name());
      if (homophily != null) {
        assertThat(homophily(d)).isCloseTo(homophily, offset(5e-4));
      }
      float[] weights = WEIGHTS.get(expected.name());
      assertThat(d.adjacency().values() != null).isEqualTo(weights != null);
      if (weights != null) {
        assertThat(extremes(d.adjacency())).containsExactly(weights);
      }
      if (d.split().length > 0) {
        roundTrip(d);
      }
    }
  }

  private void roundTrip(GraphData d) {
    Path copy = folder.resolve("copy");
    DatasetFolder.write(copy, d);
    try (GraphData read = DatasetFolder.open(copy)) {
      assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(d));
      assertThat(read.info()).isEqualTo(d.info());
      assertThat(read.split()).containsExactly(d.split());
    }
  }

  private static long nnz(Features features) {
    return switch (features) {
      case Features.None none -> 0;
      case Features.Sparse sparse -> sparse.x().nnz();
      case Features.Dense dense -> dense.x().rows() * dense.x().cols();
    };
  }

  private static double homophily(GraphData d) {
    CsrMatrix a = d.adjacency();
    long both = 0;
    long same = 0;
    for (int v = 0; v < d.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        int own = d.labels()[v];
        int other = d.labels()[a.column(e)];
        both += own >= 0 && other >= 0 ? 1 : 0;
        same += own >= 0 && own == other ? 1 : 0;
      }
    }
    return (double) same / both;
  }

  /// The text and npz forms of Cora are one graph: the same paper ids have the same class, number
  /// of features and neighbours.
  @Test
  void theTextAndTheArrayFormOfCoraAgree() {
    try (GraphData text = Datasets.open(RealData.path("cora-text"));
        GraphData arrays = Datasets.open(RealData.path("cora-npz/cora.npz"))) {
      assertThat(text.info().classNames())
          .containsExactly(
              "Case_Based",
              "Genetic_Algorithms",
              "Neural_Networks",
              "Probabilistic_Methods",
              "Reinforcement_Learning",
              "Rule_Learning",
              "Theory");
      assertThat(vertices(text)).isEqualTo(vertices(arrays));
    }
  }

  private static Set<String> vertices(GraphData d) {
    List<String> names = Objects.requireNonNull(d.vertexNames());
    CsrMatrix x = ((Features.Sparse) d.features()).x();
    Set<String> all = new HashSet<>();
    for (int v = 0; v < d.vertices(); v++) {
      Set<String> neighbours = new HashSet<>();
      for (int u : d.adjacency().rowColumns(v)) {
        neighbours.add(names.get(u));
      }
      String label = d.info().classNames().get(d.labels()[v]).replace('_', ' ');
      all.add(
          names.get(v)
              + label.toLowerCase(Locale.ROOT)
              + x.rowLength(v)
              + neighbours.stream().sorted().toList());
    }
    return all;
  }

  @Test
  void everySplitOfTolokersCanBeChosen() {
    Path path = RealData.path("tolokers/tolokers.npz");
    try (GraphData first = Datasets.open(path);
        GraphData last = Datasets.open(path, ReadOptions.DEFAULT.withSplitIndex(9))) {
      assertThat(last.split()).isNotEqualTo(first.split());
      int train = 0;
      for (byte code : last.split()) {
        assertThat(code).isNotZero();
        train += code == Split.TRAIN.code() ? 1 : 0;
      }
      assertThat(train).isEqualTo(5879);
      DenseMatrix x = ((Features.Dense) first.features()).x();
      for (int v = 0; v < first.vertices(); v++) {
        assertThat(x.get(v, 0)).isBetween(0f, 1f);
      }
    }
    assertThatThrownBy(() -> Datasets.open(path, ReadOptions.DEFAULT.withSplitIndex(10)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("train_masks.npy: splitIndex: expected one in 0..9, found 10");
  }

  @Test
  void anIncompleteSetIsRefusedByTheNameOfWhatIsMissing() {
    Path path = RealData.path("pubmed-planetoid-incomplete");
    assertThat(Datasets.recognise(path)).isEqualTo(GraphFormat.named("planetoid"));
    assertThatThrownBy(() -> Datasets.open(path))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ind.pubmed.allx: cannot read: no such file");
  }

  private static float[] extremes(CsrMatrix a) {
    float least = Float.MAX_VALUE;
    float most = 0;
    for (long e = 0; e < a.nnz(); e++) {
      least = Math.min(least, a.value(e));
      most = Math.max(most, a.value(e));
    }
    return new float[] {least, most};
  }
}
