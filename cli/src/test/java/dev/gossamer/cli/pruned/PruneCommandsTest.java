package dev.gossamer.cli.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Main;
import dev.gossamer.cli.terminal.FlagNames;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.GenerationSettings;
import dev.gossamer.pruned.ModelSettings;
import dev.gossamer.pruned.OptimizerSettings;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.pruned.prune.Pruning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class PruneCommandsTest {
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
                "prune",
                "train",
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
    List<String> given = List.of(more);
    if (!given.contains("--criterion")) {
      arguments.addAll(List.of("--criterion", "per-layer"));
    }
    if (Collections.disjoint(given, List.of("--sparsity", "none", "--mask", "--resume"))) {
      arguments.addAll(List.of("--sparsity", "0.9"));
    }
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  @Tag("slow")
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

    Cli evaluated = Cli.run("prune", "evaluate", run.toString(), "--samples", "16", "--json", "-q");
    assertThat(evaluated.status()).isZero();
    // Here products read float32 weights, in training bf16: eight bits, 2^-9 of a weight.
    assertThat(evaluated.json().get("validation_loss").asDouble())
        .isCloseTo(json.get("validation_loss").asDouble(), within(0.01));
    assertThat(evaluated.json().get("validation_predictions").asInt()).isEqualTo(16 * 16);
    assertThat(evaluated.json().get("test_loss").asDouble()).isBetween(1.0, 6.0);

    Cli generated =
        Cli.run("prune", "generate", run.toString(), "--prompt", "keep", "--count", "20", "--json");
    assertThat(generated.status()).isZero();
    assertThat(generated.json().get("text").asString()).isNotEmpty();
    assertThat(
            Cli.run(
                    "prune",
                    "generate",
                    run.toString(),
                    "--prompt",
                    "keep",
                    "--count",
                    "20",
                    "--json")
                .out())
        .isEqualTo(generated.out());
  }

  /// The vectors of so small a network are a share of it that the formula, which counts two more
  /// bytes of each, shows: 1.3 % of the parameters.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"int32, chunked", "int32, whole", "bitmap, chunked", "auto, chunked"})
  void theStateTakesWhatTheFormulaSays(String index, String downCast) {
    JsonNode json =
        train("--prune", "one-shot", "--compute", "dense", "--index", index, "--downcast", downCast)
            .json();
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

  /// Panels of a network as narrow as this have few rows: the starts of these are a share of the
  /// state that the formula, which counts panels that are full, does not have.
  @Tag("slow")
  @Test
  void theStateOfSparseProductsTakesWhatTheFormulaSays() {
    JsonNode json = train("--prune", "one-shot", "--compute", "sparse").json();
    double formula = json.get("state_bytes_formula").asDouble();
    assertThat(json.get("state_bytes").asDouble()).isCloseTo(formula, within(0.1 * formula));
    double expected = json.get("parameters").asDouble() / 32 + 22 * json.get("kept").asDouble();
    assertThat(formula).isCloseTo(expected, within(0.02 * expected));
  }

  /// A mask of whole blocks is multiplied by blocks whatever made it, and the model that it leaves
  /// is like any other.
  @Tag("slow")
  @Test
  void whatSurvivesInBlocksIsMultipliedByBlocks() {
    JsonNode first =
        train("--prune", "one-shot", "--criterion", "blocks", "--compute", "sparse").json();
    double phi = first.get("parameters").asDouble();
    double kept = first.get("kept").asDouble();
    // Each of a dozen matrices keeps less than a block under its tenth, vectors are kept whole.
    assertThat(kept).isBetween(0.1 * phi - 12 * 16, 0.1 * phi);
    double formula = first.get("state_bytes_formula").asDouble();
    assertThat(first.get("state_bytes").asDouble()).isCloseTo(formula, within(0.1 * formula));
    // The formula counts an index for vectors, too, here an eighth of what is kept.
    double expected = phi / 128 + (18 + 6.0 / 16) * kept;
    assertThat(formula).isCloseTo(expected, within(0.05 * expected));

    String run = first.get("run").asString();
    String mask = Path.of(run).resolve("mask.safetensors").toString();
    JsonNode second = train("--mask", mask, "--compute", "sparse").json();
    assertThat(second.get("validation_loss")).isEqualTo(first.get("validation_loss"));
    assertThat(second.get("state_bytes_formula")).isEqualTo(first.get("state_bytes_formula"));
    assertThat(second.get("state_bytes")).isEqualTo(first.get("state_bytes"));

    assertThat(Cli.run("prune", "inspect", run).out()).contains("whole blocks of 4 x 4");
    assertThat(Cli.run("prune", "inspect", mask, "--json").json().get("in_blocks").asBoolean())
        .isTrue();
    assertThat(Cli.run("prune", "evaluate", run, "--samples", "16", "-q").status()).isZero();
    assertThat(Cli.run("prune", "generate", run, "--prompt", "keep", "--count", "9").status())
        .isZero();
  }

  @Tag("slow")
  @Test
  void aMaskThatWasLeftPrunesAnotherRun() {
    JsonNode first = train("--prune", "one-shot").json();
    Path mask = Path.of(first.get("run").asString()).resolve("mask.safetensors");
    Path relative = Path.of("").toAbsolutePath().relativize(mask);
    JsonNode second = train("--mask", relative.toString()).json();
    assertThat(second.get("validation_loss")).isEqualTo(first.get("validation_loss"));
    // The run may be resumed from another folder.
    assertThat(Path.of(second.get("run").asString(), "config.yaml"))
        .content()
        .contains("mask: \"%s\"".formatted(mask));
    JsonNode sparse = train("--mask", mask.toString(), "--compute", "sparse").json();
    // Products of masters that are not rounded to 16 bits.
    assertThat(sparse.get("validation_loss").asDouble())
        .isCloseTo(first.get("validation_loss").asDouble(), within(0.02));
  }

  /// Bytes of a parameter at 90 %: as in the memory table, vectors left out.
  @Test
  void theFewestStagesThatFitAreTaken() {
    JsonNode one = train("--ranks", "2", "--inter", "auto", "--memory-per-rank", "4g").json();
    assertThat(one.get("inter").asInt()).isEqualTo(1);
    assertThat(one.get("inter_at_first").asInt()).isEqualTo(1);
    Cli none = train("--ranks", "2", "--inter", "auto", "--memory-per-rank", "1k");
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err()).startsWith("gossamer: --inter auto: no grid of 2 ranks stays within");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--lr -1|--lr, --warmup, --min-lr: learning rate: expected a positive number, found -1.0",
        "--bucket 3|--bucket: expected at least 4 bytes, found 3",
        "--inter none|--inter: expected a number of stages or auto, found none",
        "--ranks 2 --inter 2 --in-flight 1|--in-flight: expected at least 2, one microbatch for each",
        "--prune early-bird --mask-window 1|--mask-window: expected at least 2, found 1",
        "--prune gradual --prune-at 6|--prune-until: expected more than --prune-at 6, found 4",
        "--prune early-bird --mask-distance 0|--mask-distance: expected more than 0 and at most 1, a fraction of the survivors, found 0.0",
        "--prune one-shot --prune-at 99|--prune-at: expected less than --iterations 8, or the run ends before it",
        "--prune early-bird --prune-at 99|--prune-at: a flag of --prune one-shot; add that or leave it out",
        "--prune gradual --prune-until 1000|--prune-until: expected less than --iterations 8, or the run ends",
        "--prune-until 1000 --dry-run|--prune-until: expected less than --iterations 8, or the run ends",
        "--prune gradual --mask-window 3|--mask-window: a flag of --prune early-bird; add that or leave it out",
        "--prune none --sparsity 0.5|--sparsity: a flag of --prune gradual; add that or leave it out",
        "--prune none --compare|--compare: expected none with --prune none, which trains only the unpruned network",
        "--prune one-shot --mask m|--prune: expected none with --mask, which prunes before the first",
        "--mask m --prune-until 3|--prune-until: a flag of --prune gradual; add that or leave it out",
        "--model vgg-mnist --dry-run|--model: vgg-mnist is for images, but words.txt has text",
        "--momentum 0.5|--momentum: expected none with --optimizer adamw, which has its own, found 0.5",
        "--compute sparse --index bitmap|--index: expected none with --compute sparse, found bitmap",
        "--compute sparse --downcast whole|--downcast: expected none with --compute sparse, found whole",
        "--tied-head --ranks 2 --inter 2|--inter: expected 1, as the head of gpt-tiny is its embedding, found 2",
        "--cluster c.yaml|--cluster: a flag of --dry-run; add that or leave it out",
        "--trace=-1|--trace: expected at least 0 iterations, found -1",
        "--memory 1k|memory: a rank needs ",
        "--sparsity 1|--sparsity: expected more than 0 and less than 1, found 1.0",
        "--prune soon|--prune: expected none, early-bird, one-shot or gradual, found soon",
        "--precision fp8|--precision: expected bf16, fp16 or fp32, found fp8",
        "--activations fp16|--activations: expected bf16 or fp32, found fp16",
        "--activations bf16|--activations: expected none with --inter 1, where nothing travels between stages,",
        "--activations bf16 --inter auto|--activations: expected none with --inter 1, where nothing travels",
        "--activations bf16 --ranks 2|--activations: expected none with --inter 1, where nothing travels",
        "--ranks 3 --inter 2|--inter: expected a divisor of 3 ranks, found 2",
        "--batch 7|--batch: expected a multiple of 1 replicas x 2 samples per microbatch, found 7",
        "--ranks 8 --inter 8|--inter: expected 1..4, as the network has 4 blocks to cut between, found 8",
        "--model vgg-mnist|--model: vgg-mnist is for images, but words.txt has text",
        "--criterion channels|--criterion channels: expected convolutions with batch normalisation, found none in gpt-tiny",
        "--criterion heads|--sparsity 0.9 of ",
        "--criterion structures --sparsity 0.3 --index bitmap|--index: expected none with --criterion structures, whose matrices are dense, found bitmap",
        "--criterion structures --sparsity 0.3 --compute sparse|--compute: expected none with --criterion structures, whose matrices are dense, found sparse",
        "--criterion blocks=1x16|--criterion blocks: expected ROWSxCOLUMNS, multiples of 4 up to 64, as",
        "--criterion blocks=|--criterion blocks: expected ROWSxCOLUMNS, multiples of 4 up to 64, as",
        "--criterion rows|--criterion: expected per-layer, global, blocks, blocks=ROWSxCOLUMNS, channels, heads, neurons or structures, found rows",
        "--heads 3|--model, --layers, --width, --heads: ",
      })
  void wrongSettingsAreOneLine(String flags, String message) {
    Cli cli = train(flags.split(" "));
    assertThat(cli.status()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err()).startsWith("gossamer: " + message).hasLineCount(1);
    assertThat(cli.json().get("exit_status").asInt()).isEqualTo(2);
    assertThat(cli.json().get("error").asString()).startsWith(message);
  }

  @Tag("slow")
  @Test
  void aNetworkThatLosesUnitsIsInspected() {
    Cli trained =
        train(
            "--criterion",
            "structures",
            "--sparsity",
            "0.2",
            "--prune",
            "one-shot",
            "--prune-at",
            "4");
    assertThat(trained.status()).as(trained.err()).isZero();
    assertThat(trained.json().get("sparsity").asDouble()).isCloseTo(0.2, within(0.05));
    String run = run(trained);
    assertThat(Cli.run("prune", "inspect", run).out())
        .contains("blocks.0.mlp.in.weight", "are removed. Empty rows and columns are gone");
    assertThat(Cli.run("prune", "inspect", run, "--json").json().get("index_bytes_int32").asLong())
        .isZero();
    assertThat(Cli.run("prune", "inspect", run, "--with", run).err())
        .isEqualTo(
            "gossamer: %s: expected a network with a mask, found one whose pruned units were removed, which has no mask to compare%n"
                .formatted(run));
    List<String> files = new ArrayList<>();
    for (String sparsity : List.of("0.3", "0.5")) {
      String flags =
          "--data %s --runs %s --from %s --criterion per-layer --prune one-shot --prune-at 0"
              .formatted(text, folder, run);
      String tuning =
          "prune train --json -q --iterations 2 --length 8 %s --sparsity %s"
              .formatted(flags, sparsity);
      Cli tuned = Cli.run(tuning.split(" "));
      assertThat(tuned.status()).as(tuned.err()).isZero();
      files.add(run(tuned) + "/model.safetensors");
    }
    Cli compared =
        Cli.run("prune", "inspect", files.getFirst(), "--with", files.getLast(), "--json");
    assertThat(compared.status()).as(compared.err()).isZero();
    assertThat(compared.json().get("distance").asDouble()).isBetween(0.1, 0.3);
    assertThat(Cli.run("prune", "generate", run, "--prompt", "a", "--count", "3", "-q").status())
        .isZero();
    String whole = run + "-gpt2";
    assertThat(Cli.run("prune", "export", run, "--layout", "huggingface", "--out", whole).status())
        .isZero();
    assertThat(Cli.run("prune", "generate", whole, "--prompt", "a", "--count", "3", "-q").out())
        .isEqualTo(Cli.run("prune", "generate", run, "--prompt", "a", "--count", "3", "-q").out());
  }

  private static String run(Cli trained) {
    return trained.json().get("run").asString();
  }

  @Tag("slow")
  @Test
  void anExportedModelIsUsedWithoutItsRun() {
    String run = run(train("--prune", "one-shot", "--prune-at", "2"));
    String file = folder.resolve("exported.safetensors").toString();
    Cli exported = Cli.run("prune", "export", run, "--out", file, "--json");
    assertThat(exported.json().get("format").asString()).isEqualTo("dense");
    assertThat(exported.json().get("bytes").asLong()).isEqualTo(Path.of(file).toFile().length());
    assertThat(Path.of(file)).hasSameBinaryContentAs(Path.of(run, "model.safetensors"));

    JsonNode ofRun = Cli.run("prune", "evaluate", run, "--json", "-q").json();
    Cli ofFile = Cli.run("prune", "evaluate", file, "--data", text.toString(), "--json", "-q");
    assertThat(ofFile.json().get("test_loss")).isEqualTo(ofRun.get("test_loss"));
    assertThat(ofFile.json().get("validation_loss")).isEqualTo(ofRun.get("validation_loss"));
    Cli without = Cli.run("prune", "evaluate", file, "-q");
    assertThat(without.status()).isEqualTo(2);
    assertThat(without.err())
        .startsWith("gossamer: --data: expected the data to evaluate " + file + " on, found none")
        .hasLineCount(1);
    assertThat(Cli.run("prune", "generate", file, "--prompt", "keep", "--count", "9").out())
        .isEqualTo(Cli.run("prune", "generate", run, "--prompt", "keep", "--count", "9").out());
    assertThat(Cli.run("prune", "inspect", file).out())
        .isEqualTo(Cli.run("prune", "inspect", run).out())
        .contains("embedding.tokens", "elements survive: ");
  }

  @Tag("slow")
  @Test
  void aNetworkInTheLayoutOfGpt2IsUsedLikeAnyOther() {
    String run = run(train("--prune", "one-shot", "--tied-head"));
    String there = folder.resolve("gpt2").toString();
    Cli exported =
        Cli.run("prune", "export", run, "--layout", "huggingface", "--out", there, "--json");
    assertThat(exported.err()).isEmpty();
    assertThat(exported.json().get("layout").asString()).isEqualTo("huggingface");
    assertThat(folder.resolve("gpt2")).isDirectoryContaining("glob:**/config.json");
    JsonNode ofRun = Cli.run("prune", "evaluate", run, "--json", "-q").json();
    JsonNode ofFolder =
        Cli.run("prune", "evaluate", there, "--data", text.toString(), "--json", "-q").json();
    assertThat(ofFolder.get("test_loss")).isEqualTo(ofRun.get("test_loss"));
    assertThat(Cli.run("prune", "generate", there, "--count", "9").out())
        .isEqualTo(Cli.run("prune", "generate", run, "--count", "9").out());
    assertThat(Cli.run("prune", "inspect", there).out()).contains("embedding.tokens");
    Cli tuned =
        Cli.run(
            "prune",
            "train",
            "--from",
            there,
            "--data",
            text.toString(),
            "--length",
            "8",
            "--iterations",
            "2",
            "--prune",
            "one-shot",
            "--prune-at",
            "1",
            "--runs",
            folder.toString(),
            "--json",
            "-q");
    assertThat(tuned.err()).isEmpty();
    assertThat(tuned.json().get("model").asString()).isEqualTo("gpt2");
    Cli ignored = train("--from", there);
    assertThat(ignored.status()).isEqualTo(2);
    assertThat(ignored.err())
        .isEqualTo(
            "gossamer: --model: expected none with --from, which has its own, found gpt-tiny%n"
                .formatted());
    Cli compressed =
        Cli.run(
            "prune",
            "export",
            run,
            "--layout",
            "huggingface",
            "--format",
            "mask",
            "--out",
            there + "2");
    assertThat(compressed.status()).isEqualTo(2);
    assertThat(compressed.err())
        .startsWith("gossamer: --format: expected dense with --layout huggingface, found mask");
    String again = "prune export %s --layout huggingface --force --out %s".formatted(run, there);
    Cli forced = Cli.run(again.split(" "));
    assertThat(forced.status()).isEqualTo(2);
    assertThat(forced.err())
        .isEqualTo(
            "gossamer: --force: a folder of --layout huggingface replaces an earlier one anyway; leave it out%n"
                .formatted());
  }

  @ParameterizedTest
  @CsvSource({"compressed, model-compressed.safetensors", "mask, mask.safetensors"})
  void aModelIsExportedInEachForm(String format, String name) throws IOException {
    String run = run(train("--prune", "one-shot"));
    Cli exported = Cli.run("prune", "export", run, "--format", format, "--out", folder.toString());
    assertThat(exported.out()).startsWith("written  " + folder.resolve(name) + "  ");
    assertThat(folder.resolve(name)).hasSameBinaryContentAs(Path.of(run, name));
    Path mine = Files.writeString(folder.resolve("mine"), "mine");
    Files.delete(folder.resolve(name));
    Files.createSymbolicLink(folder.resolve(name), mine);
    String again = "prune export " + run + " --format " + format + " --out " + folder;
    Cli refused = Cli.run(again.split(" "));
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains(name + ": expected a new file, found one; choose another name, or --force")
        .hasLineCount(1);
    assertThat(mine).hasContent("mine");
    assertThat(Cli.run((again + " --force").split(" ")).status()).isZero();
    assertThat(mine).hasSameBinaryContentAs(Path.of(run, name));
  }

  @Tag("slow")
  @Test
  void whatIsNotPrunedIsExportedDenseAlone() {
    String run = run(train("--prune", "none"));
    Cli mask = Cli.run("prune", "export", run, "--format", "mask", "--out", folder + "/m");
    assertThat(mask.status()).isEqualTo(2);
    assertThat(mask.err())
        .startsWith("gossamer: " + folder + "/m: expected a pruned network, found one that keeps")
        .hasLineCount(1);
    assertThat(folder.resolve("m")).doesNotExist();
    Path none = folder.resolve("none.safetensors");
    MaskFile.write(none, new Mask(ParameterLayout.builder().build(), Map.of()));
    Cli inspected = Cli.run("prune", "inspect", none.toString(), "--with", none.toString());
    assertThat(inspected.out())
        .contains(
            "0 of 0 elements survive: 0.00 % are pruned.", "differ in 0.0000 of the elements");
    assertThat(Cli.run("prune", "inspect", run).err()).contains("expected a pruned network");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "train", "evaluate", "generate", "inspect", "export"})
  void helpHasExamples(String command) {
    Cli help = Cli.run(("prune " + command + " --help").strip().replaceAll(" +", " ").split(" "));
    assertThat(help.status()).isZero();
    assertThat(help.out())
        .startsWith(("Usage: gossamer prune " + command).strip())
        .contains("Examples:", "  gossamer prune " + command);
    assertThat(help.out().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void flagsOfTrainingStandUnderHeadings() {
    String help = Cli.run("prune", "train", "--help").out();
    assertThat(help)
        .containsSubsequence(
            "\nData:\n",
            "--data=PATH",
            "\nNetwork:\n",
            "--model=NAME",
            "\nPruning:\n",
            "--sparsity=P",
            "\nIterations:\n",
            "\nOptimizer:\n",
            "--lr=RATE",
            "\nStorage:\n",
            "--precision=FORMAT",
            "\nBatches and pipeline:\n",
            "--inter=N|auto",
            "\nRanks and machine:\n",
            "--ranks=P",
            "--memory=BYTES",
            "\nRun:\n",
            "--resume=RUN",
            "--trace[=K]",
            "\nOutput:\n",
            "--json");
    CommandLine line = new CommandLine(new PruneTrainCommand());
    for (OptionSpec flag : line.getCommandSpec().options()) {
      assertThat(help)
          .containsPattern(
              "(?m)^ {2,6}(-., )?"
                  + flag.longestName().replace("--", flag.negatable() ? "--\\[no-\\]" : "--")
                  + "\\b");
    }
  }

  /// Defaults are chosen in the library; flags repeat them.
  @Test
  void flagsDefaultToTheLibrarysSettings() {
    PrunedTrainingOptions command = new PrunedTrainingOptions();
    Main.prepared(new CommandLine(command)).parseArgs();
    assertThat(command.model.settings()).isEqualTo(ModelSettings.DEFAULT);
    assertThat(command.prune.settings()).isEqualTo(PruningSettings.DEFAULT);
    assertThat(command.iterations.settings()).isEqualTo(IterationSettings.DEFAULT);
    assertThat(command.optimizer.settings()).isEqualTo(OptimizerSettings.DEFAULT);
    assertThat(command.storage.settings()).isEqualTo(StorageSettings.DEFAULT);
    assertThat(command.pipeline.batches()).isEqualTo(BatchSettings.DEFAULT);
    PruneOptions gradual = new PruneOptions();
    Main.prepared(new CommandLine(gradual)).parseArgs("--prune", "gradual");
    assertThat(gradual.settings().when()).isEqualTo(Pruning.Gradual.DEFAULT);
    PruneGenerateCommand generate = new PruneGenerateCommand();
    Main.prepared(new CommandLine(generate)).parseArgs("run");
    assertThat(generate.settings()).isEqualTo(GenerationSettings.DEFAULT);
  }

  @Test
  void aNumberOfTokensIsRefusedByItsFlag() {
    PruneGenerateCommand generate = new PruneGenerateCommand();
    Main.prepared(new CommandLine(generate)).parseArgs("run", "--count", "0");
    assertThatThrownBy(generate::settings)
        .isInstanceOfSatisfying(
            InvalidSettingException.class,
            e ->
                assertThat(e.message(FlagNames::of))
                    .isEqualTo("--count: expected at least 1, found 0"));
  }

  /// At a learning rate that changes no weight, each network ends two evaluations after the last
  /// change of its weights: the beginning, or its pruning before the fifth iteration.
  @Tag("slow")
  @Test
  void theComparisonSaysHowLongEachNetworkWasTrained() {
    String command =
        "prune train --data %s --model gpt-tiny --length 16 --iterations 8 --batch 8 --microbatch 2"
            + " --evaluate-samples 16 --evaluate-every 1 --lr 1e-30 --criterion per-layer"
            + " --prune one-shot --prune-at 4 --compare -q --runs %s";
    String[] all = command.formatted(text, folder).split(" ");
    assertThat(Cli.run(all).out())
        .contains("compared with the unpruned network, trained for the same number of iterations");
    String[] patient = (command + " --patience 1").formatted(text, folder).split(" ");
    assertThat(Cli.run(patient).out())
        .contains("compared with the unpruned network, trained for 6 iterations, unpruned 2");
    String[] json = (command + " --patience 1 --json").formatted(text, folder).split(" ");
    JsonNode node = Cli.run(json).json();
    assertThat(node.get("iterations").asInt()).isEqualTo(6);
    assertThat(node.get("whole_network").get("iterations").asInt()).isEqualTo(2);
  }

  @Test
  void infiniteNumbersAreWrittenAsNoNumbers() {
    ObjectNode node = JsonOutput.object();
    PruneReport.put(node, "test", new Score(1000, 5, 0, new Score.Text(1000, 1)));
    assertThat(node.get("test_perplexity").isNumber()).isTrue();
    assertThat(JsonOutput.line(node)).contains("\"test_word_perplexity\":\"NaN\"");
  }

  /// A run that was interrupted before its first checkpoint has its settings alone.
  @Tag("slow")
  @Test
  void aRunWithoutACheckpointIsResumedFromItsSettings() throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("config.yaml"),
            """
            ---
            data: "%s"
            model: "gpt-tiny"
            length: 16
            dropout: 0.0
            iterations: 6
            prune: "one-shot"
            sparsity: 0.8
            criterion: "per-layer"
            mask-every: 20
            mask-window: 5
            mask-distance: 0.1
            prune-at: 2
            compute: "dense"
            batch: 8
            microbatch: 2
            inter: "2"
            checkpoint-activations: false
            bucket: "1m"
            clip: 1.0
            ranks: 2
            timeout: 1800
            runs: "%s"
            precision: "bf16"
            evaluate-every: 50
            evaluate-samples: 16
            checkpoint-every: 0
            seed: 3
            """
                .formatted(text, folder));
    Cli resumed = Cli.run("prune", "train", "--resume", folder.toString(), "--json", "-q");
    assertThat(resumed.err()).isEmpty();
    JsonNode json = resumed.json();
    assertThat(json.get("run").asString()).isEqualTo(folder.toString());
    assertThat(json.get("inter").asInt()).isEqualTo(2);
    assertThat(json.get("sparsity").asDouble()).isCloseTo(0.8, within(1e-4));
    assertThat(json.get("iterations").asInt()).isEqualTo(6);
    assertThat(json.get("pruned_before_iteration").asInt()).isEqualTo(3);
    Cli again =
        Cli.run("prune", "train", "--config", config.toString(), "--seed", "4", "--json", "-q");
    assertThat(again.json().get("validation_loss")).isNotEqualTo(json.get("validation_loss"));
    Path model = folder.resolve("model.safetensors");
    byte[] written = Files.readAllBytes(model);
    Files.delete(model);
    Cli done = Cli.run("prune", "train", "--resume", folder.toString(), "-q");
    assertThat(done.err()).isEmpty();
    assertThat(done.out()).contains("all 6 iterations were done before").doesNotContain("speed");
    assertThat(model).hasBinaryContent(written);
    Cli more = Cli.run("prune", "train", "--resume", folder.toString(), "--json", "-q");
    assertThat(more.json().get("validation_loss")).isEqualTo(json.get("validation_loss"));
    assertThat(more.json().has("iteration_seconds_median")).isFalse();
    Cli fewer = Cli.run("prune", "train", "--resume", folder.toString(), "--iterations", "5", "-q");
    assertThat(fewer.status()).isEqualTo(2);
    assertThat(fewer.err())
        .isEqualTo(
            "gossamer: --iterations: expected at least the 6 that are done in %s, found 5%n"
                .formatted(folder));
    Files.writeString(config, "plan: false\n", StandardOpenOption.APPEND);
    Cli older = Cli.run("prune", "train", "--resume", folder.toString(), "-q");
    assertThat(older.status()).isEqualTo(2);
    assertThat(older.err())
        .isEqualTo(
            "gossamer: %s: plan: expected a flag of 'gossamer prune train' without its dashes, found an unknown name%n"
                .formatted(config));
  }

  /// A stage waits for what is on its way: here for long, over a slow network that is imitated.
  @Test
  void aTraceShowsTheMicrobatchesOfEachStage() throws IOException {
    JsonNode json =
        train(
                "--ranks",
                "2",
                "--inter",
                "2",
                "--prune",
                "none",
                "--iterations",
                "2",
                "--link",
                "10ms,1ns",
                "--trace",
                "2")
            .json();
    String trace = Files.readString(Path.of(json.get("run").asString()).resolve("trace.json"));
    assertThat(trace)
        .contains("\"name\":\"forward 3\"")
        .contains("\"name\":\"backward 3\"")
        .contains("\"name\":\"wait\"");
  }
}
