package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Commands;
import dev.gossamer.cli.SampleCluster;
import dev.gossamer.cli.machine.RankNumbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

class PlanCommandTest {
  @TempDir static Path folder;

  static String data;

  @BeforeAll
  static void makeDataAndMachines() throws IOException {
    data = folder.resolve("small set").toString();
    Cli built =
        Cli.run(
            "dataset",
            "build",
            "sbm",
            "--vertices",
            "150",
            "--degree",
            "8",
            "--classes",
            "4",
            "--features",
            "4",
            "--out",
            data);
    assertThat(built.status()).isZero();
    SampleCluster.write(folder.resolve("cluster.yaml"), 2, "16g");
    SampleCluster.write(folder.resolve("small.yaml"), 2, "100m");
    SampleCluster.write(folder.resolve("one.yaml"), 1, "16g");
  }

  private static Cli plan(String more) {
    Stream<String> first =
        Stream.of("plan", "-q", "--data", data, "--cluster", folder + "/cluster.yaml");
    Stream<String> rest = more.isEmpty() ? Stream.of() : Arrays.stream(more.split(" "));
    return Cli.run(Stream.concat(first, rest).toArray(String[]::new));
  }

  /// What a shell makes of a command: blanks separate, quotes hold together.
  private static List<String> words(String command) {
    return Arrays.stream(command.split(" (?=(?:[^']*'[^']*')*[^']*$)"))
        .map(word -> word.replace("'", ""))
        .toList();
  }

  @Tag("slow")
  @Test
  void everyPrintedCommandParsesAndTheBestOneRuns() {
    Cli cli = plan("--model sage --fanout 3 --batch 20 --hidden 8 --seed 3 --ranks 1..4 --json");
    assertThat(cli.status()).as(cli.err()).isZero();
    JsonNode strategies = cli.json().get("strategies");
    assertThat(strategies.size()).isGreaterThan(20);
    for (JsonNode strategy : strategies) {
      List<String> words = words(strategy.get("command").asString());
      boolean processes = words.getFirst().equals("mpirun");
      assertThat(processes).isEqualTo(strategy.get("nodes").asInt() > 1);
      List<String> arguments = words.subList(words.indexOf("gossamer") + 1, words.size());
      CommandLine line = Commands.all();
      CommandLine.ParseResult parsed =
          line.parseArgs(arguments.toArray(String[]::new)).subcommand();
      assertThat(parsed.commandSpec().name()).isEqualTo("train");
      assertThat(parsed.<String>matchedOptionValue("--data", "")).isEqualTo(data);
      assertThat(parsed.hasMatchedOption("--fanout"))
          .isEqualTo(strategy.get("mode").asString().equals("minibatch"));
    }
    JsonNode one =
        strategies.valueStream().filter(s -> s.get("ranks").asInt() == 2).findFirst().orElseThrow();
    List<String> train = words(one.get("command").asString());
    Cli trained =
        Cli.run(
            Stream.concat(
                    train.subList(1, train.size()).stream(),
                    Stream.of("--epochs", "1", "-q", "--json", "--runs", folder + "/runs"))
                .toArray(String[]::new));
    assertThat(trained.status()).as(trained.err()).isZero();
    assertThat(trained.json().get("ranks").asInt()).isEqualTo(2);
  }

