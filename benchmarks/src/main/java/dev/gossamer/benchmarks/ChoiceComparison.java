package dev.gossamer.benchmarks;

import dev.gossamer.run.Median;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// What `gossamer train` chooses when no flag says how ranks share a whole graph, beside the other
/// ways: each is trained once in every round, in turn. A choice is as good as its way is fast, so
/// that the way that was chosen is measured like the others, with its flags.
@Command(
    name = "choice",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "What train chooses beside the fastest way, measured here.")
final class ChoiceComparison implements Callable<Integer> {
  @Option(names = "--data", description = "folder of the data sets that are not generated")
  private Path data = Path.of("../shared/data");

  @Option(names = "--only", description = "inputs whose name contains this")
  private String only = "";

  @Option(names = "--epochs", description = "of a run")
  private int epochs = 60;

  @Option(names = "--rounds", description = "runs of each way, one after the other of all")
  private int rounds = 3;

  @Option(names = "--folder", description = "where generated data are kept for the next run")
  private Path folder = Path.of("benchmarks", "target", "choice");

  @Option(names = "--gossamer", description = "the launcher")
  private String gossamer = "./gossamer";

  /// Something to train.
  ///
  /// @param dataset file or folder of a data set, flags of `dataset build`, or nothing for the
  ///   built-in one
  /// @param flags of `train`
  private record Input(String dataset, String flags) {
    boolean generated() {
      return dataset.contains(" ");
    }

    String name() {
      String file = dataset.substring(dataset.indexOf('/') + 1).replaceFirst("\\..*", "");
      String graph = dataset.isEmpty() ? "jdk-classes" : file.replace(" --", " ");
      return "%s, %s".formatted(graph, flags.replace("--", ""));
    }
  }

  private static final List<Input> INPUTS =
      List.of(
          new Input("", "--model gcn --ranks 4"),
          new Input("", "--model gcn --ranks 4 --link 30us,0.8ns"),
          new Input("", "--model gat --ranks 4 --link 100us,8ns"),
          new Input("facebook-large", "--model gcn --ranks 8 --link 100us,8ns"),
          new Input("fb100-cornell5/Cornell5.mat", "--model gcn --ranks 4 --link 30us,0.8ns"),
          new Input("tolokers/tolokers.npz", "--model sage --ranks 4"),
          new Input("rmat --scale 15 --features 128", "--model gcn --ranks 4 --link 30us,0.8ns"),
          new Input(
              "bter --vertices 40000 --features 64", "--model sage --ranks 8 --link 100us,8ns"));

  /// How ranks share a graph.
  private record Way(String exchange, int replication, boolean overlap, String placement) {
    static Way of(JsonNode result) {
      return new Way(
          result.get("exchange").asString(),
          result.get("replication").asInt(),
          result.get("overlap").asBoolean(),
          result.get("placement").asString());
    }

    List<String> flags() {
      return List.of(
          "--exchange",
          exchange,
          "--replication",
          "" + replication,
          "--overlap",
          onOff(),
          "--placement",
          placement);
    }

    private String onOff() {
      return overlap ? "on" : "off";
    }

    String text() {
      return "%s c=%d %s overlap %s"
          .formatted(exchange.replace("sparsity-", ""), replication, placement, onOff());
    }
  }

  /// What a way took in each round, and what it was planned to take.
  private static final class Runs {
    private final Way way;
    private final List<Double> milliseconds = new ArrayList<>();
    private double planned;

    Runs(Way way) {
      this.way = way;
    }

    void add(List<String> train) throws IOException, InterruptedException {
      List<String> command = new ArrayList<>(train);
      command.addAll(way.flags());
      JsonNode result = GossamerCommand.run(command);
      milliseconds.add(1e3 * result.get("epoch_seconds_median").asDouble());
      planned = 1e3 * result.get("planned").get("epoch_seconds").asDouble();
    }

    double milliseconds() {
      return Median.of(milliseconds.stream().mapToDouble(ms -> ms));
    }

    String each() {
      return milliseconds.stream()
          .map(ms -> String.format(Locale.ROOT, "%.1f", ms))
          .collect(Collectors.joining(", "));
    }
  }

