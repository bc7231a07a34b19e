package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.bytes;
import static dev.gossamer.graph.format.SmallFiles.floats;
import static dev.gossamer.graph.format.SmallFiles.fortran;
import static dev.gossamer.graph.format.SmallFiles.ints;
import static dev.gossamer.graph.format.SmallFiles.longs;
import static dev.gossamer.graph.format.SmallFiles.npy;
import static dev.gossamer.graph.format.SmallFiles.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Labels and numbers of each vertex: from files, in a data set folder and back.
class TargetDataTest {
  private static final float NAN = Float.NaN;

  @TempDir Path folder;

  private static GraphData three() {
    return GraphData.builder(3)
        .name("three")
        .edges(new int[] {0, 1}, new int[] {1, 2})
        .split(Split.TRAIN, Split.VALIDATION, Split.TEST)
        .build();
  }

  private static void assertTargets(GraphData d, Task task, List<String> names, float[][] values) {
    Targets targets = Objects.requireNonNull(d.targets());
    assertThat(d.task()).isEqualTo(task);
    assertThat(d.outputNames()).isEqualTo(names);
    assertThat(d.classes()).isZero();
    assertThat(Arrays.deepToString(targets.values().toArray()))
        .isEqualTo(Arrays.deepToString(values));
  }

  private static GraphData labelled(Path file, @Nullable Task task) {
    return new VertexLabels(file.toString()).addTo(three(), Arena.ofAuto(), 0, task);
  }

  @Test
  void columnsOfZeroAndOneAreLabelsAndOthersNumbers() {
    float[][] labels = {{1, 0}, {NAN, 1}, {0, 0}};
    Path array = bytes(folder.resolve("y.npy"), npy("<f4", "(3, 2)", floats(1, 0, NAN, 1, 0, 0)));
    Path columns =
        bytes(folder.resolve("z.npy"), fortran("<f4", "(3, 2)", floats(1, NAN, 0, 0, 1, 0)));
    Path lines = text(folder.resolve("y.csv"), "1,0\n,1\n0,0\n");
    for (Path file : List.of(array, columns, lines)) {
      assertTargets(labelled(file, null), Task.MULTI_LABEL, List.of("0", "1"), labels);
      assertTargets(labelled(file, Task.REGRESSION), Task.REGRESSION, List.of("0", "1"), labels);
    }
    Path numbers = text(folder.resolve("n.csv"), "1.5\n\n-2\n");
    assertTargets(
        labelled(numbers, null),
        Task.REGRESSION,
        List.of("0"),
        new float[][] {{1.5f}, {NAN}, {-2}});
    Path stars = bytes(folder.resolve("s.npy"), npy("<i8", "(3,)", longs(2, 0, 1)));
    assertThat(labelled(stars, null).labels()).containsExactly(2, 0, 1);
    assertTargets(
        labelled(stars, Task.REGRESSION),
        Task.REGRESSION,
        List.of("0"),
        new float[][] {{2}, {0}, {1}});
  }

