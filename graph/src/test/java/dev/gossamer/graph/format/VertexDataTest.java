package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.bytes;
import static dev.gossamer.graph.format.SmallFiles.floats;
import static dev.gossamer.graph.format.SmallFiles.longs;
import static dev.gossamer.graph.format.SmallFiles.npy;
import static dev.gossamer.graph.format.SmallFiles.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Features and labels in place of those of a data set.
class VertexDataTest {
  @TempDir Path folder;

  /// A star: vertex 0 has `n - 1` neighbours.
  private static GraphData star(int n) {
    int[] targets = new int[n - 1];
    for (int v = 1; v < n; v++) {
      targets[v - 1] = v;
    }
    return GraphData.builder(n).name("star").edges(new int[n - 1], targets).build();
  }

  private static DenseMatrix features(GraphData d, Arena arena, String text, long seed) {
    GraphData whole = new VertexFeatures(text).addTo(d, arena, seed, Long.MAX_VALUE);
    return ((Features.Dense) whole.features()).x();
  }

  @Test
  void randomFeaturesHaveMeanZeroAndVarianceOne() {
    int n = 5000;
    try (Arena arena = Arena.ofShared();
        GraphData d = star(n)) {
      DenseMatrix x = features(d, arena, "random:3", 7);
      for (int f = 0; f < 3; f++) {
        double sum = 0;
        double squares = 0;
        for (int v = 0; v < n; v++) {
          sum += x.get(v, f);
          squares += x.get(v, f) * x.get(v, f);
        }
        // Six deviations of the mean of n draws of variance 1, and of their squares (variance 0.8).
        assertThat(sum / n).isCloseTo(0, within(6 / Math.sqrt(n)));
        assertThat(squares / n).isCloseTo(1, within(6 * Math.sqrt(0.8 / n)));
      }
    }
  }

  @Test
  void randomFeaturesDependOnSeedAndVertexOnly() {
    try (Arena arena = Arena.ofShared();
        GraphData small = star(10);
        GraphData large = star(9000)) {
      DenseMatrix few = features(small, arena, "random:5", 7);
      DenseMatrix many = features(large, arena, "random:6", 7);
      DenseMatrix other = features(small, arena, "random:5", 8);
      for (int v = 0; v < 10; v++) {
        for (int f = 0; f < 5; f++) {
          assertThat(few.get(v, f)).isEqualTo(many.get(v, f)).isNotEqualTo(other.get(v, f));
        }
      }
    }
  }