  /// The ways beside which the choice is held.
  private static List<Way> ways(Input input) {
    if (input.flags().contains("gat")) {
      return List.of(
          new Way("sparsity-aware", 1, true, "gvb"),
          new Way("sparsity-aware", 1, true, "block"),
          new Way("sparsity-aware", 1, true, "random"));
    }
    return List.of(
        new Way("sparsity-aware", 1, true, "gvb"),
        new Way("sparsity-aware", 1, false, "gvb"),
        new Way("sparsity-aware", 1, true, "block"),
        new Way("sparsity-aware", 1, true, "random"),
        new Way("oblivious", 1, true, "gvb"),
        new Way("oblivious", 1, true, "random"),
        new Way("sparsity-aware", 2, true, "gvb"),
        new Way("oblivious", 2, true, "gvb"));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintStream out = System.out;
    out.print(Machine.here().text());
    List<String> summary = new ArrayList<>();
    for (Input input : INPUTS) {
      boolean there =
          input.generated()
              || input.dataset().isEmpty()
              || Files.exists(data.resolve(input.dataset()));
      if (there && input.name().contains(only)) {
        summary.add(compare(out, input));
      }
    }
    out.printf("%n| input | chosen | ms | fastest | ms | chosen over fastest |%n");
    out.println("|---|---|---|---|---|---|");
    summary.forEach(out::println);
    return 0;
  }

  private String compare(PrintStream out, Input input) throws IOException, InterruptedException {
    List<String> train = train(input);
    out.printf("%n%s%n%s%n%n", input.name(), String.join(" ", train));
    Way chosen = Way.of(GossamerCommand.run(train));
    List<Way> ways = new ArrayList<>(ways(input));
    if (!ways.contains(chosen)) {
      ways.add(chosen);
    }
    List<Runs> all = ways.stream().map(Runs::new).toList();
    for (int round = 1; round <= rounds; round++) {
      for (Runs runs : all) {
        runs.add(train);
        System.err.printf(
            "round %d: %s, %s: %s ms%n", round, input.name(), runs.way.text(), runs.each());
      }
    }
    Runs taken = all.get(ways.indexOf(chosen));
    Runs fastest = all.stream().min(Comparator.comparingDouble(Runs::milliseconds)).orElseThrow();
    out.println("| way | epoch ms | rounds | planned ms | |");
    out.println("|---|---|---|---|---|");
    for (Runs runs : all) {
      out.printf(
          Locale.ROOT,
          "| %s | %.1f | %s | %.1f | %s |%n",
          runs.way.text(),
          runs.milliseconds(),
          runs.each(),
          runs.planned,
          runs == taken ? "chosen" : "");
    }
    out.flush();
    return String.format(
        Locale.ROOT,
        "| %s | %s | %.1f | %s | %.1f | %.2f |",
        input.name(),
        chosen.text(),
        taken.milliseconds(),
        fastest.way.text(),
        fastest.milliseconds(),
        taken.milliseconds() / fastest.milliseconds());
  }

  private List<String> train(Input input) throws IOException, InterruptedException {
    List<String> train = new ArrayList<>(List.of(gossamer, "train"));
    if (!input.dataset().isEmpty()) {
      train.addAll(List.of("--data", dataset(input)));
    }
    train.addAll(List.of(input.flags().split(" ")));
    train.addAll(
        List.of(
            "--hidden",
            "64",
            "--epochs",
            "" + epochs,
            "--evaluate-every",
            "" + epochs,
            "--runs",
            folder.resolve("runs").toString(),
            "--json",
            "-q"));
    return train;
  }

  /// The folder of the data, which are generated if they are not there.
  private String dataset(Input input) throws IOException, InterruptedException {
    if (!input.generated()) {
      return data.resolve(input.dataset()).toString();
    }
    Path made = folder.resolve(input.dataset().replace(" --", "-").replace(' ', '-'));
    if (!Files.exists(made.resolve("dataset.json"))) {
      List<String> build = new ArrayList<>(List.of(gossamer, "dataset", "build"));
      build.addAll(List.of(input.dataset().split(" ")));
      build.addAll(List.of("--out", made.toString(), "--json", "-q"));
      GossamerCommand.run(build);
    }
    return made.toString();
  }
}
