package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ByteArrayOutputStream wrong = new ByteArrayOutputStream();

  @TempDir private Path folder;

  private int run(String... arguments) {
    wrong.reset();
    return Main.run(
        new PrintStream(printed, true, StandardCharsets.UTF_8),
        new PrintStream(wrong, true, StandardCharsets.UTF_8),
        arguments);
  }

  private String message() {
    return wrong.toString(StandardCharsets.UTF_8);
  }

  /// A model that was not trained.
  private String model() throws IOException {
    String path = folder.resolve("model").toString();
    new GraphEmbeddingModel("a", new ModelState(new byte[1], List.of(), false, "{}")).save(path);
    return path;
  }

  @Test
  void helpNamesAllFlags() {
    assertThat(run("--help")).isZero();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("spark-submit", "--label-col", "--label-smoothing", "--ranks");
  }

  @Test
  void wrongUsageIsStatusTwo() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("learn")).isEqualTo(2);
    assertThat(run("predict")).isEqualTo(2);
    assertThat(run("train", "accounts")).isEqualTo(2);
  }

  @Test
  void aTableThatIsNotThereIsStatusTwo() {
    String none = folder.resolve("none.csv").toString();
    String out = folder.resolve("out").toString();
    Cluster.start();

    assertThat(run("train", "--vertices", none, "--edges", none, "--out", out)).isEqualTo(2);
    assertThat(message()).startsWith("gossamer: --vertices: ");
    assertThat(run("predict", none, "--vertices", none, "--edges", none, "--out", out))
        .isEqualTo(2);
    assertThat(message()).startsWith("gossamer: ").hasLineCount(1);
  }

  @Test
  void onlyAModelIsReplacedAndOnlyByForce() throws IOException {
    Cluster.start();
    String model = model();
    String none = folder.resolve("none.csv").toString();
    Path letters = Files.createDirectory(folder.resolve("letters"));
    for (String[] force : new String[][] {{}, {"--force"}}) {
      for (Path taken : List.of(letters, Path.of(model))) {
        List<String> words =
            new ArrayList<>(
                List.of("train", "--vertices", none, "--edges", none, "--out", taken.toString()));
        words.addAll(List.of(force));

        assertThat(run(words.toArray(String[]::new))).isEqualTo(2);

        boolean refused = taken.equals(letters) || force.length == 0;
        assertThat(message())
            .startsWith(
                refused
                    ? "gossamer: --out: %s: expected a new path, found one that exists"
                        .formatted(taken)
                    : "gossamer: --vertices: ");
        assertThat(taken).exists();
      }
    }
    assertThat(run("train", "--force=yes", "--out", model)).isEqualTo(2);
    assertThat(message()).endsWith("gossamer: --force: expected true or false, found yes\n");
  }

  @Test
  void aTableOfPredictionsIsCheckedBeforeTheyAreComputed() throws IOException {
    String vertices = folder.resolve("vertices").toString();
    String edges = folder.resolve("edges").toString();
    Cluster.vertices(Cluster.start()).write().parquet(vertices);
    Cluster.edges(Cluster.start()).write().parquet(edges);
    String model = model();

    assertThat(run("predict", model, "--vertices", vertices, "--edges", edges, "--out", vertices))
        .isEqualTo(2);
    assertThat(message()).contains("--out: " + vertices + ": expected a new path");
    assertThat(
            run(
                "predict",
                model,
                "--vertices",
                vertices,
                "--edges",
                edges,
                "--out",
                folder.resolve("out.csv").toString()))
        .isEqualTo(2);
    assertThat(message())
        .contains("--out: a .csv table has no form for column embedding, which is vector");
  }
}