  @Test
  void columnsOfSeveralSourcesFollowEachOther() {
    Path file = bytes(folder.resolve("x.npy"), npy("<i8", "(3, 2)", longs(1, 2, 3, 4, 5, 6)));
    try (Arena arena = Arena.ofShared();
        GraphData d = star(3)) {
      DenseMatrix random = features(d, arena, "random:2", 3);
      GraphData whole =
          new VertexFeatures("degree," + file + ",random:2").addTo(d, arena, 3, Long.MAX_VALUE);
      DenseMatrix x = ((Features.Dense) whole.features()).x();
      assertThat(x.toArray())
          .isDeepEqualTo(
              new float[][] {
                {(float) Math.log(3), 1, 2, random.get(0, 0), random.get(0, 1)},
                {(float) Math.log(2), 3, 4, random.get(1, 0), random.get(1, 1)},
                {(float) Math.log(2), 5, 6, random.get(2, 0), random.get(2, 1)}
              });
      assertThat(whole.info().provenance())
          .containsEntry("features", "degree, x.npy, random:2 (seed 3)")
          .doesNotContainKey(GraphData.Info.DEFINITION);
      assertThat(
              new VertexFeatures("degree").addTo(d, arena, 3, Long.MAX_VALUE).info().provenance())
          .containsEntry(GraphData.Info.DEFINITION, "degree");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileOfFloatsIsMappedOrReadInItsOrder(boolean fortran) {
    float[] rows = {1, 2, 3, 4, 5, 6};
    byte[] array =
        fortran
            ? SmallFiles.fortran("<f4", "(3, 2)", floats(1, 3, 5, 2, 4, 6))
            : npy("<f4", "(3, 2)", floats(rows));
    Path file = bytes(folder.resolve("x.npy"), array);
    try (Arena arena = Arena.ofShared();
        GraphData d = star(3)) {
      DenseMatrix x = features(d, arena, file.toString(), 0);
      assertThat(x.data().isMapped()).isEqualTo(!fortran);
      assertThat(x.toArray()).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}, {5, 6}});
    }
  }

  @Test
  void theIdentityHasAColumnForEachVertex() {
    try (Arena arena = Arena.ofShared();
        GraphData d = star(4)) {
      GraphData whole = new VertexFeatures("identity").addTo(d, arena, 3, 104);
      CsrMatrix x = ((Features.Sparse) whole.features()).x();
      assertThat(x.validate()).isNull();
      assertThat(x.cols()).isEqualTo(4);
      for (int v = 0; v < 4; v++) {
        assertThat(x.rowColumns(v)).containsExactly(v);
        assertThat(x.value(x.rowPointer(v))).isEqualTo(1);
      }
      assertThat(whole.info().provenance())
          .containsEntry(GraphData.Info.DEFINITION, "identity")
          .doesNotContainKey("features");
      assertThatThrownBy(() -> new VertexFeatures("identity").addTo(d, arena, 3, 71))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageEndingWith("of at most 71 bytes of memory, found 4 columns for 4 vertices");
    }
  }

  @Test
  void damagedFeaturesAreRefused() {
    Path rows = bytes(folder.resolve("rows.npy"), npy("<f4", "(2, 1)", floats(1, 2)));
    Path nan = bytes(folder.resolve("nan.npy"), npy("<f4", "(3, 1)", floats(1, Float.NaN, 2)));
    Path absent = folder.resolve("absent.npy");
    try (Arena arena = Arena.ofShared();
        GraphData d = star(3)) {
      assertThatThrownBy(() -> features(d, arena, rows.toString(), 0))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(rows + ": header: expected shape (3, *), found (2, 1)");
      assertThatThrownBy(() -> features(d, arena, "degree," + rows, 0))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(rows + ": header: expected 3 rows, found [2, 1]");
      for (String text : new String[] {nan.toString(), "degree," + nan}) {
        assertThatThrownBy(() -> features(d, arena, text, 0))
            .isInstanceOf(InvalidInputException.class)
            .hasMessage(nan + ": vertex 1, feature 0: expected a finite number, found NaN");
      }
      assertThatThrownBy(() -> features(d, arena, absent.toString(), 0))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(absent + ": cannot read: no such file");
      assertThatThrownBy(() -> new VertexFeatures("random:100").addTo(d, arena, 0, 1199))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "vertexFeatures: expected features of at most 1199 bytes of memory, found 100 columns"
                  + " for 3 vertices");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "random:",
        "random:0",
        "random:65537",
        "random:x",
        "degree,",
        "identity,degree",
        "identity,identity",
        ",a.npy",
        "a\0b"
      })
  void otherFormsOfFeaturesAreRefused(String text) {
    assertThatThrownBy(() -> new VertexFeatures(text))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(
            "vertexFeatures: expected identity, or FILE.npy, random:WIDTH (1 to 65536)")
        .hasMessageEndingWith("found " + text.replace('\0', ' '));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "random:1", "random:1048577", "random:-3", "/", "a\0b"})
  void otherFormsOfLabelsAreRefused(String text) {
    assertThatThrownBy(() -> new VertexLabels(text))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("vertexLabels: expected FILE.npy, FILE.csv or random:CLASSES");
  }

  @Test
  void randomLabelsTakeEveryClassEquallyOften() {
    int n = 8000;
    try (GraphData d = star(n)) {
      GraphData whole = new VertexLabels("random:8").addTo(d, Arena.ofAuto(), 5, null);
      int[] counts = new int[8];
      for (int label : whole.labels()) {
        counts[label]++;
      }
      // Six deviations of a binomial count.
      for (int count : counts) {
        assertThat(count).isCloseTo(1000, within(180));
      }
      assertThat(whole.classes()).isEqualTo(8);
      assertThat(whole.info().provenance())
          .containsEntry("labels", "random labels of 8 classes (seed 5)");
      assertThat(new VertexLabels("random:8").addTo(d, Arena.ofAuto(), 5, null).labels())
          .containsExactly(whole.labels());
      assertThat(new VertexLabels("random:8").addTo(d, Arena.ofAuto(), 6, null).labels())
          .isNotEqualTo(whole.labels());
    }
  }

  @Test
  void labelsAreReadFromArraysAndTexts() {
    Path array = bytes(folder.resolve("y.npy"), npy("<f4", "(3, 1)", floats(1, Float.NaN, 0)));
    Path lines = text(folder.resolve("y.csv"), "1\n\n0\n");
    Path packed = bytes(folder.resolve("y.txt.gz"), SmallFiles.gzip("1\n-1\n0.0\n"));
    try (GraphData d = star(3)) {
      for (Path file : new Path[] {array, lines, packed}) {
        GraphData whole = new VertexLabels(file.toString()).addTo(d, Arena.ofAuto(), 0, null);
        assertThat(whole.labels()).as(file.toString()).containsExactly(1, -1, 0);
        assertThat(whole.info().classNames()).containsExactly("0", "1");
        assertThat(whole.info().provenance())
            .containsEntry("labels", file.getFileName().toString());
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1;0|line 2: expected 3 lines, one for each vertex, found 2",
        "1;0;1;0|line 4: expected the end of the file, found another line",
        "1;x;0|line 2: expected numbers, found 'x'",
        "1;3;0|line 2: expected a class in 0..2, or -1 for none, found '3'",
        "1;0,1;0|line 2: expected 1 column, as in the first line, found 2",
      })
  void damagedLabelsAreRefused(String lines, String message) {
    Path file = text(folder.resolve("y.csv"), lines.replace(';', '\n') + "\n");
    try (GraphData d = star(3)) {
      assertThatThrownBy(() -> new VertexLabels(file.toString()).addTo(d, Arena.ofAuto(), 0, null))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(file + ": " + message);
    }
  }
}
