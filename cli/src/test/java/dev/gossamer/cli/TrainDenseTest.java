package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class TrainDenseTest {
  @TempDir static Path shared;
  @TempDir Path folder;

  static Path text;

  @BeforeAll
  static void write() throws IOException {
    Random random = new Random(1);
    String[] words = {"pruned ", "networks ", "keep ", "what ", "survives\n"};
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 4000; i++) {
      all.append(words[random.nextInt(words.length)]);
    }
    text = Files.writeString(shared.resolve("words.txt"), all);
  }

  private Cli train(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "train-dense",
                "--data",
                text.toString(),
                "--model",
                "gpt-tiny",
                "--length",
                "16",
                "--iterations",
                "8",
                "--batch",
                "8",
                "--microbatch",
                "2",
                "--evaluate-samples",
                "16",
                "--runs",
                folder.toString(),
                "--json",
                "-q"));
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  @Test
  void theResultSaysWhatPruningSaved() throws IOException {
    Cli cli = train("--ranks", "4", "--inter", "2", "--prune", "one-shot", "--prune-at", "4");
    assertThat(cli.err()).isEmpty();
    assertThat(cli.status()).isZero();
    JsonNode json = cli.json();
    long parameters = json.get("parameters").asLong();
    long kept = json.get("kept").asLong();
    assertThat(kept).isEqualTo(parameters - Math.round(0.9 * (double) parameters));
    assertThat(json.get("sparsity").asDouble()).isCloseTo(0.9, within(1e-5));
    assertThat(json.get("pruned_before_iteration").asInt()).isEqualTo(5);
    assertThat(json.get("validation_loss").asDouble()).isBetween(1.0, 6.0);
    assertThat(json.get("iteration_seconds_median").asDouble()).isPositive();
    // Two replicas: each sends half of its gradients twice, two bytes each.
    double dense = json.get("dense_iterations").get("gradient_bytes").asDouble();
    double pruned = json.get("pruned_iterations").get("gradient_bytes").asDouble();
    assertThat(dense).isEqualTo(2.0 * 2 * parameters);
    assertThat(pruned).isEqualTo(2.0 * 2 * kept);
    Path run = Path.of(json.get("run").asString());
    assertThat(Files.readAllLines(run.resolve("metrics.jsonl"))).hasSize(8);
    assertThat(run.resolve("model.safetensors")).exists();
    assertThat(run.resolve("model-compressed.safetensors")).exists();

    Cli inspected = Cli.run("prune", "inspect", run.toString(), "--json");
    assertThat(inspected.status()).isZero();
    assertThat(inspected.json().get("elements").asLong())
        .isEqualTo(inspected.json().get("survivors").asLong() + parameters - kept);
    Cli compared = Cli.run("prune", "inspect", run.toString(), "--with", run.toString(), "--json");
    assertThat(compared.json().get("distance").asDouble()).isZero();

    Cli evaluated = Cli.run("evaluate-dense", run.toString(), "--samples", "16", "--json", "-q");
    assertThat(evaluated.status()).isZero();
    // Here products read float32 weights, in training bf16: eight bits, 2^-9 of a weight.
    assertThat(evaluated.json().get("validation_loss").asDouble())
        .isCloseTo(json.get("validation_loss").asDouble(), within(0.01));
    assertThat(evaluated.json().get("validation_predictions").asInt()).isEqualTo(16 * 16);
    assertThat(evaluated.json().get("test_loss").asDouble()).isBetween(1.0, 6.0);

    Cli generated =
        Cli.run("generate-text", run.toString(), "--prompt", "keep", "--count", "20", "--json");
    assertThat(generated.status()).isZero();
    assertThat(generated.json().get("text").asString()).isNotEmpty();
    assertThat(
            Cli.run("generate-text", run.toString(), "--prompt", "keep", "--count", "20", "--json")
                .out())
        .isEqualTo(generated.out());
  }

  /// The vectors of so small a network are a share of it that the formula, which counts two more
  /// bytes of each, shows: 1.3 % of the parameters.
  @ParameterizedTest
  @CsvSource({"int32, chunked", "int32, whole", "bitmap, chunked", "auto, chunked"})
  void theStateTakesWhatTheFormulaSays(String index, String downCast) {
    JsonNode json = train("--prune", "one-shot", "--index", index, "--downcast", downCast).json();
    double formula = json.get("state_bytes_formula").asDouble();
    assertThat(json.get("state_bytes").asDouble()).isCloseTo(formula, within(0.03 * formula));
    double phi = json.get("parameters").asDouble();
    double kept = json.get("kept").asDouble();
    assertThat(json.get("state_bytes_dense").asDouble()).isEqualTo(20 * phi);
    double expected =
        2 * phi
            + 18 * kept
            + (index.equals("int32") ? 4 * kept : phi / 8)
            + (downCast.equals("whole") ? 2 * kept : 0);
    assertThat(formula).isCloseTo(expected, within(0.005 * expected));
  }

  @Test
  void aMaskThatWasLeftPrunesAnotherRun() {
    JsonNode first = train("--prune", "one-shot").json();
    Path mask = Path.of(first.get("run").asString()).resolve("mask.safetensors");
    JsonNode second = train("--mask", mask.toString()).json();
    assertThat(second.get("validation_loss")).isEqualTo(first.get("validation_loss"));
    JsonNode sparse = train("--mask", mask.toString(), "--compute", "sparse").json();
    // Products of masters that are not rounded to 16 bits.
    assertThat(sparse.get("validation_loss").asDouble())
        .isCloseTo(first.get("validation_loss").asDouble(), within(0.02));
  }

  @Test
  void thePlanOfALargeModelTakesNoMemory() {
    Cli cli =
        Cli.run(
            "train-dense",
            "--model",
            "gpt-2.7b",
            "--plan",
            "--ranks",
            "8",
            "--batch",
            "8",
            "--microbatch",
            "1",
            "--memory-per-rank",
            "16g",
            "--json");
    assertThat(cli.status()).isZero();
    JsonNode json = cli.json();
    double phi = json.get("parameters").asDouble();
    assertThat(phi).isBetween(2.5e9, 2.9e9);
    assertThat(json.get("state_bytes_dense").asDouble()).isEqualTo(20 * phi);
    assertThat(json.get("state_bytes_pruned").asDouble()).isCloseTo(4.2 * phi, within(0.001 * phi));
    assertThat(json.get("grids")).hasSize(4);
  }

  @Test
  void theFewestStagesThatFitAreTaken() {
    JsonNode one = train("--ranks", "2", "--inter", "auto", "--memory-per-rank", "1g").json();
    assertThat(one.get("inter").asInt()).isEqualTo(1);
    long bytes = one.get("estimated_bytes_of_rank").asLong();
    JsonNode two =
        train("--ranks", "2", "--inter", "auto", "--memory-per-rank", Long.toString(bytes - 1))
            .json();
    assertThat(two.get("inter").asInt()).isEqualTo(2);
    Cli none = train("--ranks", "2", "--inter", "auto", "--memory-per-rank", "1k");
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err()).startsWith("gossamer: --inter auto: no grid of 2 ranks stays within");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--sparsity 1|--sparsity: expected more than 0 and less than 1, found 1.0",
        "--prune soon|--prune: expected none, early-bird, one-shot or gradual, found soon",
        "--precision fp8|--precision: expected bf16, fp16 or fp32, found fp8",
        "--ranks 3 --inter 2|--inter: expected a divisor of 3 ranks, found 2",
        "--batch 7|--batch: expected a multiple of 1 replicas x 2 samples a microbatch, found 7",
        "--ranks 8 --inter 8|--inter: stages: expected 1..4, as the network has 4 blocks to cut between, found 8",
        "--model vgg-mnist|--model: vgg-mnist is for images, but words.txt has text",
        "--criterion channels|--criterion channels: expected convolutions with batch normalisation, found none in gpt-tiny",
        "--heads 3|--model, --layers, --width, --heads: ",
      })
  void wrongSettingsAreOneLine(String flags, String message) {
    Cli cli = train(flags.split(" "));
    assertThat(cli.status()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err()).startsWith("gossamer: " + message).hasLineCount(1);
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void aTraceShowsTheMicrobatchesOfEachStage() throws IOException {
    JsonNode json = train("--ranks", "2", "--inter", "2", "--prune", "none", "--trace", "2").json();
    String trace = Files.readString(Path.of(json.get("run").asString()).resolve("trace.json"));
    assertThat(trace)
        .contains("\"name\":\"forward 3\"")
        .contains("\"name\":\"backward 3\"")
        .contains("\"name\":\"wait\"");
  }
}
