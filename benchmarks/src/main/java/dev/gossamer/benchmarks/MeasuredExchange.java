package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.run.Median;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// What SA compares, measured here: epochs of `gossamer train` with the oblivious and the
/// sparsity-aware exchange, in 1D and 1.5D, with a partitioner and without, over threads with an
/// imitated network and under MPI, each run of a round once, several rounds in turn; and what was
/// foretold of it.
@Command(
    name = "measured",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Oblivious against sparsity-aware and c, measured here, and what is foretold.")
final class MeasuredExchange implements Callable<Integer> {
  @Option(names = "--graph", description = "of which paper's graph")
  private String graph = "amazon";

  @Option(names = "--scale", description = "one of this number of vertices is kept")
  private int scale = 256;

  @Option(names = "--data", description = "a data set instead")
  private String data = "";

  @Option(names = "--ranks", split = ",", description = "P")
  private List<Integer> ranks = List.of(2, 4, 8);

  @Option(names = "--links", split = ";", description = "imitated networks; none: without")
  private List<String> links = List.of("30us,0.8ns", "none");

  @Option(
      names = "--mpi-ranks",
      split = ",",
      description = "P under MPI; of more ranks than cores, those that wait keep the cores")
  private List<Integer> mpiRanks = List.of(2);

  @Option(names = "--mpi", split = ",", description = "launchers; those not there are left out")
  private List<String> launchers = List.of("mpirun.openmpi", "mpirun.mpich");

  @Option(names = "--placements", split = ",", description = "of the sparsity-aware exchange")
  private List<String> placements = List.of("random", "gvb");

  @Option(names = "--hidden", description = "columns of both hidden layers")
  private int hidden = 16;

  @Option(names = "--epochs", description = "of a run")
  private int epochs = 60;

  @Option(names = "--rounds", description = "runs of each setting, one after the other of all")
  private int rounds = 3;

  @Option(names = "--folder", description = "where data and parts are kept for the next run")
  private Path folder = Path.of("benchmarks", "target", "validation");

  @Option(names = "--gossamer", description = "the launcher")
  private String gossamer = "./gossamer";

  /// A setting.
  ///
  /// @param where "threads, 30us,0.8ns" or a launcher
  /// @param launch what comes before `train`
  /// @param flags of `train`
  private record Run(
      String where, int ranks, String exchange, List<String> launch, List<String> flags) {
    List<String> command() {
      List<String> command = new ArrayList<>(launch);
      command.addAll(flags);
      return command;
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintStream out = System.out;
    out.print(Machine.here().text());
    String dataset = data.isEmpty() ? generated(out) : data;
    List<Run> runs = runs(dataset);
    out.printf("first       %s%n%n", String.join(" ", runs.getFirst().command()));
    Map<Run, List<Double>> seconds = new LinkedHashMap<>();
    Map<Run, Double> foretold = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Run run : runs) {
        JsonNode result = GossamerCommand.run(run.command());
        foretold.put(run, result.get("planned").get("epoch_seconds").asDouble());
        double epoch = result.get("epoch_seconds_median").asDouble();
        seconds.computeIfAbsent(run, _ -> new ArrayList<>()).add(epoch);
        System.err.printf(
            Locale.ROOT,
            "round %d: %s, %d ranks, %s: %.1f ms%n",
            round + 1,
            run.where(),
            run.ranks(),
            run.exchange(),
            1e3 * epoch);
      }
    }
    out.println(
        "| network | P | exchange | epoch ms | rounds | foretold ms | over oblivious, c = 1 |");
    out.println("|---|---|---|---|---|---|---|");
    double oblivious = Double.NaN;
    for (Run run : runs) {
      List<Double> all = seconds.getOrDefault(run, List.of());
      double median = Median.of(all.stream().mapToDouble(s -> s));
      if (run.exchange().equals("oblivious c=1 random")) {
        oblivious = median;
      }
      out.printf(
          Locale.ROOT,
          "| %s | %d | %s | %.1f | %s | %.1f | %.2f |%n",
          run.where(),
          run.ranks(),
          run.exchange(),
          1e3 * median,
          all.stream()
              .map(s -> String.format(Locale.ROOT, "%.1f", 1e3 * s))
              .collect(Collectors.joining(", ")),
          1e3 * foretold.getOrDefault(run, Double.NaN),
          median / oblivious);
    }
    return 0;
  }

  private String generated(PrintStream out) {
    PaperGraph paper = PaperGraph.named(graph).withScale(scale);
    Path made = folder.resolve(paper.label());
    if (!Files.exists(made.resolve("dataset.json"))) {
      try (Dataset dataset = paper.build()) {
        DatasetFolder.write(made, dataset.data());
      }
    }
    try (Dataset dataset = Dataset.open(made)) {
      out.printf("graph       %s%n", paper.text(dataset));
    }
    return made.toString();
  }

  private List<Run> runs(String dataset) {
    List<Run> runs = new ArrayList<>();
    for (String link : links) {
      for (int p : ranks) {
        List<String> launch = new ArrayList<>(List.of(gossamer, "train", "--ranks", "" + p));
        if (!link.equals("none")) {
          launch.addAll(List.of("--link", link));
        }
        add(runs, "threads" + (link.equals("none") ? "" : ", " + link), p, launch, dataset);
      }
    }
    for (String launcher : launchers) {
      if (!installed(launcher)) {
        continue;
      }
      for (int p : mpiRanks) {
        List<String> launch = new ArrayList<>(List.of(launcher, "-np", "" + p));
        if (launcher.contains("openmpi")) {
          launch.addAll(List.of("--allow-run-as-root", "--oversubscribe"));
        }
        launch.addAll(List.of(gossamer, "train"));
        add(runs, launcher, p, launch, dataset);
      }
    }
    return runs;
  }

  private static boolean installed(String program) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
  }

  private void add(List<Run> runs, String where, int p, List<String> launch, String dataset) {
    for (int c : List.of(1, 2)) {
      if (p % (c * c) != 0) {
        continue;
      }
      runs.add(run(where, p, launch, dataset, "oblivious", c, "random"));
      for (String placement : placements) {
        runs.add(run(where, p, launch, dataset, "sparsity-aware", c, placement));
      }
    }
  }

  private Run run(
      String where,
      int p,
      List<String> launch,
      String dataset,
      String exchange,
      int c,
      String placement) {
    return new Run(
        where,
        p,
        "%s c=%d %s".formatted(exchange.replace("sparsity-", ""), c, placement),
        launch,
        List.of(
            "--data",
            dataset,
            "--layers",
            "3",
            "--hidden",
            "%d,%d".formatted(hidden, hidden),
            "--exchange",
            exchange,
            "--replication",
            "" + c,
            "--placement",
            placement,
            "--overlap",
            "off",
            "--epochs",
            "" + epochs,
            "--evaluate-every",
            "" + epochs,
            "--runs",
            folder.resolve("runs").toString(),
            "--json",
            "-q"));
  }
}
