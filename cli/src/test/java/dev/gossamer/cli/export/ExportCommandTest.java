package dev.gossamer.cli.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.gossamer.Dataset;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.cli.Cli;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.state.Safetensors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Models of runs of each trainer, in each format.
class ExportCommandTest {
  private static final int CLASSES = 3;

  @TempDir Path folder = Path.of("");

  private Path data = Path.of("");

  @BeforeEach
  void build() {
    data = built("data", 0);
  }

  private Path built(String name, int seed) {
    Path to = folder.resolve(name);
    run(
        "dataset build sbm -q --vertices 60 --degree 5 --features 6 --classes 3 --seed "
            + seed
            + " --out "
            + to);
    return to;
  }

  private static Cli run(String command) {
    Cli cli = Cli.run(command.split(" "));
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  private String trained(String flags) {
    String train = "train --epochs 2 --hidden 8 -q --json --data " + data + " --runs " + folder;
    return run((train + " " + flags).strip()).json().get("run_folder").asString();
  }

  private void refused(String command, String message) {
    Cli cli = Cli.run(command.split(" "));
    assertThat(cli.status()).as(cli.out()).isEqualTo(2);
    assertThat(cli.err()).isEqualTo("gossamer: %s%n", message);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--model gat",
        "--mode minibatch --batch 20 --model sage --ranks 2",
        "--mode minibatch --batch 20 --model gcn --ranks 2 --remote historical",
      })
  void theFilePredictsWhatTheRunDoes(String flags) throws OrtException {
    String run = trained(flags);
    Path file = folder.resolve("model.onnx");
    JsonNode said = run("export " + run + " --json --out " + file).json();
    assertThat(said.get("file").asString()).isEqualTo(file.toString());
    assertThat(said.get("inputs").toString())
        .isEqualTo(
            "[{'name':'features','type':'float32','shape':['vertices','6']},{'name':'edges','type':'int64','shape':['2','edges']}]"
                .replace('\'', '"'));
    Path other = built("other", 1);
    run("predict " + run + " -q --data " + other + " --out " + folder.resolve("predicted"));
    try (Arena arena = Arena.ofConfined();
        Dataset dataset = Dataset.open(other)) {
      float[][] found = probabilities(file, dataset.data());
      NpyFile.Array expected =
          NpyFile.map(
              arena,
              folder.resolve("predicted/probabilities.npy"),
              NpyFile.Type.FLOAT32,
              found.length,
              CLASSES);
      for (int i = 0; i < found.length * CLASSES; i++) {
        assertThat(found[i / CLASSES][i % CLASSES])
            .isCloseTo(expected.data().getAtIndex(ValueLayout.JAVA_FLOAT, i), within(1e-5f));
      }
    }
  }