  /// The names that docs/json.md promises.
  @Test
  void planPrintsOneJsonObjectWithThePromisedNames() {
    JsonNode node = plan("--ranks 1,2 --json").json();
    assertThat(node.propertyNames())
        .contains(
            "schema_version",
            "dataset",
            "model",
            "strategies",
            "recommended",
            "command",
            "reason",
            "epochs",
            "run_seconds",
            "scaling",
            "worthwhile_ranks");
    assertThat(node.get("scaling").get(1).propertyNames())
        .contains(
            "ranks",
            "nodes",
            "epoch_seconds",
            "run_seconds",
            "speed_up",
            "efficiency",
            "node_hours");
    JsonNode best = node.get("strategies").get(node.get("recommended").asInt());
    assertThat(best.get("command")).isEqualTo(node.get("command"));
    assertThat(best.propertyNames())
        .contains(
            "ranks",
            "nodes",
            "ranks_per_node",
            "threads",
            "mode",
            "learning",
            "placement",
            "fits",
            "memory_of_rank_bytes",
            "memory_of_node_bytes",
            "memory_limit_bytes",
            "steps",
            "epoch_seconds",
            "phase_seconds",
            "count",
            "drawn_share",
            "bytes_per_epoch",
            "messages_per_epoch",
            "most_bytes_sent",
            "most_bytes_received",
            "evaluation_seconds",
            "bytes_per_evaluation",
            "once_seconds",
            "bytes_once",
            "epochs",
            "evaluations",
            "run_seconds",
            "bytes_of_run",
            "command");
    double phases = best.get("phase_seconds").valueStream().mapToDouble(JsonNode::asDouble).sum();
    assertThat(best.get("epoch_seconds").asDouble()).isCloseTo(phases, withPercentage(0.001));
    assertThat(best.get("run_seconds")).isEqualTo(node.get("run_seconds"));
  }

  @Test
  void aRunOfFewerEvaluationsIsShorterAndItsCommandSaysSo() {
    JsonNode usual = plan("--ranks 2 --mode full-graph --json").json();
    JsonNode seldom =
        plan("--ranks 2 --mode full-graph --evaluate-every 10 --epochs 40 --json").json();
    JsonNode best = seldom.get("strategies").get(0);
    assertThat(usual.get("strategies").get(0).get("evaluations").asInt()).isEqualTo(151);
    assertThat(best.get("evaluations").asInt()).isEqualTo(5);
    assertThat(seldom.get("command").asString()).contains("--evaluate-every 10", "--epochs 40");
    double run =
        40 * best.get("epoch_seconds").asDouble()
            + 5 * best.get("evaluation_seconds").asDouble()
            + best.get("once_seconds").asDouble();
    assertThat(best.get("run_seconds").asDouble()).isCloseTo(run, withPercentage(0.001));
  }

  @Tag("slow")
  @Test
  void ranksWithoutAVertexAreNotPlanned() throws IOException {
    Path large = folder.resolve("large.yaml");
    SampleCluster.write(large, 32768, "16g");
    Cli cli = plan("--mode full-graph --placement block --json --cluster " + large);
    assertThat(cli.json().get("strategies").valueStream().mapToInt(s -> s.get("ranks").asInt()))
        .contains(1, 128, 150)
        .allMatch(ranks -> ranks <= 150);
  }

  @Test
  void aPlanRecommendsWithAReasonAndACommand() {
    Cli cli = plan("--ranks 1,2,4 --mode full-graph --placement block,random");
    assertThat(cli.status()).as(cli.err()).isZero();
    assertThat(cli.out().lines().filter(line -> line.matches("(best|because|second|command) .*")))
        .hasSize(4);
    assertThat(cli.out()).doesNotContain("minibatches", "gvb");
  }

  /// The rates are those of a file, by which most ways of two ranks take the same time.
  @Test
  void whatIsComparedIsTheSimplestOfATie() {
    Cli cli = plan("--ranks 1,2 --mode full-graph --model mlp");
    String usual = "whole graph sparsity-aware c=1 gvb overlap";
    assertThat(cli.out().lines())
        .anyMatch(line -> line.matches("second +2 ranks, " + usual + ": .*"))
        .anyMatch(line -> line.matches(" +2 .* \\d+\\.\\d{4}  " + usual));
  }

