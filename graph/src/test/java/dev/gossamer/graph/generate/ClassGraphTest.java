package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.generate.ClassGraph.GroupBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Six classes whose graph is derived by hand:
///
/// ```
/// Alone    p/q/r/Alpha$Inner - p/q/r/Alpha - p/q/r/Beta - s/Delta
///                                        \    /
///                                   p/q/r/Gamma
/// ```
class ClassGraphTest {
  private static final Map<String, String> SOURCES =
      Map.of(
          "Alone.java",
          "interface Alone {}",
          "p/q/r/Alpha.java",
          "package p.q.r; class Alpha { Beta b; Gamma[] all() { return null; } class Inner {} }",
          "p/q/r/Beta.java",
          "package p.q.r; class Beta { Object make() { return new s.Delta[0][0]; } }",
          "p/q/r/Gamma.java",
          "package p.q.r; class Gamma { static int fooBar_bazX; void call(Beta b) { b.make(); } }",
          "s/Delta.java",
          "package s; public class Delta { String text() { return \"Alone p/q/r/Gamma\"; } }");

  private static final List<String> NAMES =
      List.of("Alone", "p/q/r/Alpha", "p/q/r/Alpha$Inner", "p/q/r/Beta", "p/q/r/Gamma", "s/Delta");
  private static final List<String> EDGES = List.of("1-2", "1-3", "1-4", "3-4", "3-5");

  @TempDir static Path compiled;
  private static Path classes;

  @TempDir Path folder;

  @BeforeAll
  static void compile() throws IOException {
    classes = Files.createDirectory(compiled.resolve("classes"));
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
    for (Map.Entry<String, String> source : SOURCES.entrySet()) {
      Path file = compiled.resolve("sources").resolve(source.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
      arguments.add(file.toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(status).isZero();
  }

  private static ClassGraph graph(GroupBy groupBy, int minimum, int hubLimit) {
    return new ClassGraph(groupBy, minimum, hubLimit, 0);
  }

  private static List<String> edges(GraphData d) {
    List<String> edges = new ArrayList<>();
    for (int v = 0; v < d.vertices(); v++) {
      for (int u : d.adjacency().rowColumns(v)) {
        if (v < u) {
          edges.add(v + "-" + u);
        }
      }
    }
    return edges;
  }

  private static void jar(Path jar, Map<String, byte[]> entries) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, byte[]> entry : new TreeMap<>(entries).entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
      }
    }
  }

