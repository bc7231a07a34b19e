package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The graph of the JDK that runs the tests: what holds for any, and the figures of a known one.
class JdkClassesTest {
  private static GraphData d;
  private static List<String> names;

  @BeforeAll
  static void read() {
    d = ClassGraph.byPackage(0).jdk();
    names = Objects.requireNonNull(d.vertexNames());
  }

  @AfterAll
  static void close() {
    d.close();
  }

  private static boolean isKnown() {
    return Runtime.version().toString().equals("25.0.3+9-LTS")
        && System.getProperty("java.vendor").equals("Eclipse Adoptium");
  }

  private static long labelled(GraphData data) {
    return Arrays.stream(data.labels()).filter(label -> label >= 0).count();
  }

  @Test
  void theGraphIsUndirectedAndSimple() {
    CsrMatrix a = d.adjacency();
    assertThat(a.isCanonical()).isTrue();
    assertThat(a.isSymmetric()).isTrue();
    assertThat(IntStream.range(0, d.vertices()).filter(v -> holds(a.rowColumns(v), v))).isEmpty();
    assertThat(a.nnz()).isPositive();
    assertThat(maxDegree(a)).isLessThanOrEqualTo(ClassGraph.HUB_LIMIT);
  }

  private static boolean holds(int[] ids, int id) {
    return Arrays.binarySearch(ids, id) >= 0;
  }

  private static long maxDegree(CsrMatrix a) {
    return IntStream.range(0, a.cols()).mapToLong(a::rowLength).max().orElse(0);
  }

  @Test
  void namesAscendAndFindFamiliarClasses() {
    assertThat(names).isSorted().doesNotHaveDuplicates();
    assertThat(names).contains("java/lang/Object", "java/util/Map$Entry");
    assertThat(names).noneMatch(name -> name.endsWith("module-info"));
    int map = names.indexOf("java/util/HashMap");
    int node = names.indexOf("java/util/HashMap$Node");
    int stream = names.indexOf("java/util/stream/SpinedBuffer");
    assertThat(d.adjacency().rowColumns(map)).contains(node).doesNotContain(stream);
    assertThat(d.adjacency().rowLength(names.indexOf("java/lang/Object"))).isZero();
  }

  @Test
  void everyLabelHasAHundredClassesOfItsPackage() {
    int[] sizes = new int[d.classes()];
    for (int v = 0; v < d.vertices(); v++) {
      int label = d.labels()[v];
      assertThat(label).isBetween(GraphData.UNLABELLED, d.classes() - 1);
      if (label >= 0) {
        sizes[label]++;
        String prefix = d.info().classNames().get(label).replace('.', '/') + "/";
        assertThat(names.get(v)).startsWith(prefix);
      }
    }
    assertThat(sizes).isNotEmpty();
    assertThat(Arrays.stream(sizes).min().orElseThrow()).isGreaterThanOrEqualTo(100);
  }

  @Test
  void nestedClassesFollowTheClassAroundThemInTheSplit() {
    Map<String, Byte> parts = new HashMap<>();
    int[] sizes = new int[4];
    for (int v = 0; v < d.vertices(); v++) {
      sizes[d.split()[v]]++;
      boolean labelled = d.labels()[v] >= 0;
      assertThat(d.split()[v] != 0).isEqualTo(labelled);
      if (labelled) {
        String outermost = names.get(v).replaceFirst("\\$.*", "");
        Byte before = parts.putIfAbsent(outermost, d.split()[v]);
        assertThat(before).isIn(null, d.split()[v]);
      }
    }
    // Groups of classes are drawn; the largest hold hundreds, so the parts are near their shares
    // only.
    double labelled = labelled(d);
    assertThat(sizes[1] / labelled).isBetween(0.05, 0.15);
    assertThat(sizes[2] / labelled).isBetween(0.05, 0.15);
    assertThat(sizes[3] / labelled).isBetween(0.7, 0.9);
  }

  @Test
  void theFiguresOfAKnownJdkAreThese() {
    assumeThat(isKnown()).isTrue();
    assertThat(d.vertices()).isEqualTo(26_976);
    assertThat(names.stream().map(n -> n.replaceFirst("\\$.*", "")).distinct()).hasSize(15_010);
    assertThat(d.edges()).isEqualTo(209_088);
    long[] degrees = IntStream.range(0, 26_976).mapToLong(d.adjacency()::rowLength).toArray();
    Arrays.sort(degrees);
    assertThat(Arrays.stream(degrees).filter(degree -> degree == 0).count()).isEqualTo(82);
    assertThat(degrees[degrees.length / 2]).isEqualTo(8);
    assertThat(degrees[degrees.length - 1]).isEqualTo(931);
    assertThat(((Features.Sparse) d.features()).x().nnz()).isEqualTo(624_050);
    assertThat(d.classes()).isEqualTo(57);
    assertThat(labelled(d)).isEqualTo(20_605);
    assertThat(homophily()).isBetween(0.6555, 0.6565);
    assertThat(d.info().provenance())
        .containsEntry(
            "fingerprint", "e96afe1bd297a24236a6020f85cf2c519dc573ad96c6b18323d251a997465121");
  }

  private static double homophily() {
    long same = 0;
    long both = 0;
    for (int v = 0; v < d.vertices(); v++) {
      for (int u : d.adjacency().rowColumns(v)) {
        if (d.labels()[v] >= 0 && d.labels()[u] >= 0) {
          both++;
          same += d.labels()[v] == d.labels()[u] ? 1 : 0;
        }
      }
    }
    return (double) same / both;
  }

  /// The other way to read a JDK, the other labels, and no limit, in one: by its home folder.
  @Tag("slow")
  @Test
  void theSameJdkByItsHomeFolderGivesTheSameClasses() {
    ClassGraph byModule = new ClassGraph(ClassGraph.GroupBy.ORIGIN, 50, Integer.MAX_VALUE, 0);
    try (GraphData raw = byModule.jdk(Path.of(System.getProperty("java.home")))) {
      assertThat(raw.vertexNames()).isEqualTo(names);
      assertThat(raw.info().provenance()).containsEntry("jdk", Runtime.version().toString());
      assertThat(raw.info().classNames()).contains("java.base", "java.desktop");
      int object = names.indexOf("java/lang/Object");
      assertThat(raw.adjacency().rowLength(object)).isGreaterThan(d.vertices() / 2L);
      assumeThat(isKnown()).isTrue();
      assertThat(raw.edges()).isEqualTo(318_551);
      assertThat(raw.adjacency().rowLength(object)).isEqualTo(22_882);
      int string = names.indexOf("java/lang/String");
      assertThat(raw.adjacency().rowLength(string)).isEqualTo(16_669);
      assertThat(IntStream.range(0, 26_976).filter(v -> raw.adjacency().rowLength(v) > 1000))
          .hasSize(30);
      assertThat(raw.classes()).isEqualTo(37);
      assertThat(labelled(raw)).isEqualTo(26_450);
    }
  }
}