  @Test
  void whatDoesNotFitIsMarkedAndNotRecommended() {
    Cli cli =
        Cli.run("plan", "-q", "--data", data, "--cluster", folder + "/small.yaml", "--ranks", "2");
    assertThat(cli.status()).isZero();
    assertThat(cli.out()).contains("does not fit", "nothing fits").doesNotContain("command ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--mode minibatch --model sage --fanout 3,2 --batch 20"})
  void aDryRunSaysWhatTheRunSends(String how) {
    String both = "--ranks 2 --threads 2 -q --json " + how;
    String[] flags = Arrays.stream(both.strip().split(" ")).toArray(String[]::new);
    String machine = folder + "/one.yaml";
    Cli dry = train(flags, "--dry-run", "--cluster", machine, "--runs", folder + "/none");
    assertThat(dry.status()).as(dry.err()).isZero();
    assertThat(folder.resolve("none")).doesNotExist();
    JsonNode planned = dry.json();
    assertThat(planned.get("dry_run").asBoolean()).isTrue();
    Cli run = train(flags, "--epochs", "1", "--cluster", machine, "--runs", folder + "/runs");
    assertThat(run.status()).as(run.err()).isZero();
    JsonNode trained = run.json();
    assertThat(planned.get("memory_of_node_bytes").asLong())
        .isEqualTo(
            trained.get("estimated_bytes").asLong()
                - trained.get("estimated_mapped_bytes").asLong());
    assertThat(trained.get("planned").get("steps")).isEqualTo(planned.get("steps"));
    assertThat(trained.get("planned").get("bytes_per_epoch"))
        .isEqualTo(planned.get("bytes_per_epoch"));
    if (how.isEmpty()) {
      assertThat(planned.get("bytes_per_epoch"))
          .isEqualTo(trained.get("bytes_sent_per_epoch").get("total"));
      assertThat(planned.get("messages_per_epoch")).isEqualTo(trained.get("messages_per_epoch"));
    } else {
      assertThat(planned.get("steps")).isEqualTo(trained.get("steps"));
    }
  }

  @Test
  void trainingSaysWhatItChoseAndKeepsIt() throws IOException {
    String machine = folder + "/cluster.yaml";
    String[] flags = {"--ranks", "4", "--epochs", "2", "--cluster", machine};
    Cli chosen = train(flags, "--runs", folder + "/chosen");
    assertThat(chosen.status()).as(chosen.err()).isZero();
    assertThat(chosen.err().lines().filter(line -> line.startsWith("chosen ")))
        .hasSize(4)
        .anyMatch(line -> line.startsWith("chosen   --exchange "))
        .anyMatch(line -> line.startsWith("chosen   --replication "))
        .anyMatch(line -> line.startsWith("chosen   --overlap "))
        .anyMatch(line -> line.startsWith("chosen   --placement "));
    assertThat(chosen.out()).containsPattern("planned  [0-9.]+ s, ");
    Path run = Path.of(chosen.out().lines().reduce((_, last) -> last).orElseThrow().substring(9));
    assertThat(run.resolve("config.yaml"))
        .content()
        .contains("exchange:", "replication:", "overlap:", "placement:");

    Cli given = train(flags, "--placement", "random", "--overlap", "off", "--runs", folder + "/g");
    assertThat(given.status()).as(given.err()).isZero();
    assertThat(given.err().lines().filter(line -> line.startsWith("chosen ")))
        .noneMatch(line -> line.contains("--placement") || line.contains("--overlap"));
  }

  private static Cli train(String[] flags, String... more) {
    Stream<String> first = Stream.of("train", "--data", data);
    return Cli.run(
        Stream.of(first, Arrays.stream(flags), Arrays.stream(more))
            .flatMap(words -> words)
            .toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1,2,6 | 1,2,6",
        "4..64 | 4,8,16,32,64",
        "3..20 | 3,6,12,20",
        "1,8..16 | 1,8,16",
        "7..7 | 7"
      })
  void numbersOfRanksAreListsAndDoublings(String text, String numbers) {
    assertThat(RankNumbers.parse(text))
        .isEqualTo(Arrays.stream(numbers.split(",")).map(Integer::valueOf).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--ranks 0",
        "--ranks 4..2",
        "--ranks 1..2..4",
        "--ranks x",
        "--placement nowhere",
        "--sampler nothing",
        "--model mlp --mode minibatch --sampler sage",
        "--cluster missing.yaml",
        "--sampler sage --layer-sizes 10",
      })
  void badUsageIsOneLineAndStatusTwo(String usage) {
    Cli cli = plan("--ranks 1 ".concat(usage).replaceFirst("--ranks 1 (?=.*--ranks)", ""));
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err().lines().filter(line -> line.startsWith("gossamer: "))).hasSize(1);
    assertThat(cli.out()).isEmpty();
  }
}