  private static byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(classes.resolve(name + ".class"));
  }

  @Test
  void verticesAndEdgesAreThoseOfTheSources() {
    try (GraphData d = graph(GroupBy.PACKAGE, 1, 1000).classPath(List.of(classes))) {
      assertThat(d.vertexNames()).isEqualTo(NAMES);
      assertThat(edges(d)).isEqualTo(EDGES);
      assertThat(d.adjacency().isCanonical()).isTrue();
      assertThat(d.adjacency().isSymmetric()).isTrue();
      assertThat(d.info().nestedNames()).isTrue();
      assertThat(d.info().directed()).isFalse();
    }
  }

  @Test
  void aHubLosesItsEdgesByItsRawDegree() {
    try (GraphData d = graph(GroupBy.PACKAGE, 1, 3).classPath(List.of(classes))) {
      assertThat(edges(d)).isEqualTo(EDGES);
    }
    try (GraphData d = graph(GroupBy.PACKAGE, 1, 2).classPath(List.of(classes))) {
      assertThat(d.vertices()).isEqualTo(6);
      assertThat(edges(d)).isEmpty();
    }
  }

  @Test
  void labelsArePackagesLargeEnough() {
    try (GraphData d = graph(GroupBy.PACKAGE, 1, 1000).classPath(List.of(classes))) {
      assertThat(d.info().classNames()).containsExactly("(default)", "p.q.r", "s");
      assertThat(d.labels()).containsExactly(0, 1, 1, 1, 1, 2);
    }
    try (GraphData d = graph(GroupBy.PACKAGE, 4, 1000).classPath(List.of(classes))) {
      assertThat(d.info().classNames()).containsExactly("p.q.r");
      assertThat(d.labels()).containsExactly(-1, 0, 0, 0, 0, -1);
    }
  }

  @Test
  void featuresAreTheTokensOfTheClass() throws IOException {
    byte[] gamma = bytes("p/q/r/Gamma");
    int slots = ByteBuffer.wrap(gamma).getShort(8);
    Set<Integer> expected = new TreeSet<>();
    // Members referred to: Object.<init> and Beta.make.
    for (String token :
        List.of(
            "m:call",
            "f:foo",
            "f:bar",
            "f:baz",
            "a:20",
            "n:interfaces:0",
            "n:fields:1",
            "n:methods:2",
            "n:statics:0",
            "n:abstracts:0",
            "n:memberRefs:2",
            "n:strings:0",
            "n:constantPool:" + digits(slots),
            "n:file:" + digits(gamma.length))) {
      expected.add(HashedTokens.index(token, ClassGraph.FEATURES));
    }
    try (GraphData d = graph(GroupBy.PACKAGE, 1, 1000).classPath(List.of(classes))) {
      Features.Sparse features = (Features.Sparse) d.features();
      assertThat(features.x().values()).isNull();
      assertThat(features.x().rowColumns(4))
          .isEqualTo(expected.stream().mapToInt(i -> i).toArray());
    }
  }

  private static int digits(int count) {
    return Integer.toBinaryString(count).length();
  }

  @Test
  void ofANameThatOccursTwiceTheFirstCounts() throws IOException {
    jar(folder.resolve("one.jar"), Map.of("s/Delta.class", bytes("s/Delta")));
    List<Path> elements = List.of(folder.resolve("one.jar"), classes);
    try (GraphData d = ClassGraph.byJar(0).classPath(elements)) {
      assertThat(d.vertexNames()).isEqualTo(NAMES);
      assertThat(d.info().classNames()).containsExactly("classes", "one.jar");
      assertThat(d.labels()).containsExactly(0, 0, 0, 0, 0, 1);
    }
  }

  @Test
  void elementsOfTheSameFileNameAreToldApart() throws IOException {
    Path other = folder.resolve("other/classes");
    Files.createDirectories(other);
    Files.write(other.resolve("Alone.class"), bytes("Alone"));
    try (GraphData d = ClassGraph.byJar(0).classPath(List.of(other, classes))) {
      assertThat(d.info().classNames())
          .containsExactlyInAnyOrder(classes.toString(), other.toString());
    }
  }

  @Test
  void descriptorsOfModulesAndVersionsForLaterReleasesAreLeftOut() throws IOException {
    byte[] broken = "not a class".getBytes(StandardCharsets.UTF_8);
    jar(
        folder.resolve("a.jar"),
        Map.of(
            "Alone.class", bytes("Alone"),
            "module-info.class", broken,
            "META-INF/versions/21/Alone.class", broken,
            "readme.txt", broken));
    try (GraphData d = ClassGraph.byJar(0).classPath(List.of(folder.resolve("a.jar")))) {
      assertThat(d.vertexNames()).containsExactly("Alone");
    }
  }

  @Test
  void aBrokenClassIsNamedWithItsJar() throws IOException {
    byte[] whole = bytes("p/q/r/Gamma");
    Path jar = folder.resolve("b.jar");
    for (int length : new int[] {0, 3, 9, whole.length / 2}) {
      byte[] cut = Arrays.copyOf(whole, length);
      jar(jar, Map.of("p/q/r/Gamma.class", cut));
      assertThatThrownBy(() -> ClassGraph.byJar(0).classPath(List.of(jar)))
          .as("%d bytes", length)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(jar + "!p/q/r/Gamma.class: expected a class file of Java")
          .hasMessageNotContaining("\n");
    }
  }

  @Test
  void aBrokenJarAMissingOneAndOneWithoutClassesAreRefused() throws IOException {
    ClassGraph graph = ClassGraph.byJar(0);
    Path text = Files.writeString(folder.resolve("c.jar"), "not a jar");
    assertThatThrownBy(() -> graph.classPath(List.of(text)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(text + ": expected a jar or a folder of classes, found: ");
    Path missing = folder.resolve("missing.jar");
    assertThatThrownBy(() -> graph.classPath(List.of(missing)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(missing + ": expected a jar or a folder of classes, found nothing");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThatThrownBy(() -> graph.classPath(List.of(empty)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("class path: expected jars or folders with class files");
    assertThatThrownBy(() -> graph.jdk(empty))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(empty + ": expected the home of a JDK");
  }

  @Test
  void limitsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> graph(GroupBy.PACKAGE, 0, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("minimumGroup: expected at least 1, found 0");
    assertThatThrownBy(() -> graph(GroupBy.PACKAGE, 1, -1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("hubLimit: expected at least 0, found -1");
  }
}
