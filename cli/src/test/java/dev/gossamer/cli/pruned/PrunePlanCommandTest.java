package dev.gossamer.cli.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Commands;
import dev.gossamer.cli.Main;
import dev.gossamer.cli.SampleCluster;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.pruned.PrunedMachineSettings;
import dev.gossamer.pruned.PrunedResult;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.RankPlace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class PrunePlanCommandTest {
  private static final String SMALL =
      " --model gpt-tiny --length 16 --batch 8 --microbatch 2 --iterations 4 --sparsity 0.9"
          + " --criterion per-layer --evaluate-samples 8";

  @TempDir static Path folder;

  static String text;

  @BeforeAll
  static void makeDataAndMachines() throws IOException {
    Path words = folder.resolve("some words.txt");
    text = Files.writeString(words, "pruned networks keep what survives\n".repeat(500)).toString();
    SampleCluster.write(folder.resolve("cluster.yaml"), 2, "16g");
    SampleCluster.write(folder.resolve("one.yaml"), 1, "12g");
    SampleCluster.write(folder.resolve("tiny.yaml"), 2, "100m");
  }

  /// Words are separated by blanks; TEXT stands for the file of words.
  private static Cli run(String command) {
    return Cli.run(arguments(command));
  }

  private static String[] arguments(String command) {
    return Arrays.stream(command.strip().split(" +"))
        .map(word -> word.equals("TEXT") ? text : word)
        .toArray(String[]::new);
  }

  private static Cli plan(String cluster, String more) {
    return run("plan -q --data TEXT --cluster " + folder + "/" + cluster + SMALL + more);
  }

  /// What a shell makes of a command: blanks separate, quotes hold together.
  private static List<String> words(String command) {
    return Arrays.stream(command.split(" (?=(?:[^']*'[^']*')*[^']*$)"))
        .map(word -> word.replace("'", ""))
        .toList();
  }

  @Tag("slow")
  @Test
  void everyPrintedCommandParsesAndRunsAsPlanned() {
    Cli cli = plan("cluster.yaml", " --lr 1e-3 --ranks 1..4 --json");
    assertThat(cli.status()).as(cli.err()).isZero();
    JsonNode strategies = cli.json().get("strategies");
    // One grid, two and three, each with all parameters, and dense and sparse products of a tenth.
    assertThat(strategies).hasSize(3 * (1 + 2 + 3));
    for (JsonNode strategy : strategies) {
      List<String> words = words(strategy.get("command").asString());
      assertThat(words.getFirst().equals("mpirun")).isEqualTo(strategy.get("nodes").asInt() > 1);
      List<String> arguments = words.subList(words.indexOf("gossamer") + 1, words.size());
      CommandLine line = Commands.all();
      CommandLine.ParseResult parsed =
          line.parseArgs(arguments.toArray(String[]::new)).subcommand().subcommand();
      assertThat(parsed.commandSpec().qualifiedName()).isEqualTo("gossamer prune train");
      assertThat(parsed.<Path>matchedOptionValue("--data", Path.of(""))).hasToString(text);
      assertThat(parsed.matchedOptionValue("--inter", "1"))
          .isEqualTo(strategy.get("inter").asString());
    }
    for (String compute : List.of("dense", "sparse")) {
      JsonNode two =
          strategies
              .valueStream()
              .filter(each -> each.get("ranks").asInt() == 2)
              .filter(each -> each.get("inter").asInt() == 2)
              .filter(each -> each.get("compute").asString().equals(compute))
              .findFirst()
              .orElseThrow();
      List<String> train = words(two.get("command").asString());
      Cli trained =
          Cli.run(
              Stream.concat(
                      train.subList(1, train.size()).stream(),
                      Stream.of("-q", "--json", "--threads", "2", "--runs", folder + "/runs"))
                  .toArray(String[]::new));
      assertThat(trained.status()).as(trained.err()).isZero();
      JsonNode run = trained.json();
      JsonNode last = run.get(compute.equals("dense") ? "dense_iterations" : "pruned_iterations");
      assertThat(run.get("inter").asInt()).isEqualTo(2);
      assertThat(last.get("activation_bytes").asLong())
          .isEqualTo(two.get("activation_bytes").asLong());
      assertThat(run.get("state_bytes_formula").asLong())
          .isCloseTo(two.get("state_bytes_pruned").asLong(), withPercentage(0.1));
    }
  }

  /// The names that docs/json.md promises.
  @Test
  void planPrintsOneJsonObjectWithThePromisedNames() {
    JsonNode node = plan("cluster.yaml", " --ranks 2 --json").json();
    assertThat(node.propertyNames())
        .contains(
            "schema_version",
            "data",
            "model",
            "input",
            "classes",
            "parameters",
            "precision",
            "sparsity",
            "strategies",
            "recommended",
            "command",
            "reason");
    JsonNode best = node.get("strategies").get(node.get("recommended").asInt());
    assertThat(best.get("command")).isEqualTo(node.get("command"));
    assertThat(best.propertyNames())
        .contains(
            "ranks",
            "nodes",
            "ranks_per_node",
            "threads",
            "inter",
            "data_parallel",
            "compute",
            "fits",
            "fits_once_pruned",
            "memory_of_rank_bytes",
            "memory_of_node_bytes",
            "memory_limit_bytes",
            "state_bytes_dense",
            "state_bytes_pruned",
            "activation_bytes_checkpointed",
            "count",
            "rank_bytes",
            "state_bytes",
            "activation_memory_bytes",
            "bucket_bytes",
            "iteration_seconds",
            "phase_seconds",
            "bytes_per_iteration",
            "messages_per_iteration",
            "activation_bytes",
            "gradient_bytes",
            "most_bytes_sent",
            "most_bytes_received",
            "unpruned",
            "command");
    double phases = best.get("phase_seconds").valueStream().mapToDouble(JsonNode::asDouble).sum();
    assertThat(best.get("iteration_seconds").asDouble()).isCloseTo(phases, withPercentage(0.001));
  }

  @Test
  void aPlanRecommendsWithAReasonAndACommand() {
    Cli cli = plan("cluster.yaml", " --ranks 1,2");
    assertThat(cli.status()).as(cli.err()).isZero();
    assertThat(cli.out().lines().filter(line -> line.matches("(best|because|second|command) .*")))
        .hasSize(4);
    assertThat(cli.out()).contains("cluster  2 nodes", "2 stages x 1 replica sparse");
    assertThat(run("prune plan --help").out()).contains("gossamer prune plan --model gpt-50m");
    assertThat(run("plan --model vgg19 --help").out()).startsWith("Usage: gossamer prune plan");
  }

  @Test
  void whatDoesNotFitIsMarkedAndNotRecommended() {
    Cli none = plan("tiny.yaml", " --ranks 2");
    assertThat(none.status()).isZero();
    assertThat(none.out()).contains("does not fit", "nothing fits").doesNotContain("command ");
    // Eight stages take 26 GiB of a process at most, and up to 3 more where the virtual machine of
    // the tests has grown; fewer stages take more than 29 until the network is pruned.
    String large = "plan --model gpt-2.7b --batch 8 --microbatch 1 --sparsity 0.9 --ranks 8 -q";
    Cli later =
        run(
            large
                + " --prune early-bird --memory-per-rank 29g --cluster "
                + folder
                + "/cluster.yaml");
    assertThat(later.out())
        .contains("data     none is read: 50,257 tokens")
        .containsPattern("pruned {3}.* fits once the network is pruned: --inter auto")
        .containsPattern(
            "command  mpirun -np 8 gossamer prune train --tokens bpe --model gpt-2.7b");
  }

  @Test
  void aNetworkOfImagesIsPlannedWithoutThem() {
    Cli cli = run("plan --model vgg-mnist --ranks 1 -q --cluster " + folder + "/cluster.yaml");
    assertThat(cli.status()).as(cli.err()).isZero();
    assertThat(cli.out())
        .contains("data     none is read: images of ", "gossamer prune train --data FOLDER");
  }

  @Tag("slow")
  @Test
  void aDryRunSaysWhatTheRunSendsAndLeavesNothing() {
    String flags = "prune train -q --json --data TEXT --ranks 2 --threads 2" + SMALL;
    String machine = " --dry-run --cluster " + folder + "/one.yaml";
    Cli dry = run(flags + machine + " --compute dense --runs " + folder + "/none");
    assertThat(dry.status()).as(dry.err()).isZero();
    assertThat(folder.resolve("none")).doesNotExist();
    JsonNode planned = dry.json();
    assertThat(planned.get("dry_run").asBoolean()).isTrue();
    assertThat(planned.get("compute").asString()).isEqualTo("compressed");
    Cli trained = run(flags + " --compute dense --runs " + folder + "/runs");
    assertThat(trained.status()).as(trained.err()).isZero();
    JsonNode run = trained.json();
    assertThat(planned.get("gradient_bytes").asLong())
        .isEqualTo(run.get("pruned_iterations").get("gradient_bytes").asLong());
    assertThat(planned.get("unpruned").get("gradient_bytes").asLong())
        .isEqualTo(run.get("dense_iterations").get("gradient_bytes").asLong());
    Cli words = run(flags.replace("--json", "") + machine + " --link 1ms,1us");
    assertThat(words.out().lines().map(line -> line.replaceFirst(" .*", "")))
        .containsExactly(
            "data",
            "model",
            "plan",
            "memory",
            "unpruned",
            "unpruned",
            "unpruned",
            "pruned",
            "pruned",
            "pruned");
    assertThat(planned.get("memory_limit_bytes").asLong()).isEqualTo(12L << 30);
    assertThat(words.out()).contains("point-to-point 0.0000", "collective 0.");
  }

  @Test
  void aDryRunEstimatesTheMemoryThatTheRunDoes() {
    PruneTrainCommand command = new PruneTrainCommand();
    String flags = "--data TEXT --ranks 2 --compute dense --runs " + folder + "/runs";
    Main.prepared(new CommandLine(command)).parseArgs(arguments(flags + SMALL));
    PrunedTraining training =
        command.training(command.run()).machine(new PrunedMachineSettings(2, 1L << 30, null, null));
    Cluster cluster =
        ClusterFile.read(
            folder.resolve("one.yaml"),
            () -> {
              throw new AssertionError("the file has rates");
            });
    RankPlace place = ClusterSpeed.place(new RankLayout(cluster, 2), false, 1L << 30);
    ObjectNode planned = JsonOutput.object();
    PrunePlanReport.put(planned, training.planAsSet(place).runs().getFirst(), null);

    PrunedResult run = training.train();
    CommonOptions common = new CommonOptions();
    common.json = true;
    StringWriter out = new StringWriter();
    new PruneReport(run.plan(), null, new MemoryOptions(), common)
        .end(new PrintWriter(out), new PruneReport.Runs(run, null, List.of()), 1e9);
    JsonNode done = new JsonMapper().readTree(out.toString());
    assertThat(planned.get("memory_of_rank_bytes").asLong())
        .isPositive()
        .isEqualTo(done.get("estimated_bytes_of_rank").asLong());
  }

  @Test
  void namesAreReadInAnyCase() {
    Cli cli =
        run(
            "plan --model GPT-TINY"
                + " --ranks 1 -q --prune NONE"
                + " --precision FP32 --cluster "
                + folder
                + "/one.yaml");
    assertThat(cli.status()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("command  gossamer prune train --model gpt-tiny");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " --ranks 0",
        " --ranks 4..2",
        " --ranks 5",
        " --ranks 1 --inter 2",
        " --ranks 1 --sparsity 2",
        " --ranks 1 --memory-per-rank much",
        " --ranks 1 --cluster missing.yaml",
        " --ranks 1 --fanout 3",
        " --ranks 1 --model vgg-mnist",
      })
  void badUsageIsOneLineAndStatusTwo(String usage) {
    Cli cli = plan("cluster.yaml", usage);
    assertThat(cli.status()).as(cli.out()).isEqualTo(2);
    assertThat(cli.err().lines().filter(line -> line.startsWith("gossamer: "))).hasSize(1);
    assertThat(cli.out()).isEmpty();
  }
}
