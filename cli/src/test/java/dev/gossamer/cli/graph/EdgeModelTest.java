package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.MachineSettings;
import dev.gossamer.Predictions;
import dev.gossamer.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/// Commands that use a model of edges.
class EdgeModelTest {
  @TempDir Path folder = Path.of("");

  private String data = "";
  private String run = "";

  @BeforeEach
  void train() {
    data = folder.resolve("data").toString();
    run("dataset build sbm -q --vertices 300 --degree 6 --features 8 --classes 3 --out " + data);
    run =
        run("train --task links --dropout 0 --embedding 16 --epochs 30 --json -q --data "
                + data
                + " --runs "
                + folder)
            .json()
            .get("run_folder")
            .asString();
  }

  private static Cli run(String command) {
    Cli cli = Cli.run(command.split(" "));
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  private void refused(String flags, String message) {
    refusedCommand("recommend " + flags, message);
  }

  private void refusedCommand(String command, String message) {
    String flags = command.replace("RUN", run).replace("FOLDER", folder.toString());
    Cli cli = Cli.run(flags.split(" "));
    assertThat(cli.status()).as(flags).isEqualTo(2);
    assertThat(cli.err()).isEqualTo("gossamer: %s%n", message.replace("FOLDER", folder.toString()));
  }

  private Predictions vectors(Dataset whole) {
    return GraphModel.open(Path.of(run))
        .predict(
            whole,
            InferenceSettings.DEFAULT.withMachine(MachineSettings.DEFAULT.withMemory(1L << 32)));
  }

  /// The vertices with the highest products of their vectors that have no edge yet.
  private List<String> expected(Predictions vectors, Dataset whole, int vertex, int top) {
    return IntStream.range(0, whole.vertices())
        .filter(v -> v != vertex && whole.data().adjacency().find(vertex, v) < 0)
        .boxed()
        .sorted(Comparator.comparingDouble(v -> -product(vectors, vertex, v)))
        .limit(top)
        .map(String::valueOf)
        .toList();
  }

  private static double product(Predictions vectors, int v, int u) {
    return IntStream.range(0, 16).mapToDouble(j -> vectors.value(v, j) * vectors.value(u, j)).sum();
  }

  @ParameterizedTest
  @CsvSource({"1", "3"})
  void theLikeliestWithoutAnEdgeAreRecommended(int ranks) {
    JsonNode found =
        run("recommend " + run + " --for 0,17,299 --top 4 -q --json --ranks " + ranks).json();
    assertThat(found.get("vertices").asInt()).isEqualTo(3);
    try (Dataset whole = Dataset.open(Path.of(data))) {
      Predictions vectors = vectors(whole);
      for (JsonNode each : found.get("recommendations")) {
        int vertex = Integer.parseInt(each.get("vertex").asString());
        List<String> names =
            each.get("items").valueStream().map(item -> item.get("vertex").asString()).toList();
        assertThat(names).isEqualTo(expected(vectors, whole, vertex, 4));
        JsonNode first = each.get("items").get(0);
        double score = product(vectors, vertex, Integer.parseInt(names.getFirst()));
        assertThat(first.get("probability").asDouble())
            .isCloseTo(1 / (1 + Math.exp(-score)), within(1e-5));
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1", "3"})
  void pairsOfATableAreScored(int ranks) throws IOException {
    Path pairs =
        Files.writeString(folder.resolve("pairs.csv"), "u,v,note\n17,3,x\n3,17,y\n8,8,z\n");
    Path scored = folder.resolve("scored.csv");

    JsonNode said =
        run("predict %s --pairs %s --out %s -q --json --ranks %d"
                .formatted(run, pairs, scored, ranks))
            .json();

    assertThat(said.get("pairs").asInt()).isEqualTo(3);
    assertThat(said.get("file").asString()).isEqualTo(scored.toString());
    List<String> lines = Files.readAllLines(scored);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).isEqualTo("u,v,probability");
    try (Dataset whole = Dataset.open(Path.of(data))) {
      Predictions vectors = vectors(whole);
      for (String line : lines.subList(1, 4)) {
        String[] cells = line.split(",", -1);
        double score = product(vectors, Integer.parseInt(cells[0]), Integer.parseInt(cells[1]));
        assertThat(Double.parseDouble(cells[2]))
            .isCloseTo(1 / (1 + Math.exp(-score)), within(1e-5));
      }
    }
  }

  @Tag("slow")
  @Test
  void whatCannotBeScoredIsRefused() throws IOException {
    Path pairs = Files.writeString(folder.resolve("pairs.csv"), "u,v\n17,300\n");
    String scoring = "predict RUN -q --pairs " + pairs;
    refusedCommand(
        scoring,
        "--out: with --pairs expected FILE.parquet, FILE.csv, FILE.csv.gz or 'jdbc:ADDRESS TABLE', found predictions");
    refusedCommand(
        scoring + " --out FOLDER/x.csv --embeddings",
        "--embeddings: a flag of predictions of vertices; leave it or --pairs out");
    refusedCommand(
        scoring + " --out FOLDER/x.csv",
        pairs + ": row 1: column v: expected the id of a vertex of sbm, found '300'");
    assertThat(folder.resolve("x.csv")).doesNotExist();
    assertThat(folder.resolve("predictions")).doesNotExist();
  }

  @Test
  void allVerticesGoToATable() throws IOException {
    Path table = folder.resolve("all.csv");
    Cli cli = run("recommend " + run + " --top 2 -q --out " + table);
    assertThat(cli.out()).isEqualTo("recommendations for 300 vertices in %s%n".formatted(table));
    List<String> lines = Files.readAllLines(table);
    assertThat(lines).hasSize(601);
    assertThat(lines.get(0)).isEqualTo("id,rank,other,probability");
    assertThat(lines.get(1)).startsWith("0,1,");
    assertThat(lines.get(2)).startsWith("0,2,");
  }

  @Test
  void namesMayComeFromAFile() throws IOException {
    Path names = Files.writeString(folder.resolve("names.txt"), "5\n\n7\n");
    String shown = run("recommend " + run + " --top 1 -q --for-file " + names).out();
    assertThat(shown.lines().map(line -> line.strip().replaceFirst(" .*", "")))
        .containsExactly("vertex", "5", "7");
  }

  @Tag("slow")
  @Test
  void theDecoderIsSaid() {
    String command =
        "train --task links --epochs 1 --json --data %s --runs %s".formatted(data, folder);
    Cli dot = run(command);
    assertThat(dot.json().get("decoder").asString()).isEqualTo("dot");
    assertThat(dot.err()).contains("\ndecoder  dot\n");
    Cli bilinear = run(command + " --decoder bilinear");
    assertThat(bilinear.json().get("decoder").asString()).isEqualTo("bilinear");
    assertThat(bilinear.err()).contains("\ndecoder  bilinear, weights for 1 type of edges\n");
  }

  @Tag("slow")
  @Test
  void batchesOfEdgesAreCountedAndRecommendedFrom() {
    JsonNode trained =
        run("train --task links --mode minibatch --decoder mlp --batch 200 --epochs 1 -q --json"
                + " --data %s --runs %s".formatted(data, folder))
            .json();
    assertThat(trained.get("decoder").asString()).isEqualTo("mlp");
    assertThat(trained.get("batch").asInt()).isEqualTo(200);
    assertThat(trained.get("steps").asInt())
        .isEqualTo(Math.ceilDiv(trained.get("edges").asInt(), 200));
    String shown =
        run("recommend %s --for 5 --top 2 -q".formatted(trained.get("run_folder").asString()))
            .out();
    assertThat(shown.lines()).hasSize(3);
  }

  @Test
  void memoryIsEstimatedWithoutComputing() {
    JsonNode found = run("recommend " + run + " --for 1 --dry-run --json").json();
    assertThat(found.get("parts").get("vectors").asLong()).isEqualTo(301 * 16 * 4);
  }

  @Tag("slow")
  @Test
  void whatCannotBeRecommendedIsRefused() {
    refused(
        "RUN -q",
        "--for: expected names of vertices to recommend for, found none; or --out FILE for all vertices");
    refused("RUN -q --for 1,300", "--for: expected names of vertices of sbm, found '300'");
    refused("RUN -q --for 1 --top 0", "--top: expected at least 1, found 0");
    refused(
        "RUN -q --for 1 --edge-type likes",
        "--edge-type: the model tells no types of edges apart; leave it out, or train with --decoder bilinear on edges of several types");
    refused("RUN -q --for 1 --force", "--force: a flag of --out; add that or leave it out");
    refused(
        "RUN -q --out table.txt",
        "--out: expected FILE.parquet, FILE.csv, FILE.csv.gz or 'jdbc:ADDRESS TABLE', found table.txt");
    String classes =
        run("train --epochs 2 --json -q --data " + data + " --runs " + folder)
            .json()
            .get("run_folder")
            .asString();
    refused(
        classes + " -q --for 1",
        "sbm: expected a model that predicts edges, found one for classification");
  }

  @Tag("slow")
  @Test
  void theModelIsEvaluatedBesideHeuristics() {
    JsonNode plain = run("evaluate " + run + " -q --json").json();
    JsonNode beside = run("evaluate " + run + " --heuristics -q --json --ranks 2").json();
    assertThat(plain.has("heuristics")).isFalse();
    assertThat(beside.get("test_mrr").asDouble())
        .isCloseTo(plain.get("test_mrr").asDouble(), within(1e-3));
    assertThat(beside.get("heuristics").propertyNames())
        .containsExactly("common-neighbours", "adamic-adar", "katz");
    beside
        .get("heuristics")
        .forEach(scores ->
            assertThat(scores.propertyNames())
                .contains("test_mrr", "test_hits_10", "test_roc_auc")
                .doesNotContain("test_loss"));
    assertThat(run("evaluate " + run + " --heuristics -q").out())
        .containsPattern("test, by +ROC-AUC +PR-AUC +MRR")
        .containsPattern("adamic-adar +0\\.\\d{4}")
        .containsPattern("the model +0\\.\\d{4}");
    JsonNode parts = run("evaluate " + run + " --heuristics --dry-run --json").json().get("parts");
    assertThat(parts.get("neighbours").asLong()).isPositive();
  }
}
