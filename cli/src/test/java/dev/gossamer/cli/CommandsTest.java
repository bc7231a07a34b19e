package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.cli.graph.TrainCommand;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.Failures;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
import tools.jackson.databind.json.JsonMapper;

class CommandsTest {
  @TempDir static Path shared;
  @TempDir Path folder;

  static Path grid;

  /// That the built-in data set is being built is another line, once.
  @BeforeAll
  static void buildTheBuiltIn() {
    assertThat(Cli.run("dataset", "info", "-q").status()).isZero();
  }

  @BeforeAll
  static void buildAGrid() {
    grid = shared.resolve("grid");
    Cli built =
        Cli.run(
            "dataset",
            "build",
            "grid",
            "--rows",
            "20",
            "--cols",
            "20",
            "--classes",
            "4",
            "--features",
            "8",
            "--out",
            grid.toString(),
            "--json",
            "-q");
    assertThat(built.err()).isEmpty();
    assertThat(built.status()).isZero();
    assertThat(built.json().get("vertices").asInt()).isEqualTo(400);
    assertThat(built.json().get("edges").asInt()).isEqualTo(2 * 20 * 19);
  }

  private Cli train(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "train",
                "--data",
                grid.toString(),
                "--hidden",
                "8",
                "--epochs",
                "20",
                "--json",
                "-q",
                "--runs",
                folder.resolve("runs").toString()));
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  @Test
  void trainPrintsOneJsonObjectWithThePromisedNames() {
    Cli run = train();
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().strip().lines()).hasSize(1);
    assertThat(run.json().propertyNames())
        .contains(
            "dataset",
            "vertices",
            "edges",
            "model",
            "parameters",
            "epochs",
            "epoch_seconds_median",
            "train_accuracy",
            "validation_accuracy",
            "test_accuracy",
            "buffer_bytes",
            "peak_rss_bytes",
            "seed",
            "run_folder");
    assertThat(run.json().get("buffer_bytes").asLong()).isEqualTo(4L * 400 * (8 + 4 + 4 + 8));
    assertThat(run.json().get("parameters").asInt()).isEqualTo(8 * 8 + 8 + 8 * 4 + 4);
  }

  @Test
  void standardScalingIsResumedEvaluatedAndPredicted() {
    String[] flags = {"--feature-scaling", "standard"};
    JsonNode whole = train(flags).json();
    List<String> half = new ArrayList<>(List.of(flags));
    half.addAll(List.of("--epochs", "7", "--checkpoint-every", "7"));
    String run = train(half.toArray(String[]::new)).json().get("run_folder").asString();
    JsonNode rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q").json();
    assertThat(rest.get("test_loss")).isEqualTo(whole.get("test_loss"));
    JsonNode evaluated = Cli.run("evaluate", run, "--json", "-q").json();
    assertThat(evaluated.get("test_accuracy")).isEqualTo(whole.get("test_accuracy"));
    assertThat(Cli.run("predict", run, "-q", "--out", folder + "/p").status()).isZero();
    assertThat(train().json().get("test_loss")).isNotEqualTo(whole.get("test_loss"));
  }

  @Test
  void evaluatingAndPredictingSayWhatTheyTake() {
    String run = train().json().get("run_folder").asString();
    Path out = folder.resolve("none");
    JsonNode predicting =
        Cli.run("predict", run, "--out", out.toString(), "--dry-run", "--json").json();
    assertThat(out).doesNotExist();
    JsonNode evaluating = Cli.run("evaluate", run, "--dry-run", "--json").json();
    assertThat(evaluating.get("dry_run").asBoolean()).isTrue();
    long sum = evaluating.get("parts").valueStream().mapToLong(JsonNode::asLong).sum();
    assertThat(evaluating.get("estimated_bytes").asLong()).isEqualTo(sum);
    // Of each of the 400 vertices the probabilities of four classes.
    assertThat(predicting.get("estimated_bytes").asLong()).isEqualTo(sum + 400 * 4 * Float.BYTES);
    Cli said = Cli.run("evaluate", run);
    assertThat(said.err()).containsPattern("memory +[0-9.]+ MiB estimated, .*Java runtime 27");
    assertThat(said.err()).contains("smaller ones (--verbose)");
    assertThat(Cli.run("evaluate", run, "--verbose", "--dry-run").out())
        .containsPattern("\\R +27[0-9.]+ MiB  Java runtime\\R");
  }

  @Test
  void theResultHasTheMajorityClass() {
    JsonNode run = train().json();
    assertThat(run.get("majority_class").asString()).matches("[0-3]");
    double accuracy = run.get("majority_class_test_accuracy").asDouble();
    assertThat(accuracy).isBetween(0.1, 0.5);
    Cli table =
        Cli.run("train", "--data", grid.toString(), "--epochs", "1", "--runs", folder + "/t");
    assertThat(table.out()).containsPattern("majority class +%.4f +[0-9]+\\R".formatted(accuracy));
  }

  @Test
  void evaluateScoresEachClass() {
    String run = train().json().get("run_folder").asString();
    JsonNode found = Cli.run("evaluate", run, "--json", "-q").json();
    assertThat(found.get("class_names")).hasSize(4);
    long vertices = 0;
    long right = 0;
    for (int c = 0; c < 4; c++) {
      JsonNode row = found.get("test_classes").get(c);
      JsonNode counts = found.get("test_confusion").get(c);
      long ofClass = 0;
      for (JsonNode count : counts) {
        ofClass += count.asLong();
      }
      assertThat(row.get("vertices").asLong()).isEqualTo(ofClass);
      assertThat(row.path("recall").asDouble(0))
          .isCloseTo((double) counts.get(c).asLong() / Math.max(1, ofClass), within(1e-12));
      vertices += ofClass;
      right += counts.get(c).asLong();
    }
    assertThat(found.get("test_accuracy").asDouble())
        .isCloseTo((double) right / vertices, within(1e-12));
    // Nobody was predicted to be of class 1, and no test vertex is of it.
    assertThat(found.get("test_classes").get(1).propertyNames())
        .containsExactly("class", "vertices");
    Cli table = Cli.run("evaluate", run, "-q");
    assertThat(table.out())
        .containsPattern("test +precision +recall +F1 +vertices\\R +0 +[0-9.]+ +[0-9.]+ +")
        .containsPattern("average .* %d\\R".formatted(vertices))
        .containsPattern("predicted as +0 +2 +3\\R +0( +[0-9]+){3}\\R");
  }

  @Test
  void predictWritesAllProbabilitiesIfAsked() throws IOException {
    String run = train().json().get("run_folder").asString();
    Path out = folder.resolve("scores");
    assertThat(Cli.run("predict", run, "--probabilities", "-q", "--out", out.toString()).status())
        .isZero();
    assertThat(Files.readAllLines(out.resolve("predictions.csv")))
        .hasSize(401)
        .startsWith("vertex,class,probability,0,1,2,3")
        .allMatch(line -> line.split(",", -1).length == 7);
  }

  @Test
  void attentionIsTrainedResumedEvaluatedAndPredicted() throws IOException {
    String[] flags = {"--model", "gat", "--heads", "2", "--attention-dropout", "0.2"};
    JsonNode whole = train(flags).json();
    assertThat(whole.get("model").asString()).isEqualTo("gat");
    // Weights, attention vectors and biases of two layers with heads of 4 columns.
    assertThat(whole.get("parameters").asInt()).isEqualTo(8 * 8 + 16 + 8 + 8 * 8 + 16 + 8);
    assertThat(whole.get("phase_seconds").get("attention").asDouble()).isPositive();
    List<String> half = new ArrayList<>(List.of(flags));
    half.addAll(List.of("--epochs", "7", "--checkpoint-every", "7"));
    String run = train(half.toArray(String[]::new)).json().get("run_folder").asString();
    Cli rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q");
    assertThat(rest.err()).isEmpty();
    assertThat(rest.json().get("test_loss")).isEqualTo(whole.get("test_loss"));
    Cli evaluated = Cli.run("evaluate", run, "--json", "-q");
    assertThat(evaluated.json().get("test_loss")).isEqualTo(whole.get("test_loss"));
    Path out = folder.resolve("attention");
    assertThat(Cli.run("predict", run, "--out", out.toString(), "-q").status()).isZero();
    assertThat(Files.readAllLines(out.resolve("predictions.csv"))).hasSize(401);
  }

  @Test
  void attentionIsTrainedOnMinibatchesAndOverRanks() {
    JsonNode one = train("--model", "gat", "--dropout", "0").json();
    JsonNode four = train("--model", "gat", "--dropout", "0", "--ranks", "4").json();
    assertThat(four.get("test_loss").asDouble())
        .isCloseTo(one.get("test_loss").asDouble(), within(1e-3));
    JsonNode sampled = minibatches("--model", "gat", "--gat-variant", "standard").json();
    assertThat(sampled.get("phase_seconds").get("attention").asDouble()).isPositive();
    assertThat(sampled.get("phase_seconds").get("spmm").asDouble()).isZero();
  }

  /// Propagations and deep convolutions: whole, resumed, evaluated, predicted on every road.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--model appnp --hops 3 --teleport 0.2",
        "--model gcnii --layers 4 --teleport 0.2 --lambda 1"
      })
  void initialResidualsAreTrainedResumedEvaluatedAndPredicted(String flags) throws IOException {
    String[] words = flags.split(" ");
    assertResumedEvaluatedAndPredicted(words);
    List<String> kept = new ArrayList<>(List.of(words));
    kept.addAll(List.of("--remote", "historical", "--ranks", "2", "--cache-life", "2"));
    // Features and the outputs of two layers are kept.
    assertThat(minibatches(kept.toArray(String[]::new)).json().get("hit_rate").size()).isEqualTo(3);
  }

  /// Outputs that are computed from all layers.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--model gcn --layers 3 --jumping concat",
        "--model sage --layers 3 --jumping max --norm batch --residual --ranks 2",
        "--model gat --jumping sum --mode minibatch --batch 60",
        "--model gin --jumping max --ranks 2 --mode minibatch --batch 60 --remote historical"
      })
  void jumpsAreTrainedResumedEvaluatedAndPredicted(String flags) throws IOException {
    assertResumedEvaluatedAndPredicted(flags.split(" "));
  }

  /// Networks that have further dense layers.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--model gat --input-projection --feed-forward --activation gelu --norm layer --residual --ranks 2",
        "--model sage --feed-forward --mode minibatch --batch 60",
        "--model gcn --input-projection --ranks 2 --mode minibatch --batch 60 --remote historical"
      })
  void denseLayersAreTrainedResumedEvaluatedAndPredicted(String flags) throws IOException {
    assertResumedEvaluatedAndPredicted(flags.split(" "));
  }

  /// Hops of the features, which each command computes again.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--model sgc --hops 3",
        "--model sign --hidden 16,8 --ranks 2 --placement random",
        "--model sign --mode minibatch --batch 32 --ranks 2"
      })
  void hopsAreTrainedResumedEvaluatedAndPredicted(String flags) throws IOException {
    assertResumedEvaluatedAndPredicted(flags.split(" "));
  }

  private void assertResumedEvaluatedAndPredicted(String... words) throws IOException {
    JsonNode whole = train(words).json();
    List<String> half = new ArrayList<>(List.of(words));
    half.addAll(List.of("--epochs", "7", "--checkpoint-every", "7"));
    String run = train(half.toArray(String[]::new)).json().get("run_folder").asString();
    Cli rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q");
    assertThat(rest.err()).isEmpty();
    assertThat(rest.json().get("test_loss")).isEqualTo(whole.get("test_loss"));
    Cli evaluated = Cli.run("evaluate", run, "--json", "-q");
    assertThat(evaluated.json().get("test_loss").asDouble())
        .isCloseTo(whole.get("test_loss").asDouble(), within(1e-5));
    Path out = folder.resolve("residual");
    assertThat(Cli.run("predict", run, "--out", out.toString(), "-q", "--ranks", "2").status())
        .isZero();
    assertThat(Files.readAllLines(out.resolve("predictions.csv"))).hasSize(401);
  }

  /// A graph without types of edges has one relation.
  @Tag("slow")
  @Test
  void relationsAreTrainedResumedEvaluatedAndPredicted() throws IOException {
    String[] flags = {"--model", "rgcn", "--bases", "2"};
    JsonNode whole = train(flags).json();
    // Weights of the own row and of the relation, its coefficient, and a bias, of two layers.
    assertThat(whole.get("parameters").asInt())
        .isEqualTo(8 * 8 + 8 * 8 + 1 + 8 + 2 * 8 * 4 + 1 + 4);
    assertThat(whole.get("phase_seconds").get("spmm").asDouble()).isPositive();
    assertThat(whole.get("phase_seconds").get("attention").asDouble()).isZero();
    JsonNode two = train("--model", "rgcn", "--dropout", "0", "--ranks", "2").json();
    JsonNode one = train("--model", "rgcn", "--dropout", "0").json();
    assertThat(two.get("test_loss").asDouble())
        .isCloseTo(one.get("test_loss").asDouble(), within(1e-3));
    List<String> half = new ArrayList<>(List.of(flags));
    half.addAll(List.of("--epochs", "7", "--checkpoint-every", "7"));
    String run = train(half.toArray(String[]::new)).json().get("run_folder").asString();
    Cli rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q");
    assertThat(rest.err()).isEmpty();
    assertThat(rest.json().get("test_loss")).isEqualTo(whole.get("test_loss"));
    Cli evaluated = Cli.run("evaluate", run, "--json", "-q");
    assertThat(evaluated.json().get("test_loss").asDouble())
        .isCloseTo(whole.get("test_loss").asDouble(), within(1e-5));
    Path out = folder.resolve("relations");
    assertThat(Cli.run("predict", run, "--out", out.toString(), "-q", "--ranks", "2").status())
        .isZero();
    assertThat(Files.readAllLines(out.resolve("predictions.csv"))).hasSize(401);
    List<String> kept = new ArrayList<>(List.of(flags));
    kept.addAll(List.of("--remote", "historical", "--ranks", "2", "--cache-life", "2"));
    // Features and the output of a layer are kept.
    assertThat(minibatches(kept.toArray(String[]::new)).json().get("hit_rate").size()).isEqualTo(2);
  }

  private Cli minibatches(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--mode", "minibatch", "--model", "sage", "--batch", "60", "--split", "60/20/20"));
    arguments.addAll(List.of(more));
    return train(arguments.toArray(String[]::new));
  }

  @Test
  void historicalEmbeddingsTellWhatTheyDid() {
    JsonNode run =
        minibatches(
                "--remote", "historical", "--ranks", "2", "--push-limit", "50", "--cache-life", "2")
            .json();
    assertThat(run.get("remote").asString()).isEqualTo("historical");
    assertThat(run.get("on_miss").asString()).isEqualTo("drop");
    assertThat(run.get("push_limit").asInt()).isEqualTo(50);
    JsonNode rates = run.get("hit_rate");
    assertThat(rates.size()).isEqualTo(2);
    assertThat(rates.get(0).asDouble()).as("features are kept for good").isEqualTo(1);
    assertThat(rates.get(1).asDouble()).isStrictlyBetween(0.0, 1.0);
    JsonNode staleness = run.get("staleness");
    assertThat(staleness.get(0).asLong()).isZero();
    assertThat(staleness.get(1).asLong()).isPositive();
    assertThat(run.get("cache_life").asInt()).isEqualTo(2);
    assertThat(run.get("batches_fetched").asInt()).isZero();
    assertThat(run.get("graph").asString()).isEqualTo("halo");
    assertThat(run.get("bytes_features_once").asLong()).isPositive();
    assertThat(run.get("bytes_pushed_per_epoch").asLong()).isPositive();
    assertThat(run.get("bytes_fetched_per_epoch").asLong()).isZero();
    assertThat(run.get("map_share").asDouble()).isStrictlyBetween(0.0, 1.0);
  }

  @Test
  void subgraphsReadHistoricalEmbeddings() {
    JsonNode run =
        minibatches("--remote", "historical", "--ranks", "2", "--sampler", "saint-walk").json();
    assertThat(run.get("hit_rate").get(0).asDouble()).isEqualTo(1);
    assertThat(run.get("bytes_features_once").asLong()).isPositive();
    assertThat(run.get("bytes_fetched_per_epoch").asLong()).isZero();
  }

  @Test
  void minibatchesTellWhatTheyDid() {
    JsonNode run = minibatches("--fanout", "3,2", "--bulk", "2").json();
    assertThat(run.get("model").asString()).isEqualTo("sage");
    assertThat(run.get("sampler").asString()).isEqualTo("sage");
    assertThat(run.get("fanout").toString()).isEqualTo("[3,2]");
    assertThat(run.get("batch").asInt()).isEqualTo(60);
    assertThat(run.get("bulk").asInt()).isEqualTo(2);
    assertThat(run.get("batches").asInt()).isEqualTo(4);
    assertThat(run.get("sampled_edges_per_second").asDouble()).isPositive();
    for (String phase : List.of("sample", "fetch", "propagate", "evaluate")) {
      assertThat(run.get(phase + "_seconds").asDouble()).isPositive();
    }
    assertThat(run.get("bytes_fetched_per_epoch").asLong()).isZero();
    assertThat(run.get("cache_hit_rate").asDouble()).isZero();
  }

  @Tag("slow")
  @Test
  void theModelDependsOnNeitherBulkNorOverlap() throws IOException {
    byte[] model = model(minibatches("--bulk", "1", "--overlap", "off"));
    assertThat(model(minibatches("--bulk", "3", "--overlap", "off"))).isEqualTo(model);
    assertThat(model(minibatches("--overlap", "on", "--threads", "1"))).isEqualTo(model);
  }

  @Test
  void anInterruptedMinibatchRunIsResumedToTheSameBits() throws IOException {
    byte[] whole = model(minibatches("--sampler", "ladies", "--layer-sizes", "40"));
    Cli half =
        minibatches(
            "--sampler",
            "ladies",
            "--layer-sizes",
            "40",
            "--epochs",
            "7",
            "--checkpoint-every",
            "7");
    String run = half.json().get("run_folder").asString();
    Cli rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q");
    assertThat(rest.err()).isEmpty();
    assertThat(model(rest)).isEqualTo(whole);
  }

  @Test
  void anInterruptedHistoricalRunIsResumedToTheSameBits() throws IOException {
    String[] historical = {"--remote", "historical", "--ranks", "2", "--push-delay", "2"};
    Cli whole = minibatches(historical);
    List<String> arguments = new ArrayList<>(List.of(historical));
    arguments.addAll(List.of("--epochs", "7", "--checkpoint-every", "7"));
    Cli half = minibatches(arguments.toArray(String[]::new));
    String run = half.json().get("run_folder").asString();
    assertThat(half.json().get("cache_life").asInt()).as("measured").isGreaterThanOrEqualTo(2);
    assertThat(half.json().get("batches_fetched").asInt()).isPositive();
    Path first = Path.of(run, "checkpoint", "epoch-000007.rank-000.safetensors");
    assertThat(first).exists();
    Cli rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q");
    assertThat(rest.err()).isEmpty();
    assertThat(model(rest)).isEqualTo(model(whole));
    assertThat(first).doesNotExist();

    Cli alone = Cli.run("train", "--resume", run, "--epochs", "21", "--ranks", "3", "-q");
    assertThat(alone.status()).isEqualTo(2);
    assertThat(alone.err())
        .contains("expected the caches of 3 ranks, found those of 2")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--ranks 1|warning  --remote: one rank has no remote vertices; nothing is cached",
        "--ranks 2 --push-delay 3 --batch 900|warning  --push-delay: embeddings arrive after 3 batches but an epoch has 1 per rank, so none is read before epoch 4",
        "--ranks 2 --push-delay 99|warning  --push-delay: embeddings arrive after 99 batches but the run has",
        "--ranks 2 --cache-life 1 --push-delay 2|warning  --cache-life: embeddings are 2 batches old when they arrive and may be at most 1, so none is sent; raise --cache-life to --push-delay or more",
      })
  void oddHistoricalSettingsAreWarnedOf(String usage) {
    int bar = usage.indexOf('|');
    List<String> arguments =
        new ArrayList<>(
            List.of("train", "--data", grid.toString(), "--epochs", "4", "--model", "sage"));
    arguments.addAll(List.of("--mode", "minibatch", "--remote", "historical"));
    arguments.addAll(List.of("--cache-life", "2147483647", "--runs", folder.toString()));
    if (usage.contains("--cache-life")) {
      arguments.subList(arguments.size() - 4, arguments.size() - 2).clear();
    }
    arguments.addAll(List.of(usage.substring(0, bar).split(" ")));
    Cli run = Cli.run(arguments.toArray(String[]::new));
    assertThat(run.status()).isZero();
    assertThat(run.err()).contains(usage.substring(bar + 1));
  }

  @Tag("slow")
  @Test
  void partitionedGraphsAndCachesLeaveTheScoresAlone() {
    String[] step = {"--step-batches", "4", "--dropout", "0"};
    JsonNode one = minibatches(step).json();
    List<String> spread = new ArrayList<>(List.of(step));
    spread.addAll(List.of("--ranks", "4", "--graph", "partitioned", "--feature-cache", "2k"));
    JsonNode four = minibatches(spread.toArray(String[]::new)).json();
    assertThat(four.get("test_loss").asDouble())
        .isCloseTo(one.get("test_loss").asDouble(), within(1e-3));
    assertThat(four.get("bytes_fetched_per_epoch").asLong()).isPositive();
    assertThat(four.get("cache_hit_rate").asDouble()).isBetween(0.001, 0.999);
    assertThat(four.get("ranks").asInt()).isEqualTo(4);
  }

  /// Steps stay when there are more ranks, unless the batch is each rank's; a bulk is an epoch at
  /// most.
  @Tag("slow")
  @Test
  void ranksDivideTheBatchOfAStep() {
    JsonNode one = minibatches("--bulk", "1000000").json();
    JsonNode four = minibatches("--ranks", "4").json();
    JsonNode each = minibatches("--ranks", "4", "--batch-per-rank").json();
    assertThat(one.get("steps").asInt()).isEqualTo(4);
    assertThat(one.get("bulk").asInt()).isEqualTo(4);
    assertThat(four.get("steps").asInt()).isEqualTo(4);
    assertThat(four.get("batches").asInt()).isEqualTo(16);
    assertThat(four.get("batch_per_rank").asBoolean()).isFalse();
    assertThat(each.get("steps").asInt()).isEqualTo(1);
    assertThat(each.get("batches").asInt()).isEqualTo(4);
    assertThat(each.get("batch_per_rank").asBoolean()).isTrue();
  }

  @Test
  void evaluateRepeatsTheScoresOfMinibatchTraining() {
    JsonNode trained = minibatches().json();
    Cli evaluated = Cli.run("evaluate", trained.get("run_folder").asString(), "--json", "-q");
    for (String part : List.of("train_loss", "validation_loss", "test_loss")) {
      assertThat(evaluated.json().get(part).asDouble())
          .isCloseTo(trained.get(part).asDouble(), within(1e-4));
    }
  }

  @Test
  void theModelDoesNotDependOnTheNumberOfThreads() throws IOException {
    assertThat(model(train("--threads", "1"))).isEqualTo(model(train("--threads", "2")));
  }

  @Test
  void anInterruptedRunIsResumedToTheSameBits() throws IOException {
    byte[] whole = model(train());
    Cli half = train("--epochs", "7", "--checkpoint-every", "7");
    String run = half.json().get("run_folder").asString();
    Cli rest = Cli.run("train", "--resume", run, "--epochs", "20", "--json", "-q");
    assertThat(rest.err()).isEmpty();
    assertThat(rest.json().get("run_folder").asString()).isEqualTo(run);
    assertThat(model(rest)).isEqualTo(whole);
    assertThat(Files.readAllLines(Path.of(run, "metrics.jsonl"))).hasSize(20);
  }

  @Test
  void evaluateRepeatsTheScoresOfTraining() {
    JsonNode trained = train().json();
    Cli evaluated = Cli.run("evaluate", trained.get("run_folder").asString(), "--json", "-q");
    for (String part : List.of("train_accuracy", "validation_accuracy", "test_accuracy")) {
      assertThat(evaluated.json().get(part).asDouble()).isEqualTo(trained.get(part).asDouble());
    }
  }

  /// Bfloat16 has 8 bits; losses are below 2.
  @ParameterizedTest
  @CsvSource({"float32, 1e-4", "bf16, 8e-3"})
  void ranksSendWhatBenchExchangeSays(String wire, double tolerance) {
    JsonNode one = train("--dropout", "0").json();
    String flags = "--dropout 0 --ranks 4 --placement random --overlap off --wire " + wire;
    JsonNode four = train(flags.split(" ")).json();
    assertThat(four.get("wire").asString()).isEqualTo(wire);
    for (String part : List.of("train_loss", "validation_loss", "test_loss")) {
      assertThat(four.get(part).asDouble()).isCloseTo(one.get(part).asDouble(), within(tolerance));
    }
    Cli bench =
        Cli.run(
            "bench",
            "exchange",
            "--data",
            grid.toString(),
            "--parts",
            "4",
            "--placement",
            "random",
            "--features",
            "4",
            "--wire",
            wire,
            "--json",
            "-q");
    JsonNode exchange =
        bench
            .json()
            .get("exchanges")
            .valueStream()
            .filter(e -> e.get("replication").asInt() == 1)
            .filter(e -> e.get("exchange").asString().equals("sparsity-aware"))
            .findFirst()
            .orElseThrow();
    assertThat(four.get("rows_planned").asLong()).isEqualTo(exchange.get("rows").asLong());
    // Dense features: the first layer is aggregated beforehand; the second sends rows of width 4
    // forward and backward. The gradients and the loss are reduced: 2 (p - 1) / p of their bytes a
    // rank.
    long parameters = 8 * 8 + 8 + 8 * 4 + 4;
    assertThat(four.get("bytes_sent_per_epoch").get("total").asLong())
        .isEqualTo(2 * exchange.get("bytes_total").asLong() + 2 * 3 * (4 * parameters + 8));
  }

  @Test
  void aPartFileIsCheckedBeforeAnythingIsWritten() throws IOException {
    Path parts = Files.writeString(folder.resolve("grid.part.2"), "0\n1\n2\n".repeat(133) + "0\n");
    Cli run = train("--ranks", "2", "--placement", parts.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .contains("grid.part.2: line 3: expected a part number from 0 to 1, found '2'");
    assertThat(folder.resolve("runs")).doesNotExist();
  }

  @Test
  void dividesAGraphAndJudgesAnyPartFile() {
    Path parts = folder.resolve("grid.part");
    Cli made = divide("--parts", "4", "-o", parts.toString());
    assertThat(made.status()).as(made.err()).isZero();
    assertThat(made.json().propertyNames())
        .contains(
            "method",
            "parts",
            "edge_cut",
            "total_volume",
            "max_send_volume",
            "avg_send_volume",
            "max_receive_volume",
            "vertex_imbalance",
            "nonzero_imbalance",
            "train_imbalance",
            "seconds",
            "peak_rss_bytes");
    assertThat(made.json().get("vertex_imbalance").asDouble()).isLessThan(0.0301);
    assertThat(folder.resolve("grid.part.npy")).exists();
    JsonNode judged = divide("--report", parts.toString()).json();
    for (String name : List.of("parts", "edge_cut", "total_volume", "max_send_volume")) {
      assertThat(judged.get(name)).isEqualTo(made.json().get(name));
    }
    Path relative = Path.of("").toAbsolutePath().relativize(parts);
    JsonNode placed = train("--ranks", "4", "--placement", relative.toString()).json();
    assertThat(placed.get("rows_planned").asLong())
        .isEqualTo(made.json().get("total_volume").asLong());
    // The run may be resumed from another folder.
    assertThat(Path.of(placed.get("run_folder").asString(), "config.yaml"))
        .content()
        .contains("placement: \"%s\"".formatted(parts));
  }

  private Cli divide(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("partition", "--data", grid.toString(), "--json", "-q"));
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  @Test
  void ranksArePlacedByAPartitionerUnlessToldOtherwise() {
    JsonNode run = train("--ranks", "4").json();
    assertThat(run.get("partition_method").asString()).isEqualTo("gvb");
    assertThat(run.get("partition_seconds").asDouble()).isPositive();
    for (String way : List.of("sent", "received")) {
      assertThat(run.get("max_rows_" + way).asLong())
          .isPositive()
          .isLessThan(run.get("max_rows_" + way + "_block_placement").asLong());
    }
    assertThat(train("--ranks", "4", "--placement", "block").json().has("partition_method"))
        .isFalse();
  }

  @Test
  void everyRunSaysWhatItSentAndATraceIsMadeForThoseWhoAsk() {
    JsonMapper mapper = new JsonMapper();
    for (String flag : List.of("--trace=0", "--trace", "--trace=2")) {
      JsonNode run = train("--ranks", "2", "--epochs", "7", flag).json();
      assertThat(run.get("phase_seconds").propertyNames())
          .containsExactly(
              "spmm",
              "matmul",
              "attention",
              "exchange",
              "sample",
              "fetch",
              "map",
              "reduce",
              "other");
      Path path = Path.of(run.get("run_folder").asString());
      JsonNode sent = mapper.readTree(path.resolve("traffic.json").toFile()).get("sent");
      long epoch = 0;
      for (JsonNode rank : sent) {
        assertThat(rank.get("epochs").get(0).get("last").asInt()).isEqualTo(7);
        epoch += rank.get("epochs").get(0).get("bytes").asLong();
      }
      assertThat(epoch).isEqualTo(run.get("bytes_sent_per_epoch").get("total").asLong());
      Path trace = path.resolve("trace.json");
      assertThat(Files.exists(trace)).isEqualTo(!flag.equals("--trace=0"));
      if (Files.exists(trace)) {
        List<String> epochs =
            mapper
                .readTree(trace.toFile())
                .get("traceEvents")
                .valueStream()
                .filter(event -> event.get("pid").asInt() == 1)
                .map(event -> event.get("name").asString())
                .filter(name -> name.startsWith("epoch "))
                .toList();
        assertThat(epochs).hasSize(flag.equals("--trace") ? 5 : 2).startsWith("epoch 1", "epoch 2");
      }
    }
  }

  @Test
  void oneRankHasNoTrafficButATrace() {
    JsonNode run = train("--trace=1").json();
    Path path = Path.of(run.get("run_folder").asString());
    JsonMapper mapper = new JsonMapper();
    JsonNode traffic = mapper.readTree(path.resolve("traffic.json").toFile());
    assertThat(traffic.get("sent")).hasSize(1);
    assertThat(traffic.get("sent").get(0).get("run").get("bytes").asLong()).isZero();
    assertThat(
            mapper.readTree(path.resolve("trace.json").toFile()).get("traceEvents").valueStream())
        .extracting(event -> event.get("args").path("name").asString(event.get("name").asString()))
        .contains("rank 0 compute", "epoch 1", "spmm layer 2 backward", "matmul weight gradient");
  }

  @Test
  void predictWritesOneRowForEachVertex() throws IOException {
    String run = train().json().get("run_folder").asString();
    Path out = folder.resolve("predictions");
    Cli predicted = Cli.run("predict", run, "--out", out.toString(), "--embeddings", "-q");
    assertThat(predicted.status()).isZero();
    List<String> lines = Files.readAllLines(out.resolve("predictions.csv"));
    assertThat(lines).hasSize(401);
    assertThat(lines.getFirst()).isEqualTo("vertex,class,probability");
    assertThat(lines.get(1)).matches("0,[^,]+,[01]\\.[0-9]{6}");
    try (Arena arena = Arena.ofConfined()) {
      NpyFile.map(arena, out.resolve("probabilities.npy"), NpyFile.Type.FLOAT32, 400, 4);
      NpyFile.map(arena, out.resolve("embeddings.npy"), NpyFile.Type.FLOAT32, 400, 8);
    }
  }

  @Test
  void aConfigFileGivesDefaultsAndFlagsWin() throws IOException {
    Path config = Files.writeString(folder.resolve("c.yaml"), "hidden: [5]\nepochs: 3\nseed: 9\n");
    JsonNode run =
        Cli.run(
                "train",
                "--data",
                grid.toString(),
                "--config",
                config.toString(),
                "--seed",
                "4",
                "--json",
                "-q",
                "--runs",
                folder.resolve("runs").toString())
            .json();
    assertThat(run.get("epochs").asInt()).isEqualTo(3);
    assertThat(run.get("seed").asInt()).isEqualTo(4);
    assertThat(run.get("parameters").asInt()).isEqualTo(8 * 5 + 5 + 5 * 4 + 4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "train --data nowhere|expected a built-in name (jdk-classes, debian-packages) or an existing file or folder, found nowhere",
        "train --epochs 0|--epochs: expected at least 1, found 0",
        "train --epochs many|Invalid value for option '--epochs'",
        "train --dropout 1|--dropout: expected 0 <= rate < 1, found 1.0",
        "train --hidden 0|--hidden: expected at least 1, found 0",
        "train --layers 0|--layers: expected at least 1, found 0",
        "train --layers 4 --hidden 8,8|--hidden: expected 1 or 3 widths for 4 layers, found 2",
        "train --model cnn|--model: expected one of gcn, sage, gat, rgcn, rsage, gin, appnp, gcnii, sgc, sign, mlp, found cnn",
        "train --lr -1|--lr: expected a positive number, found -1.0",
        "train --optimizer lbfgs|--optimizer: expected adam, adamw or sgd, found lbfgs",
        "train --schedule linear|--schedule: expected constant, step or cosine, found linear",
        "train --normalisation both|expected one of symmetric, row-mean, none, found 'both'",
        "train --memory lots|--memory: expected a number of bytes such as 8g or 500m, found lots",
        "train --threads 0|--threads: expected at least 1, found 0",
        "train --matmul fast|--matmul: expected java or onednn[:LIBRARY], found fast",
        "train --split 50/50|expected train/validation/test in percent",
        "train --format gml|--format: expected one of dataset, planetoid",
        "train --config nowhere.yaml|nowhere.yaml",
        "train --resume nowhere|nowhere: expected a run folder with config.yaml, found none",
        "train --colour red|Unknown option",
        "evaluate nowhere|nowhere: expected a model file or a run folder, found nothing",
        "predict|RUN: expected the folder of a training run or a model file, found none",
        "evaluate --run nowhere|nowhere: expected a model file or a run folder, found nothing",
        "calibrate|RUN: expected the folder of a training run or a model file, found none",
        "calibrate nowhere|nowhere: expected a model file or a run folder, found nothing",
        "export nowhere --out m|nowhere: expected a model file or a run folder, found nothing",
        "export --out m|Missing required parameter: 'RUN'",
        "export nowhere --format csv --out m|expected one of onnx, safetensors, npy, parquet, found 'csv'",
        "help nothing|Unknown subcommand 'nothing'.",
        "dataset build rmat --scale 31|--scale: expected 1 to 30, found 31",
        "dataset build sbm --inside 2|--inside: expected 0 to 1, found 2.0",
        "dataset build sbm --degree 0|--degree: expected more than 0, found 0.0",
        "dataset build rmat --quadrants 0.6,0.3|--quadrants: expected 3 numbers, found 2",
        "dataset build rmat --quadrants 0.6,0.3,0.2|--quadrants: expected a more than 0",
        "dataset build rmat --edge-factor 0|--edge-factor: expected more than 0, found 0.0",
        "dataset build bter --max-degree 1|--max-degree: expected 3 to 9999, found 1",
        "dataset build bter --clustering 2|--clustering: expected 0 to 1, found 2.0",
        "dataset build grid --rows 0|--rows: expected at least 1, found 0",
        "dataset build grid --inside 0.5|Unknown option",
        "dataset build grid --split 1/2/3|--split: expected train/validation/test in percent",
        "dataset build classpath --classpath nowhere.jar|nowhere.jar",
        "dataset build jdk-classes --label colour|--label: expected package or module, found colour",
        "dataset build debian-packages --lists nowhere|nowhere: expected apt's lists of packages (*_Packages), found none; on Debian",
        "dataset build jdk-classes --hub-limit few|--hub-limit: expected a number or none, found few",
        "train --ranks 0|--ranks: expected at least 1, found 0",
        "train --ranks 4 --replication 3|--replication: expected C with C and C*C dividing 4 ranks",
        "train --overlap maybe|--overlap: expected on or off, found maybe",
        "train --wire half|expected one of float32, bf16, found 'half'",
        "train --exchange psychic|expected one of oblivious, sparsity-aware, found 'psychic'",
        "train --ranks 2 --link fast|link: expected a latency and a time per byte, found 'fast'",
        "train --ranks 2 --timeout 0|--timeout: expected at least 1, found 0",
        "train --trace=-1|--trace: expected at least 0, found -1",
        "train --trace=some|Invalid value for option '--trace'",
        "train --feature-scaling log|--feature-scaling: expected none, row or standard, found log",
        "train --mode both|expected one of auto, full-graph, minibatch, found 'both'",
        "train --fanout 5|--fanout: a flag of --mode minibatch; add that or leave it out",
        "train --batch-per-rank|--batch-per-rank: a flag of --mode minibatch",
        "plan --momentum 0.5|--momentum: a flag of --optimizer sgd; add that or leave it out",
        "train --sampler sage --fanout 5 --layer-sizes 9 --walk-length 2 --batch 5 --batch-per-rank --bulk 2 --step-batches 2 --test-fanout 5 --graph partitioned --feature-cache 1m|--sampler, --fanout, --layer-sizes, --walk-length, --batch, --batch-per-rank, --bulk, --step-batches, --test-fanout, --graph, --feature-cache: a flag of --mode minibatch",
        "train --momentum 0.8|--momentum: a flag of --optimizer sgd; add that or leave it out",
        "train --step-every 7 --step-factor 0.1|--step-every, --step-factor: a flag of --schedule step",
        "train --beta1 1|--beta1: expected 0 <= rate < 1, found 1.0",
        "train --beta2 0.99999999|--beta2: expected 0 <= rate < 1, found 0.99999999, which is 1 as a float32",
        "train --optimizer sgd --beta2 0.9|--beta2: a flag of --optimizer adam; add that or leave it out",
        "train --warmup -1|--warmup: expected at least 0, found -1",
        "train --batch 5 --bulk auto|--batch, --bulk: a flag of --mode minibatch",
        "train --model sage --normalisation symmetric|--normalisation: sage takes the mean",
        "train --mode minibatch --model mlp --sampler sage|--sampler: --model mlp does not look at neighbours; expected none, found sage",
        "train --mode minibatch --sampler none|--sampler: --model gcn looks at neighbours; expected a sampler of some, found none",
        "train --mode minibatch --model sgc --fanout 5|--fanout: not a setting of --sampler none; leave it out",
        "train --mode minibatch --model sign --test-fanout 5|--test-fanout: --model sign does not look at neighbours; leave it out",
        "train --mode minibatch --model sign --ranks 2 --remote historical|--remote: --model sign does not look at remote vertices; leave it out",
        "train --model sgc --hops 0|--hops: expected at least 1, found 0",
        "train --model sgc --teleport 0.1|--teleport: --model sgc does not read it; leave it out",
        "train --model sign --layers 1|--layers: sign has a hidden layer for each hop; expected at least 2, found 1",
        "train --model sign --hidden 8,8 --residual|--hidden: expected one width for all hidden layers with --residual, found [24, 8]",
        "train --heads 2|--heads: --model gcn does not read it; leave it out",
        "train --model sage --gat-variant mb|--gat-variant: --model sage does not read it; leave it out",
        "train --attention-dropout 0.1|--attention-dropout: --model gcn does not read it; leave it out",
        "train --model gat --gat-variant v3|expected one of mb, standard, v2, found 'v3'",
        "train --hops 2|--hops: --model gcn does not read it; leave it out",
        "train --model appnp --lambda 1|--lambda: --model appnp does not read it; leave it out",
        "train --model appnp --norm layer|--norm: --model appnp does not read it; leave it out",
        "train --model gcnii --residual|--residual: --model gcnii does not read it; leave it out",
        "train --bases 2|--bases: --model gcn does not read it; leave it out",
        "train --model rgcn --bases 65|--bases: expected 1 to 64, found 65",
        "train --model rgcn --self-loops|--self-loops: rgcn has separate weights",
        "train --model rsage --self-loops|--self-loops: rsage has separate weights",
        "train --model rsage --bases 2|--bases: --model rsage does not read it; leave it out",
        "train --model rsage --mode minibatch --sampler ladies|--sampler: rsage takes the mean",
        "train --model sgc --edge-dropout 0.2|--edge-dropout: --model sgc does not look at edges in training",
        "train --model gat --no-self-loops --edge-dropout 0.2|--edge-dropout: --model gat normalises over the edges that are left",
        "train --edge-dropout 1|--edge-dropout: expected 0 <= rate < 1, found 1.0",
        "train --model rgcn --normalisation none|--normalisation: --model rgcn weighs neighbours itself",
        "train --model rgcn --mode minibatch --sampler ladies|--sampler: rgcn takes the mean",
        "train --decoder dot|--decoder: only --task links compares vertices; leave it out",
        "train --task links --decoder cosine|expected one of dot, distmult, bilinear, mlp, found 'cosine'",
        "train --model appnp --hops 0|--hops: expected at least 1, found 0",
        "train --model appnp --hops 1001|--hops: expected at most 1000, found 1001",
        "train --model appnp --teleport 1|--teleport: expected 0 <= rate < 1, found 1.0",
        "train --model gcnii --lambda 2|--lambda: expected more than 0 and at most e - 1 = 1.718, found 2.0",
        "train --model gcnii --layers 1|--layers: gcnii has a convolution for each hidden layer; expected at least 2, found 1",
        "train --model gcnii --hidden 8,4|--hidden: expected one width for all convolutions of gcnii, found [8, 4]",
        "train --model gat --normalisation none|--normalisation: --model gat weighs neighbours itself; leave it out",
        "train --model gat --hidden 30|--hidden: expected a multiple of the 4 heads, found 30",
        "train --model gat --heads 0|--heads: expected at least 1, found 0",
        "train --layers 1 --norm layer|--norm: a network of one layer has no hidden layer that it could belong to; leave it out",
        "train --layers 1 --activation gelu|--activation: a network of one layer has no hidden layer",
        "train --residual|--residual: expected at least 2 hidden layers, found 1; set --layers to 3 or more",
        "train --hidden 64,32 --residual|--hidden: expected one width for all hidden layers with --residual, found [64, 32]",
        "train --norm batches|expected one of none, layer, batch, found 'batches'",
        "train --jumping lstm|expected one of none, concat, max, sum, found 'lstm'",
        "train --layers 1 --jumping max|--jumping: a network of one layer has no hidden layer that it could belong to; leave it out",
        "train --model mlp --jumping max|--jumping: --model mlp does not look at neighbours; leave it out",
        "train --model gcnii --layers 3 --jumping max|--jumping: --model gcnii does not read it; leave it out",
        "train --hidden 64,32 --jumping sum|--hidden: expected one width for all hidden layers with --jumping sum, found [64, 32]",
        "train --layers 1 --input-projection|--input-projection: a network of one layer has no hidden layer that it could belong to; leave it out",
        "train --model mlp --input-projection|--input-projection: --model mlp does not look at neighbours; leave it out",
        "train --model appnp --input-projection|--input-projection: --model appnp does not read it; leave it out",
        "train --layers 1 --feed-forward|--feed-forward: a network of one layer has no hidden layer that it could belong to; leave it out",
        "train --model gcnii --layers 3 --feed-forward|--feed-forward: --model gcnii does not read it; leave it out",
        "train --model gat --attention-dropout 1|--attention-dropout: expected 0 <= rate < 1, found 1.0",
        "train --model gat --ranks 2 --exchange oblivious|--exchange: gat needs the rows of all neighbours",
        "train --model gat --ranks 4 --replication 2|--replication: gat needs the rows of all neighbours",
        "train --mode minibatch --sampler dice|expected one of sage, ladies, fastgcn, saint-node",
        "train --mode minibatch --fanout 5,5,5|--fanout: expected 1 or 2 numbers for 2 layers, found 3",
        "train --mode minibatch --fanout 0|--fanout: expected at least 1, found 0",
        "train --mode minibatch --layer-sizes 9|--layer-sizes: not a setting of --sampler sage; leave it out",
        "train --mode minibatch --sampler ladies --fanout 9|--fanout: not a setting of --sampler ladies",
        "train --mode minibatch --walk-length 2|--walk-length: not a setting of --sampler sage",
        "train --mode minibatch --sampler saint-walk --walk-length 0|--walk-length: expected at least 1",
        "train --mode minibatch --batch 0|--batch: expected at least 1, found 0",
        "train --mode minibatch --bulk many|--bulk: expected a number or auto, found many",
        "train --mode minibatch --bulk 0|--bulk: expected at least 1, found 0",
        "train --mode minibatch --ranks 4 --step-batches 6|--step-batches: expected a multiple of the 4 ranks",
        "train --mode minibatch --normalisation none|--sampler: sage takes the mean of what it draws; expected --normalisation row-mean",
        "train --mode minibatch --sampler ladies --test-fanout 3|--test-fanout: takes the mean of what it draws",
        "train --mode minibatch --model sage --test-fanout 1,2,3|--test-fanout: expected 1 or 2 numbers",
        "train --mode minibatch --feature-cache lots|--feature-cache: expected a number of bytes",
        "train --mode minibatch --graph torn|expected one of replicated, partitioned, found 'torn'",
        "train --mode minibatch --exchange oblivious|--exchange: minibatches fetch what they need",
        "train --mode minibatch --sampler saint-node --ranks 2 --placement random|--sampler: subgraphs of a rank's own vertices (--placement) need",
        "train --mode minibatch --ranks 2 --placement nowhere|--placement: expected one of block,",
        "train --remote historical|--remote: a flag of --mode minibatch; add that or leave it out",
        "train --cache-life 3|--cache-life: a flag of --mode minibatch --remote historical",
        "train --mode minibatch --on-miss drop|--on-miss: a flag of --remote historical; add that or leave it out",
        "train --mode minibatch --remote memory|expected one of fetch, historical, found 'memory'",
        "train --mode minibatch --remote historical --cache-lines -1|--cache-lines: expected at least 0, found -1",
        "train --mode minibatch --remote historical --push-delay 0|--push-delay: expected at least 1, found 0",
        "train --mode minibatch --remote historical --cache-life long|--cache-life: expected a number of batches or auto, found long",
        "train --mode minibatch --remote historical --cache-life -1|--cache-life: expected at least 0, found -1",
        "train --mode minibatch --ranks 2 --remote historical --sampler saint-walk --on-miss fetch|--on-miss: saint-walk draws among the vertices of a rank and computes no others; expected drop, found fetch",
        "train --mode minibatch --remote historical --bulk 4|--bulk: with historical embeddings (--remote) each batch",
        "train --mode minibatch --remote historical --overlap off|--overlap: historical embeddings (--remote) always travel",
        "train --mode minibatch --remote historical --graph partitioned|--graph: a rank that drops misses sees no remote rows",
        "train --replication 0|--replication: expected at least 1, found 0",
        "partition|--parts: expected a number of parts, found none",
        "partition --parts 0|--parts: expected 1 to",
        "partition --parts 2 --method magic|--method: expected one of block,",
        "partition --parts 2 --nonzero-imbalance x|--nonzero-imbalance: expected a number of at least 0",
        "partition --report nowhere|--report: expected an existing part file, found nowhere",
        "train --ranks 2 --placement nowhere|--placement: expected one of block,",
        "bench exchange --parts 0|--parts: expected at least 1, found 0",
        "frobnicate|Unmatched argument",
      })
  void badUsageIsOneLineAndStatusTwo(String usage) {
    int bar = usage.indexOf('|');
    Cli run = Cli.run(usage.substring(0, bar).split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    // The first command that needs the built-in graph says that it built it.
    List<String> lines =
        run.err()
            .lines()
            .filter(line -> line.startsWith("gossamer: "))
            .filter(line -> !line.startsWith("gossamer: built jdk-classes "))
            .toList();
    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst()).contains(usage.substring(bar + 1));
    assertThat(run.err()).doesNotContain("\tat ");
  }

  @Test
  void anUnknownKeyOfAConfigFileIsRefused() throws IOException {
    Path config = Files.writeString(folder.resolve("c.yaml"), "epochs: 3\nhiden: 8\n");
    Cli run = Cli.run("train", "--config", config.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("c.yaml: hiden: expected a flag of 'gossamer train'");
  }

  /// Bytes that must fit: all that is estimated but mapped files.
  private static long needed(Cli run) {
    return run.json().get("estimated_bytes").asLong()
        - run.json().get("estimated_mapped_bytes").asLong();
  }

  /// Remote rows in blocks of columns change no bit; what is not kept but recomputed is rounded
  /// otherwise.
  @Test
  void littleMemoryIsSavedByWhatCostsLeast() throws IOException {
    Cli usual = train("--ranks", "4", "--epochs", "3");
    long estimated = needed(usual);
    assertThat(usual.json().get("columns_at_once").asInt()).isEqualTo(8);
    assertThat(usual.json().get("first_layer").asString()).isEqualTo("aggregated-once");

    Cli narrow = train("--ranks", "4", "--epochs", "3", "--memory", "" + (estimated - 1));
    assertThat(narrow.json().get("columns_at_once").asInt()).isEqualTo(4);
    assertThat(needed(narrow)).isLessThan(estimated);
    assertThat(narrow.json().get("exchange_buffer_bytes").asLong())
        .isEqualTo(usual.json().get("exchange_buffer_bytes").asLong() / 2);
    assertThat(model(narrow)).isEqualTo(model(usual));

    Cli alone = train("--epochs", "3");
    long whole = needed(alone);
    String runs = folder.resolve("runs").toString();
    Cli recomputed =
        Cli.run(
            "train",
            "--data",
            grid.toString(),
            "--hidden",
            "8",
            "--epochs",
            "3",
            "--runs",
            runs,
            "--json",
            "--memory",
            "" + (whole - 1));
    assertThat(recomputed.err())
        .containsPattern(
            "products layer 1 transforms, then aggregates in every epoch.*: the usual method needs .* MiB");
    assertThat(recomputed.json().get("first_layer").asString()).isEqualTo("transform-first");
    assertThat(recomputed.json().get("test_loss").asDouble())
        .isCloseTo(alone.json().get("test_loss").asDouble(), within(1e-3));
  }

  @Test
  void tooLittleMemoryIsRefusedWithTheNearestWidth() {
    Cli run = train("--hidden", "200000", "--memory", "700m", "--mode", "full-graph");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("gossamer: memory: the run needs ")
        .containsPattern("--hidden [0-9]+ fits");
    assertThat(folder.resolve("runs")).doesNotExist();
  }

  @Test
  void stacktraceIsThereForThoseWhoAsk() {
    assertThat(Cli.run("train", "--epochs", "0", "--stacktrace").err()).contains("\tat ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "train --help",
        "help train",
        "help prune",
        "evaluate --help",
        "predict --help",
        "calibrate --help",
        "export --help",
        "info --help",
        "dataset --help",
        "dataset info --help",
        "dataset convert --help",
        "dataset build --help",
        "dataset build rmat --help",
      })
  void helpHasExamplesAndStatusZero(String usage) {
    Cli run = Cli.run(usage.split(" "));
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("Usage: gossamer").containsPattern("Examples?:");
  }

  @ParameterizedTest
  @CsvSource({
    "train, Data Model Training Minibatches Ranks Machine Output, --hidden --epochs --seed --trace",
    "evaluate, Data Ranks Machine Output, --fanout --ranks --threads --json",
    "predict, Data Ranks Machine Output, --fanout --ranks --embeddings --json",
    "calibrate, Data Ranks Machine Decision Output, --fanout --ranks --threshold --out --json",
    "partition, Data Partition Machine Output, --split --parts --memory --json",
  })
  void helpPutsEveryFlagUnderAHeading(String command, String headings, String flags) {
    String help = Cli.run(command, "--help").out();
    List<String> lines = help.lines().toList();
    List<String> expected = Arrays.stream(headings.split(" ")).map(name -> name + ":").toList();
    assertThat(lines.stream().filter(expected::contains)).containsExactlyElementsOf(expected);
    assertThat(help).doesNotContain("--run=");
    for (String flag : flags.split(" ", -1)) {
      assertThat(lines).filteredOn(line -> line.matches(" .*" + flag + "\\b.*")).isNotEmpty();
    }
  }

  @Test
  void namesAreReadInAnyCase() {
    String full =
        "--model GCN --optimizer ADAM --schedule COSINE --mode FULL-GRAPH --exchange OBLIVIOUS"
            + " --overlap ON --placement GVB --wire FLOAT32 --normalisation SYMMETRIC"
            + " --weight-decay-on FIRST --feature-scaling ROW --matmul JAVA --ranks 2 --format DATASET";
    JsonNode run = train(full.split(" ")).json();
    assertThat(run.get("model").asString()).isEqualTo("gcn");
    assertThat(run.get("partition_method").asString()).isEqualTo("gvb");
    String sampled = "--mode MINIBATCH --model SAGE --sampler SAGE --bulk AUTO --graph REPLICATED";
    assertThat(train(sampled.split(" ")).json().get("sampler").asString()).isEqualTo("sage");
  }

  @Test
  void anUnfinishedRunNamesTheCommandThatFinishesIt() throws IOException {
    String run = train().json().get("run_folder").asString();
    Path model = Path.of(run, "model.safetensors");
    Files.delete(model);
    for (String command : List.of("evaluate", "predict", "calibrate")) {
      Cli refused = Cli.run(command, run);
      assertThat(refused.status()).isEqualTo(2);
      assertThat(refused.err())
          .isEqualTo(
              "gossamer: %s: expected a trained model, found none; finish the run with: gossamer train --resume %s%n"
                  .formatted(model, run));
    }
  }

  /// However the model was trained and whatever split its run asked for: by the run or the model
  /// file alone, on ranks, with sampled neighbours.
  @Test
  void dataWithoutLabelsArePredictedAndNotEvaluated() throws IOException {
    Path unlabelled = Files.createDirectory(folder.resolve("unlabelled"));
    try (Stream<Path> files = Files.list(grid)) {
      for (Path file :
          files
              .filter(each -> !each.endsWith("labels.npy") && !each.endsWith("SHA256SUMS"))
              .toList()) {
        Files.copy(file, unlabelled.resolve(file.getFileName()));
      }
    }
    List<String> runs =
        List.of(
            train("--split", "50/25/25").json().get("run_folder").asString(),
            minibatches("--fanout", "3,2").json().get("run_folder").asString());
    for (String run : runs) {
      for (String model : List.of(run, run + "/model.safetensors")) {
        for (String way : List.of(model.equals(run) ? "" : " --ranks 3", " --fanout 2")) {
          Path out = folder.resolve("out");
          String command = "predict " + model + " --data " + unlabelled + " --out " + out + way;
          Cli predicted = Cli.run((command + " -q").split(" "));
          assertThat(predicted.status()).as(command + ": " + predicted.err()).isZero();
          assertThat(Files.readAllLines(out.resolve("predictions.csv"))).hasSize(401);
        }
        Cli refused = Cli.run("evaluate", model, "--data", unlabelled.toString(), "-q");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err())
            .isEqualTo(
                "gossamer: grid: expected labels to score the model on, found none; predicting needs none%n"
                    .formatted());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "train --epochs 0 --json",
        "train --epochs many --json",
        "train --json --data nowhere",
        "train --json --config nowhere.yaml",
        "train --json --colour red",
        "evaluate --json",
        "predict nowhere --json",
        "calibrate nowhere --json",
        "partition --json",
        "prune evaluate nowhere --json",
        "dataset build grid --rows 0 --json",
      })
  void withJsonAFailureIsOneObject(String usage) {
    Cli run = Cli.run(usage.split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out().strip().lines()).hasSize(1);
    JsonNode failure = run.json();
    assertThat(failure.propertyNames()).containsExactly("schema_version", "error", "exit_status");
    assertThat(failure.get("schema_version").asInt()).isEqualTo(JsonOutput.VERSION);
    assertThat(failure.get("exit_status").asInt()).isEqualTo(2);
    assertThat(run.err()).startsWith("gossamer: " + failure.get("error").asString());
  }

  @Test
  void withJsonAnInterruptedRunIsOneObject() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = new CommandLine(new TrainCommand());
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    CommonOptions common = new CommonOptions();
    common.json = true;
    int status = Failures.interrupted(line.getCommandSpec(), common, "interrupted after epoch 3");
    assertThat(status).isEqualTo(130);
    assertThat(err.toString().strip()).isEqualTo("gossamer: interrupted after epoch 3");
    assertThat(out.toString().strip())
        .isEqualTo(
            "{\"schema_version\":1,\"error\":\"interrupted after epoch 3\",\"exit_status\":130}");
  }

  @Test
  void infoAlignsWordsAndNumbersAndNestsProvenance() {
    List<String> lines =
        Cli.run("dataset", "info", "--data", grid.toString()).out().lines().toList();
    assertThat(lines.subList(0, lines.indexOf("")))
        .allMatch(line -> line.matches(".{17}  \\S.*"))
        .contains("vertices           400", "directed           no", "feature kind       dense")
        .containsSequence("provenance         cols 20", "                   generator grid");
  }

  @Test
  void thePlanIsSaidInWords() {
    String[] data = {"train", "--data", grid.toString(), "--epochs", "1", "--runs", folder + "/r"};
    List<String> wide = new ArrayList<>(List.of(data));
    wide.addAll(List.of("--hidden", "16,4"));
    assertThat(Cli.run(wide.toArray(String[]::new)).err().lines())
        .containsSequence(
            "model    gcn  8 > 16 > 4 > 4  232 parameters",
            "         layer 1 transforms its input, which is aggregated once;"
                + " layer 2 transforms, then aggregates; layer 3 transforms, then aggregates");
    List<String> mlp = new ArrayList<>(List.of(data));
    mlp.addAll(List.of("--model", "mlp"));
    assertThat(Cli.run(mlp.toArray(String[]::new)).err())
        .contains("         each layer transforms\n");
  }

  @Test
  void infoAndListSpeakJson() {
    assertThat(Cli.run("info", "--json").json().propertyNames())
        .contains("jdk", "vector_bits", "matmul", "threads", "memory_bytes");
    JsonNode list = Cli.run("dataset", "list", "--json").json();
    assertThat(list.get("built_in").get(0).asString()).isEqualTo("jdk-classes");
    assertThat(list.get("generators").toString()).contains("rmat", "sbm", "bter", "grid");
    List<String> formats = new ArrayList<>();
    list.get("formats").forEach(format -> formats.add(format.asString()));
    assertThat(list.get("published")).isNotEmpty();
    list.get("published")
        .forEach(data -> {
          assertThat(formats).contains(data.get("format").asString());
          for (String field : List.of("name", "title", "source", "licence", "data")) {
            assertThat(data.get(field).asString()).as(field).isNotBlank();
          }
        });
  }

  @Test
  void listShowsEveryFormatWithWhatItIs() {
    String list = Cli.run("dataset", "list").out();
    assertThat(list.lines())
        .anyMatch(line -> line.matches("built in +jdk-classes +references between .*"))
        .anyMatch(line -> line.matches(" +debian-packages +dependencies between the packages .*"))
        .anyMatch(line -> line.matches("generators +jdk-classes +Build the graph .*"))
        .anyMatch(line -> line.matches("formats +dataset +a folder with dataset.json"))
        .anyMatch(line -> line.matches(" +npz +an .npz archive .*"))
        .anyMatch(line -> line.matches("published +title +from +licence +format +--data"))
        .anyMatch(line -> line.matches("ogbn-products .* Open Graph Benchmark, .* ogb +products"));
    assertThat(Cli.run("partition", "--help").out())
        .containsPattern("gvb +total volume and the most that a rank sends or receives")
        .containsPattern("Examples:");
  }

  @Test
  void aFileThatCannotBeReadIsNotSaidToBeConverted() throws IOException {
    Path bad = Files.writeString(folder.resolve("bad.txt"), "0 1\n1 x\n");
    Cli refused = Cli.run("dataset", "info", "--data", bad.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err().lines())
        .containsExactly("gossamer: " + bad + ": line 2: expected a vertex id, found 'x'");
    Path good = Files.writeString(folder.resolve("good.txt"), "0 1\n1 2\n");
    Cli converted = Cli.run("dataset", "info", "--data", good.toString(), "--format", "EDGES");
    assertThat(converted.err().lines())
        .singleElement()
        .asString()
        .startsWith("gossamer: converted " + good + " to ");
    Path out = folder.resolve("parts");
    Cli divided =
        Cli.run(
            "partition",
            "--data",
            grid.toString(),
            "--parts",
            "2",
            "--method",
            "BLOCK",
            "--out",
            out.toString(),
            "--json",
            "-q");
    assertThat(divided.json().get("method").asString()).isEqualTo("block");
  }

  @Test
  void aRawFileIsConvertedOnceAndTrainsWithoutFeaturesNever() throws IOException {
    Path edges = Files.writeString(folder.resolve("edges.txt"), "0 1\n1 2\n2 0\n");
    Cli info = Cli.run("dataset", "info", "--data", edges.toString(), "--json");
    assertThat(info.json().get("edges").asInt()).isEqualTo(3);
    Cli run = Cli.run("train", "--data", edges.toString(), "-q");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .contains("expected features to train on, found none; --features adds some: FILE.npy");
  }

  @Test
  void aBareGraphIsTrainedOnWithFeaturesAndLabels() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int v = 0; v < 200; v++) {
      text.append(v).append(' ').append((v + 1) % 200).append('\n');
    }
    Path edges = Files.writeString(folder.resolve("cycle.txt"), text);
    String[] train = {
      "train",
      "--data",
      edges.toString(),
      "--features",
      "degree,random:8",
      "--epochs",
      "2",
      "--hidden",
      "4",
      "--runs",
      folder.resolve("runs").toString(),
      "--json"
    };
    Cli none = Cli.run(train);
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err()).contains("expected at least 2 classes, found 0; --labels sets others");
    String[] labelled = Arrays.copyOf(train, train.length + 2);
    labelled[train.length] = "--labels";
    labelled[train.length + 1] = "random:4";
    Cli run = Cli.run(labelled);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.json().get("provenance").get("labels").asString())
        .isEqualTo("random labels of 4 classes (seed 0)");
    assertThat(run.json().get("settings").get("features").asString()).isEqualTo("degree,random:8");
    String folderOfRun = run.json().get("run_folder").asString();
    Cli evaluated = Cli.run("evaluate", folderOfRun, "-q", "--json");
    assertThat(evaluated.status()).as(evaluated.err()).isZero();
    Cli again = Cli.run("train", "--resume", folderOfRun, "--epochs", "3", "-q");
    assertThat(again.status()).as(again.err()).isZero();
    Path copy = folder.resolve("copy");
    Cli written =
        Cli.run(
            "dataset",
            "convert",
            "--data",
            edges.toString(),
            "--features",
            "random:3",
            "--labels",
            "random:2",
            "--split",
            "50/25/25",
            "--out",
            copy.toString(),
            "--json");
    assertThat(written.json().get("features").asInt()).isEqualTo(3);
    assertThat(written.json().get("labelled").asInt()).isEqualTo(200);
    assertThat(Cli.run("dataset", "info", "--data", copy.toString()).out())
        .contains("random labels of 2 classes (seed 0)");
  }

  private static byte[] model(Cli run) throws IOException {
    return Files.readAllBytes(
        Path.of(run.json().get("run_folder").asString(), "model.safetensors"));
  }

  /// A data set whose names hold what would steer a terminal: ESC, a C1 control sequence, a line
  /// feed, and a mark that turns the direction of writing.
  @Test
  void namesDoNotSteerTheTerminal() throws IOException {
    String evil = "evil\u001b[2J\u009b31m\nsecond\u202eline\u0007";
    Path data = folder.resolve("data");
    try (GraphData d =
        GraphData.builder(4)
            .name(evil)
            .edges(new int[] {0, 1, 2}, new int[] {1, 2, 3})
            .features(new float[] {1, 2, 3, 4}, 1)
            .labels(0, 1, 0, 1)
            .classNames(List.of(evil, "b"))
            .build()) {
      DatasetFolder.write(data, d.withInfo(d.info().withProvenance(Map.of("source", evil))));
    }
    String shown = "evil\\u001b[2J\\u009b31m\\u000asecond\\u202eline\\u0007";
    Cli info = Cli.run("dataset", "info", "--data", data.toString());
    assertThat(info.out()).contains(shown);
    Cli written = Cli.run("dataset", "convert", "--data", data.toString(), "-o", folder + "/copy");
    assertThat(written.out()).contains(shown);
    Cli run = train("--data", data.toString(), "--split", "50/25/25");
    Cli json = Cli.run("dataset", "info", "--data", data.toString(), "--json");
    assertThat(json.json().get("dataset").asString()).isEqualTo(evil);
    Cli failed = Cli.run("dataset", "info", "--data", "no\u009b31m\u001b[2Jwhere");
    assertThat(failed.status()).isEqualTo(2);
    for (Cli cli : List.of(info, written, run, json, failed)) {
      assertThat((cli.out() + cli.err()).replace("\n", "").replace("\t", ""))
          .doesNotContainPattern("[\\p{Cntrl}\u0080-\u009f\u202e]");
    }
  }

  private static void assertRefused(String found, Path kept, String command) {
    Cli refused = Cli.run(command.split(" "));
    assertThat(refused.status()).as(command).isEqualTo(2);
    assertThat(refused.err()).as(command).contains("found " + found).hasLineCount(1);
    assertThat(kept).as(command).hasContent("mine");
  }

  @Test
  void aFolderWithFilesOfTheUsersIsNotReplaced() throws IOException {
    Path own = folder.resolve("own");
    for (String make :
        List.of(
            "dataset convert -q --data " + grid + " --out " + own,
            "dataset build grid --rows 2 --cols 2 -q --out " + own)) {
      assertThat(Cli.run(make.split(" ")).status()).isZero();
      Path script = Files.writeString(own.resolve("make.py"), "mine");
      assertRefused("make.py; choose another name", script, make);
      assertRefused("make.py", script, "dataset convert -q --data " + own + " --out " + own);
      Files.delete(script);
    }
    String model = train().json().get("run_folder").asString() + "/model.safetensors";
    Path answers = Files.createDirectory(folder.resolve("answers"));
    Path table = Files.writeString(answers.resolve("predictions.csv"), "mine");
    String predict = "predict " + model + " -q --data " + grid + " --out " + answers;
    assertRefused("predictions.csv", table, predict);
    Files.delete(table);
    Path letter = Files.writeString(Files.createDirectory(table).resolve("letter"), "mine");
    assertRefused("predictions.csv", letter, predict);
    AtomicOutput.remove(table);
    assertThat(Cli.run(predict.split(" ")).status()).isZero();
    assertThat(Cli.run((predict + " --embeddings").split(" ")).status()).isZero();
    Path thesis = Files.writeString(answers.resolve("thesis.tex"), "mine");
    assertRefused("thesis.tex", thesis, predict);
  }

  @Test
  void aFileIsReplacedByForceAlone() throws IOException {
    String partition = "partition -q --method block --parts 2 --data " + grid + " --out ";
    Path notes = Files.writeString(folder.resolve("notes.txt"), "mine");
    Path link = Files.createSymbolicLink(folder.resolve("link"), notes);
    Path array = Files.writeString(folder.resolve("parts.npy"), "mine");
    assertRefused("one; choose another name, or --force", notes, partition + notes);
    assertRefused("one; choose another name, or --force", notes, partition + link);
    assertRefused("one; choose another name, or --force", array, partition + folder + "/parts");
    assertThat(folder.resolve("parts")).doesNotExist();
    assertRefused("a folder; choose another name", notes, partition + folder);
    assertThat(Cli.run((partition + notes + " --force").split(" ")).status()).isZero();
    assertThat(Files.readAllLines(notes)).hasSize(400);
  }

  /// Takes what a full disk takes: nothing.
  private static final class Full extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("No space left on device");
    }
  }

  @Test
  void aResultThatCannotBePrintedIsAFailure() {
    String model = train().json().get("run_folder").asString() + "/model.safetensors";
    String unreadable = folder + "/unreadable";
    Map<String, Integer> commands =
        Map.of(
            "--help",
            1,
            "help train",
            1,
            "dataset list --json",
            1,
            "dataset info --data " + grid,
            1,
            "evaluate " + model + " -q --json --data " + grid,
            1,
            "evaluate " + unreadable + " -q --json",
            2);
    commands.forEach((command, status) -> {
      Cli cli = Cli.runWith(new Full(), command.split(" "));
      assertThat(cli.status()).as(command).isEqualTo(status);
      assertThat(cli.err())
          .as(command)
          .startsWith(
              status == 1
                  ? "gossamer: standard output: cannot write; "
                  : "gossamer: " + unreadable + ": ")
          .hasLineCount(1);
    });
  }

  @Test
  void whatAReaderMergesAndDropsIsPrintedOnLinesOfItsOwn() throws IOException {
    Path edges = folder.resolve("payments.csv");
    Files.writeString(edges, "sender,receiver\nann,bob\nbob,cy\nbob,cy\ncy,cy\n");
    Cli cli =
        Cli.run("dataset", "convert", "--data", edges.toString(), "--out", folder + "/payments");
    assertThat(cli.out().lines())
        .containsSubsequence(
            "         merged 1 repeated edge", "         dropped directions, 1 self loop")
        .anyMatch(line -> line.contains("header sender,receiver"));
    JsonNode info = Cli.run("dataset", "info", "--data", folder + "/payments", "--json").json();
    assertThat(info.get("provenance").get("merged").asString()).isEqualTo("1 repeated edge");
  }

  @Test
  void verifyNamesAFileThatWasChanged() throws IOException {
    Path copy = folder.resolve("copy");
    Cli.run("dataset", "convert", "--data", grid.toString(), "-o", copy.toString(), "-q");
    Cli whole = Cli.run("dataset", "info", "--data", copy.toString(), "--verify", "--json");
    assertThat(whole.json().get("verified").asBoolean()).isTrue();
    assertThat(Cli.run("dataset", "info", "--data", copy.toString(), "--verify").out())
        .containsPattern("verified +yes");
    byte[] split = Files.readAllBytes(copy.resolve("split.npy"));
    split[split.length - 1] ^= 1;
    Files.write(copy.resolve("split.npy"), split);
    Cli changed = Cli.run("dataset", "info", "--data", copy.toString(), "--verify");
    assertThat(changed.status()).isEqualTo(2);
    assertThat(changed.err())
        .startsWith("gossamer: " + copy.resolve("split.npy") + ": expected the content that")
        .hasLineCount(1);
  }

  @Test
  void flagsOfRawFilesAreRefusedForADataSetFolder() {
    String data = grid.toString();
    for (String[] flags :
        new String[][] {
          {"--format", "npz"}, {"--format", "cora"}, {"--directed"}, {"--split-index", "1"}
        }) {
      List<String> arguments = new ArrayList<>(List.of("dataset", "info", "--data", data));
      arguments.addAll(List.of(flags));
      Cli refused = Cli.run(arguments.toArray(String[]::new));
      assertThat(refused.status()).as(flags[0]).isEqualTo(2);
      assertThat(refused.err()).startsWith("gossamer: ").hasLineCount(1);
    }
    Cli builtIn = Cli.run("dataset", "info", "--data", "jdk-classes", "--no-directed");
    assertThat(builtIn.status()).isEqualTo(2);
    assertThat(builtIn.err())
        .isEqualTo(
            "gossamer: --directed: expected none, as jdk-classes is built in and not read from a raw"
                + " file, found false\n");
  }
}