  @Tag("slow")
  @Test
  void aTableHasTheWeightsThatAreNotZero() throws IOException, SQLException {
    String run = trained("--model sage");
    Path table = folder.resolve("weights.parquet");
    run("export " + run + " --format parquet --out " + table);
    run("export " + run + " --format npy --out " + folder.resolve("arrays"));
    Map<String, Map<String, Float>> found = new HashMap<>();
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        ResultSet rows =
            duck.createStatement()
                .executeQuery("SELECT parameter, row, col, value FROM '%s'".formatted(table))) {
      while (rows.next()) {
        Float before =
            found
                .computeIfAbsent(rows.getString(1), _ -> new HashMap<>())
                .put(rows.getLong(2) + "," + rows.getLong(3), rows.getFloat(4));
        assertThat(before).isNull();
      }
    }
    assertThat(found).isNotEmpty();
    for (Map.Entry<String, Map<String, Float>> parameter : found.entrySet()) {
      assertThat(parameter.getValue())
          .isEqualTo(notZero(folder.resolve("arrays").resolve(parameter.getKey() + ".npy")));
    }
    long arrays;
    try (Stream<Path> files = Files.list(folder.resolve("arrays"))) {
      arrays = files.filter(file -> file.toString().endsWith(".npy")).count();
    }
    assertThat((long) found.size()).isEqualTo(arrays);
    refused(
        "export " + run + " --format parquet --out " + folder.resolve("weights.txt"),
        "--out: expected a name that ends in .parquet, .pq, .csv or .csv.gz, found weights.txt");
  }

  /// The elements of an array of one or two dimensions by their place.
  private static Map<String, Float> notZero(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int begin = 10 + buffer.getShort(8);
    String header = new String(bytes, 10, begin - 10, StandardCharsets.US_ASCII);
    Matcher shape = Pattern.compile("\\((\\d+),\\s*(\\d*)\\)").matcher(header);
    assertThat(shape.find()).as(header).isTrue();
    int cols = shape.group(2).isEmpty() ? 1 : Integer.parseInt(shape.group(2));
    Map<String, Float> elements = new HashMap<>();
    for (int i = 0; begin + i * Float.BYTES < bytes.length; i++) {
      float value = buffer.getFloat(begin + i * Float.BYTES);
      if (value != 0) {
        elements.put(i / cols + "," + i % cols, value);
      }
    }
    return elements;
  }

  /// As the page about exported models shows it. Of an undirected edge, one direction is given.
  private static float[][] probabilities(Path file, GraphData data) throws OrtException {
    float[][] features = ((Features.Dense) data.features()).x().toArray();
    long[][] edges = new long[2][(int) data.adjacency().nnz() / 2];
    int count = 0;
    for (int u = 0; u < data.vertices(); u++) {
      for (long e = data.adjacency().rowPointer(u); e < data.adjacency().rowPointer(u + 1L); e++) {
        if (u < data.adjacency().column(e)) {
          edges[0][count] = u;
          edges[1][count++] = data.adjacency().column(e);
        }
      }
    }
    OrtEnvironment onnx = OrtEnvironment.getEnvironment();
    try (OrtSession session = onnx.createSession(file.toString());
        OnnxTensor x = OnnxTensor.createTensor(onnx, features);
        OnnxTensor e = OnnxTensor.createTensor(onnx, edges);
        OrtSession.Result result = session.run(Map.of("features", x, "edges", e))) {
      return (float[][]) result.get("probabilities").orElseThrow().getValue();
    }
  }

  @Test
  void aModelOfEdgesTakesPairs() {
    String run = trained("--task links --embedding 4");
    Cli exported = run("export " + run + " --out " + folder);
    assertThat(exported.out()).startsWith("written  " + folder.resolve("model.onnx") + "  ");
    assertThat(exported.out().lines().skip(1))
        .containsExactly(
            "input    features: float32[vertices, 6]",
            "input    edges: int64[2, edges]",
            "input    pairs: int64[2, pairs]",
            "output   embeddings: float32[vertices, 4]",
            "output   scores: float32[pairs]",
            "output   probabilities: float32[pairs]");
  }

  @Test
  void weightsAreExportedAsTheyAre() throws IOException {
    String run = trained("--model mlp");
    Path file = folder.resolve("copy.safetensors");
    run("export " + run + " --format safetensors --out " + file);
    assertThat(file).hasSameBinaryContentAs(Path.of(run, "model.safetensors"));
    refused(
        "export " + run + " --format safetensors --out " + file,
        file + ": expected a new file, found one; choose another name, or --force to replace it");
    run("export " + run + " --format safetensors --force --out " + file);
    Path arrays = folder.resolve("arrays");
    String export = "export " + run + " --format npy --out " + arrays;
    assertThat(run(export + " --json").json().get("folder").asString())
        .isEqualTo(arrays.toString());
    run(export);
    try (Arena arena = Arena.ofConfined()) {
      Safetensors tensors = Safetensors.open(arena, file);
      tensors
          .tensors()
          .forEach((name, tensor) -> {
            NpyFile.Array array =
                NpyFile.map(
                    arena,
                    arrays.resolve(name + ".npy"),
                    NpyFile.Type.FLOAT32,
                    tensor.shape().stream().mapToLong(Long::longValue).toArray());
            assertThat(array.data().mismatch(tensor.data())).as(name).isEqualTo(-1);
          });
      assertThat(JsonMapper.shared().readTree(arrays.resolve("metadata.json").toFile()))
          .isEqualTo(JsonMapper.shared().valueToTree(tensors.metadata()));
    }
    refused(
        export + " --force",
        "--force: a folder of --format npy replaces an earlier one anyway; leave it out");
    Files.writeString(arrays.resolve("mine.txt"), "mine");
    assertThat(Cli.run(export.split(" ")).err()).contains("found mine.txt; choose another name");
    assertThat(arrays.resolve("mine.txt")).hasContent("mine");
  }

  @Tag("slow")
  @Test
  void aPrunedNetworkIsExportedToo() throws OrtException, IOException {
    Path text = Files.writeString(folder.resolve("text.txt"), "to be or not to be. ".repeat(60));
    String run =
        run("prune train --model gpt-tiny --length 8 --iterations 2 --batch 2 --microbatch 2"
                + " --evaluate-samples 2 --criterion per-layer --sparsity 0.9 --prune one-shot -q"
                + " --json --data "
                + text
                + " --runs "
                + folder)
            .json()
            .get("run")
            .asString();
    Path file = folder.resolve("model.onnx");
    run("export " + run + " --out " + file);
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(file.toString())) {
      assertThat(session.getInputNames()).containsExactly("tokens");
      assertThat(session.getMetadata().getCustomMetadata()).containsEntry("model", "gpt-tiny");
    }
    run("export " + run + " --format npy --out " + folder.resolve("arrays"));
    assertThat(folder.resolve("arrays/embedding.tokens.npy")).exists();
  }

  /// Files of earlier versions do not say whether edges have a direction.
  @Test
  void aModelOfAnEarlierVersionIsRefused() {
    Path model = Path.of(trained("--model sign"), "model.safetensors");
    Path old = folder.resolve("old.safetensors");
    try (Arena arena = Arena.ofConfined()) {
      Safetensors tensors = Safetensors.open(arena, model);
      Map<String, String> metadata = new TreeMap<>(tensors.metadata());
      ObjectNode description = (ObjectNode) JsonMapper.shared().readTree(metadata.get("gossamer"));
      description.remove("edges");
      metadata.put("gossamer", description.toString());
      new Safetensors(tensors.tensors(), metadata).write(old);
    }
    refused(
        "export " + old + " --out " + folder.resolve("m"),
        "model: expected one that says whether edges have a direction, found one of an earlier version; train it again with this version");
    assertThat(folder.resolve("m")).doesNotExist();
  }
}
