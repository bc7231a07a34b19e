package dev.gossamer.matlab;

import static dev.gossamer.matlab.MatFiles.LOCAL_INFO;
import static dev.gossamer.matlab.MatFiles.PATH;
import static dev.gossamer.matlab.MatFiles.concat;
import static dev.gossamer.matlab.MatFiles.deflated;
import static dev.gossamer.matlab.MatFiles.ints;
import static dev.gossamer.matlab.MatFiles.mat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// MATLAB files made by hand, byte by byte.
class Facebook100FormatTest {
  private static final int NEGATIVE = 0xfffffff8;

  @TempDir Path folder;

  private Path file(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("Tiny3.mat"), bytes);
  }

  @Test
  void theFormatIsRegisteredBeforeThoseThatAnyTextMayBe() {
    assertThat(GraphFormat.all().stream().map(GraphFormat::name))
        .containsExactly(
            "dataset",
            "planetoid",
            "musae",
            "cora",
            "reddit",
            "graphsaint",
            "ogb",
            "npz",
            "facebook100",
            "mtx",
            "dimacs",
            "metis",
            "edges");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void genderIsTheClassAndTheOtherColumnsAreFeatures(boolean compressed) throws IOException {
    Path file = file(mat("A", PATH, LOCAL_INFO, compressed));
    assertThat(Datasets.recognise(file)).isEqualTo(GraphFormat.named("facebook100"));
    try (GraphData d = Datasets.open(file)) {
      assertThat(d.name()).isEqualTo("Tiny3");
      assertThat(d.info().provenance())
          .containsEntry("format", "facebook100")
          .containsEntry("source", "Tiny3.mat");
      assertThat(d.adjacency().toDense())
          .isDeepEqualTo(new float[][] {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
      assertThat(d.labels()).containsExactly(0, 1, -1);
      // Status 1 2, major 100 200, minor 0, dorm 7, year 2005 2006, school 3 4.
      assertThat(((Features.Sparse) d.features()).x().toDense())
          .isDeepEqualTo(
              new float[][] {
                {1, 0, 0, 1, 1, 1, 1, 0, 1, 0},
                {1, 0, 1, 0, 1, 1, 0, 1, 1, 0},
                {0, 1, 0, 1, 1, 1, 1, 0, 0, 1}
              });
    }
  }

  @Test
  void aGraphThatIsSaidToBeDirectedKeepsItsArcs() throws IOException {
    Path file = file(mat("A", PATH, LOCAL_INFO));
    try (GraphData d = Datasets.open(file, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(d.info().directed()).isTrue();
      assertThat(d.edges()).isEqualTo(4);
    }
  }

  @Test
  void aGraphThatDoesNotFitIsRefused() throws IOException {
    Path file = file(mat("A", PATH, LOCAL_INFO));
    assertThatThrownBy(() -> Datasets.open(file, ReadOptions.DEFAULT.withMemoryLimit(10)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "Tiny3.mat: graph of 3 vertices and 4 arcs: expected at most 10 bytes");
  }

  record Case(String name, Supplier<byte[]> bytes, String message) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> malformed() {
    byte[] good = mat("A", PATH, LOCAL_INFO);
    double[][] third = {{0, 1, 0, 0, 0, 0, 0}, {0, 3, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}};
    byte[] hugePacked = deflated(ints(14, NEGATIVE));
    return List.of(
        new Case(
            "no A",
            () -> mat("B", PATH, LOCAL_INFO),
            "Tiny3.mat: expected a sparse variable 'A', found B"),
        new Case(
            "a gender of 3",
            () -> mat("A", PATH, third),
            "Tiny3.mat: local_info: row 1, column 1: expected 0, 1 or 2, found 3.0"),
        new Case(
            "six columns",
            () -> mat("A", PATH, new double[3][6]),
            "Tiny3.mat: expected A of n x n and local_info of n x 7, found 3 x 3 and 3 x 6"),
        new Case(
            "a row past the end",
            () -> mat("A", new int[] {1, 0, 3, 1}, LOCAL_INFO),
            "Tiny3.mat: A: expected rows and columns in 0..2, found 3, 1"),
        new Case(
            "truncated",
            () -> Arrays.copyOf(good, 250),
            "Tiny3.mat: expected a MATLAB 5 file, found damage"),
        new Case(
            "an element beyond 2 GiB",
            () -> concat(Arrays.copyOf(good, 128), ints(14, NEGATIVE)),
            "found damage: an element of 4294967288 bytes at byte 132"),
        new Case(
            "a name of 1 GiB",
            () -> {
              byte[] claiming = good.clone();
              claiming[319] |= 1 << 6;
              return claiming;
            },
            "found damage: an element of 1073741834 bytes at byte 316"),
        new Case(
            "an element beyond 2 GiB in a compressed one",
            () -> concat(Arrays.copyOf(good, 128), ints(15, hugePacked.length), hugePacked),
            "found damage: an element of 4294967288 bytes at byte 4"),
        new Case(
            "HDF5",
            () -> "MATLAB 7.3 MAT-file, Platform: GLNXA64".getBytes(UTF_8),
            "Tiny3.mat: expected a graph in one file, found HDF5 (MATLAB 7.3); save with"));
  }

  /// In one line, and the library under the reader says none.
  @ParameterizedTest
  @MethodSource("malformed")
  void whatIsWrongIsSaidInOneLine(Case malformed) throws IOException {
    Path file = file(malformed.bytes().get());
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, UTF_8));
    try {
      assertThatThrownBy(() -> Datasets.open(file))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(folder.toString())
          .hasMessageContaining(malformed.message())
          .hasMessageNotContaining("\n");
    } finally {
      System.setErr(err);
    }
    assertThat(printed.toString(UTF_8)).isEmpty();
  }

  /// Whatever is damaged, the file is read or refused, in silence. Every third byte is.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDamagedByteIsReadOrRefused(boolean compressed) throws IOException {
    byte[] good = mat("A", PATH, LOCAL_INFO, compressed);
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, UTF_8));
    try {
      for (int at = 124; at < good.length; at += 3) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) 0xff;
        Path file = file(bad);
        try (GraphData d =
            Datasets.open(file, ReadOptions.DEFAULT.withFormat(GraphFormat.named("facebook100")))) {
          assertThat(Fingerprint.of(d)).isNotBlank();
        } catch (InvalidInputException e) {
          assertThat(e).hasMessageStartingWith(folder.toString()).hasMessageNotContaining("\n");
        }
      }
    } finally {
      System.setErr(err);
    }
    assertThat(printed.toString(UTF_8)).isEmpty();
  }

  /// Cornell5, if it is on this machine: in `shared/data` beside the project's folder, or in the
  /// folder that the system property `gossamer.data` names.
  @Tag("slow")
  @Test
  void cornellHasThePublishedCounts() {
    Path file = cornell();
    assumeTrue(file != null, "Cornell5 is not on this machine");
    try (GraphData d = Datasets.open(Objects.requireNonNull(file))) {
      assertThat(d.vertices()).isEqualTo(18660);
      assertThat(d.edges()).isEqualTo(790777);
      assertThat(d.adjacency().isCanonical()).isTrue();
      assertThat(((Features.Sparse) d.features()).x().nnz()).isEqualTo(6L * 18660);
      assertThat(d.features().width()).isEqualTo(4735);
      assertThat(Arrays.stream(d.labels()).filter(label -> label == 0).count()).isEqualTo(8135);
      assertThat(Arrays.stream(d.labels()).filter(label -> label == 1).count()).isEqualTo(8687);
    }
  }

  private static @Nullable Path cornell() {
    String given = System.getProperty("gossamer.data");
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path data = given == null ? at.resolve("shared/data") : Path.of(given);
      Path file = data.resolve("fb100-cornell5/Cornell5.mat");
      if (Files.exists(file)) {
        return file;
      }
    }
    return null;
  }
}