  @Test
  void whatIsNotAskedForIsRefused() {
    Path numbers = text(folder.resolve("n.csv"), "1.5\n\n-2\n");
    assertThatThrownBy(() -> labelled(numbers, Task.MULTI_LABEL))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(numbers + ": expected 1 for a label, 0 for none, or NaN");
    assertThatThrownBy(() -> labelled(numbers, Task.CLASSIFICATION))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(numbers + ": line 1: expected a class in 0..2");
    Path endless = text(folder.resolve("e.csv"), "1,1e39\n1,1\n1,1\n");
    assertThatThrownBy(() -> labelled(endless, null))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            endless
                + ": line 1: expected finite numbers, or nothing where one is not known, found another");
    assertThatThrownBy(
            () -> new VertexLabels("random:4").addTo(three(), Arena.ofAuto(), 0, Task.REGRESSION))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("task: random labels are classes; expected classification, found regression");
  }

  @Test
  void listsOfClassesAreLabels() {
    SmallFiles.graphSaint(folder);
    text(folder.resolve("class_map.json"), "{\"2\": [1, 0, 1], \"0\": [0, 0, 1]}");
    try (GraphData d = Datasets.open(folder)) {
      assertTargets(
          d,
          Task.MULTI_LABEL,
          List.of("0", "1", "2"),
          new float[][] {{0, 0, 1}, {NAN, NAN, NAN}, {1, 0, 1}});
      assertThat(d.isLabelled(0, Split.TRAIN)).isTrue();
      assertThat(d.isLabelled(1, Split.TEST)).isFalse();
    }
  }

  @Test
  void severalColumnsOfTheOpenGraphBenchmarkAreLabels() {
    float[][] labels = {{0, 1}, {1, 1}, {0, 0}};
    Path texts = SmallFiles.ogb(folder.resolve("texts"), "species");
    SmallFiles.ogbText(texts, "raw/node-label", "0,1\n1,1\n0,0\n");
    Path arrays = SmallFiles.ogbArrays(folder.resolve("arrays"));
    SmallFiles.npz(
        arrays.resolve("raw/node-label.npz"),
        Map.of("node_label", npy("<i8", "(3, 2)", longs(0, 1, 1, 1, 0, 0))),
        true);
    for (Path each : List.of(texts, arrays)) {
      try (GraphData d = Datasets.open(each)) {
        assertTargets(d, Task.MULTI_LABEL, List.of("0", "1"), labels);
      }
    }
  }

  @Test
  void aDataSetFolderKeepsThem() {
    Path written = folder.resolve("set");
    float[][] values = {{1.25f, NAN}, {-3, 1e9f}, {NAN, NAN}};
    try (GraphData d =
        GraphData.builder(3)
            .name("three")
            .edges(new int[] {0, 1}, new int[] {1, 2})
            .numbers(values)
            .targetNames(List.of("price", "age"))
            .build()) {
      DatasetFolder.write(written, d);
      try (GraphData read = DatasetFolder.open(written)) {
        assertTargets(read, Task.REGRESSION, List.of("price", "age"), values);
        assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(d));
        assertThat(Fingerprint.of(read)).isNotEqualTo(Fingerprint.of(three()));
      }
    }
    DatasetFolder.verify(written);
    bytes(
        written.resolve("targets.npy"),
        npy("<f4", "(3, 2)", floats(1, 2, Float.POSITIVE_INFINITY, 4, 5, 6)));
    assertThatThrownBy(() -> DatasetFolder.open(written))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            written.resolve("targets.npy")
                + ": vertex 1, column 0: expected a finite number, or NaN where it is not known, found Infinity");
    Path labels = bytes(written.resolve("labels.npy"), npy("<i4", "(3,)", ints(0, 1, 0)));
    assertThatThrownBy(() -> DatasetFolder.open(written))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(labels + ": expected none beside a task in dataset.json, found one");
  }

  @Test
  void classesWhoseNamesAreNumbersAreNumbersIfAskedFor() {
    GraphData stars = three().withLabels(new int[] {2, -1, 0}, List.of("1", "2.5", "5"));
    assertTargets(
        ClassNumbers.as(Task.REGRESSION, stars, Arena.ofAuto()),
        Task.REGRESSION,
        List.of("label"),
        new float[][] {{5}, {NAN}, {1}});
    assertThat(ClassNumbers.as(Task.CLASSIFICATION, stars, Arena.ofAuto())).isSameAs(stars);
    GraphData words = three().withLabels(new int[] {0, 1, 0}, List.of("1", "many"));
    assertThatThrownBy(() -> ClassNumbers.as(Task.REGRESSION, words, Arena.ofAuto()))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "task: expected classes of three whose names are numbers, found 'many'; leave it out for classification");
    assertThatThrownBy(() -> ClassNumbers.as(Task.MULTI_LABEL, words, Arena.ofAuto()))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "task: three has one class for each vertex; expected classification, found multi-label");
  }

  @Test
  void theScaleIsThatOfTheTrainingVertices() {
    float[][] values = {{1, 7, NAN}, {3, 7, NAN}, {NAN, 7, NAN}, {900, 0, 1}};
    try (GraphData d =
        GraphData.builder(4)
            .numbers(values)
            .split(Split.TRAIN, Split.TRAIN, Split.TRAIN, Split.TEST)
            .build()) {
      Targets targets = Objects.requireNonNull(d.targets());
      Standardisation scale = targets.scale(d);
      assertThat(scale.means()).containsExactly(2.0, 7.0, 0.0);
      assertThat(scale.deviations()).containsExactly(1.0, 1.0, 1.0);
      assertThat(targets.known(d, Split.TRAIN)).isEqualTo(5);
      assertThat(scale.scaled(0, 5)).isCloseTo(3, Offset.offset(1e-6f));
    }
  }
}
