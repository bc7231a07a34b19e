package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.planner.ClusterFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Epochs of the whole graph, as `gossamer train` trains them, beside the same network in PyTorch
/// (`epochs.py`) and beside the roofline of each phase. Commands are run in turns, each in a
/// process of its own; without dropout and with one evaluation, at the end.
///
/// PyTorch sums over neighbours by products with sparse matrices in rows or in coordinates, or by
/// copies of the rows of all edges; the fastest of them counts. It transforms and aggregates in our
/// order, keeps what never changes, and must have as many parameters.
@Command(name = "epochs", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class EpochComparison implements Callable<Integer> {
  private static final List<String> WAYS = List.of("csr", "coo", "gather");

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "a data set folder with dense features; generated without (R-MAT)")
  private @Nullable Path data;

  @Option(names = "--scale", description = "2^S vertices of the generated graph")
  private int scale = 16;

  @Option(names = "--edge-factor", description = "edges drawn for each of its vertices")
  private int edgeFactor = 16;

  @Option(names = "--features", description = "of its vertices")
  private int features = 128;

  @Option(names = "--classes", description = "of its vertices")
  private int classes = 16;

  @Option(names = "--folder", description = "of the generated graph, which is kept, and of runs")
  private Path folder = Path.of("epochs-benchmark");

  @Option(names = "--models", split = ",", description = "kinds of layers")
  private List<String> models = List.of("gcn");

  @Option(names = "--layers", description = "with the output layer")
  private int layers = 3;

  @Option(names = "--hidden", description = "width of the hidden layers")
  private int hidden = 16;

  @Option(names = "--threads", split = ",", description = "threads")
  private List<Integer> threads = List.of(1, 2);

  @Option(names = "--epochs", description = "of each run; the first third is not counted")
  private int epochs = 60;

  @Option(names = "--torch-epochs", description = "of each run of PyTorch; likewise")
  private int torchEpochs = 6;

  @Option(names = "--runs", description = "of each, interleaved; the median of all epochs counts")
  private int runs = 3;

  @Option(names = "--gossamer", description = "the program")
  private Path gossamer = Path.of("gossamer");

  @Option(names = "--torch", description = "a Python with PyTorch; none leaves it out")
  private String torch = "/usr/bin/python3";

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new EpochComparison()).execute(arguments));
  }

  /// Epochs of one program.
  private static final class Measured {
    final List<Double> seconds = new ArrayList<>();
    long peak;
    String refused = "";

    OptionalDouble median() {
      return EpochComparison.median(seconds.stream().mapToDouble(each -> each));
    }

    /// Whether another run is worth its time: of what took twice as long as the fastest, one is
    /// enough.
    boolean mayBeFastest(double best) {
      return refused.isEmpty() && !(median().orElse(best) > 2 * best);
    }
  }

  /// The lower one of the two in the middle, if the number is even.
  private static OptionalDouble median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    return sorted.length == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(sorted[(sorted.length - 1) / 2]);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintStream out = System.out;
    out.print(Machine.here().text());
    String dataset = dataset();
    JsonNode described =
        JsonMapper.shared().readTree(Files.readString(Path.of(dataset, "dataset.json")));
    if (!described.path("features").path("kind").asString("").equals("dense")) {
      throw new IOException(dataset + ": expected a data set folder with dense features");
    }
    out.printf(
        "data        %s, %,d vertices, %,d arcs%n",
        dataset, described.path("vertices").asLong(), described.path("arcs").asLong());
    out.printf("network     %d layers, %d wide%n", layers, hidden);
    for (int team : threads) {
      compare(out, dataset, described, team);
    }
    return 0;
  }

  private void compare(PrintStream out, String dataset, JsonNode described, int team)
      throws IOException, InterruptedException {
    RooflineRates limits;
    try (Workers workers = new Workers(team)) {
      limits = RooflineRates.measured(workers);
    }
    Path cluster = folder.resolve("roofline-%d.yaml".formatted(team));
    ClusterFile.write(cluster, limits.node(team, 1L << 40));
    out.printf(
        Locale.ROOT,
        "%n%s: %.0f GFLOP/s between registers, %.1f GB/s of triad%n",
        team == 1 ? "1 thread" : team + " threads",
        limits.operations() * 1e-9,
        limits.bandwidth() * 1e-9);
    out.println(
        "| model | ms | of it aggregate, matmul, other | roofline | of it | share of the roofline"
            + " | MiB | PyTorch, ms | way | MiB | ratio |");
    out.println("|---|---|---|---|---|---|---|---|---|---|---|");
    for (String model : models) {
      row(out, train(dataset, model, team), cluster, described, team);
    }
  }

  private void row(PrintStream out, List<String> train, Path cluster, JsonNode described, int team)
      throws IOException, InterruptedException {
    JsonNode planned =
        GossamerCommand.run(with(train, "--dry-run", "--cluster", cluster.toString()));
    Measured ours = new Measured();
    List<JsonNode> phases = new ArrayList<>();
    List<Measured> theirs = WAYS.stream().map(_ -> new Measured()).toList();
    for (int run = 0; run < runs; run++) {
      JsonNode result = GossamerCommand.run(train);
      ours.seconds.addAll(later(epochsOf(result)));
      ours.peak = Math.max(ours.peak, result.path("peak_rss_bytes").asLong());
      phases.add(result.path("phase_seconds"));
      double best = fastest(theirs);
      for (int w = 0; w < (torch.equals("none") ? 0 : WAYS.size()); w++) {
        if (theirs.get(w).mayBeFastest(best)) {
          torch(theirs.get(w), WAYS.get(w), result, described, team);
        }
      }
    }
    double mine = ours.median().orElse(Double.NaN);
    double limit = planned.path("epoch_seconds").asDouble();
    out.printf(
        Locale.ROOT,
        "| %s | %.1f | %s | %.1f | %s | %.2f | %d | %s |%n",
        train.get(train.indexOf("--model") + 1),
        1e3 * mine,
        parts(phases),
        1e3 * limit,
        parts(List.of(planned.path("phase_seconds"))),
        limit / mine,
        ours.peak >> 20,
        fastest(theirs, mine));
    out.flush();
  }

  /// Milliseconds of products by the graph, attention among them, of dense products, and of the
  /// rest.
  private static String parts(List<JsonNode> phases) {
    return Stream.of(List.of("spmm", "attention"), List.of("matmul"), List.of("reduce", "other"))
        .map(names ->
            median(
                    phases.stream()
                        .mapToDouble(each ->
                            names.stream().mapToDouble(n -> each.path(n).asDouble(0)).sum()))
                .orElse(Double.NaN))
        .map(seconds -> String.format(Locale.ROOT, "%.1f", 1e3 * seconds))
        .reduce("%s, %s"::formatted)
        .orElseThrow();
  }

  /// Seconds of the fastest way; NaN before the first run.
  private static double fastest(List<Measured> theirs) {
    return theirs.stream().flatMapToDouble(each -> each.median().stream()).min().orElse(Double.NaN);
  }

  private static String fastest(List<Measured> theirs, double mine) {
    return IntStream.range(0, theirs.size())
        .filter(w -> theirs.get(w).median().isPresent())
        .boxed()
        .min(Comparator.comparingDouble(w -> theirs.get(w).median().getAsDouble()))
        .map(w -> {
          double best = theirs.get(w).median().getAsDouble();
          return String.format(
              Locale.ROOT,
              "%.1f | %s | %d | %.1f",
              1e3 * best,
              WAYS.get(w),
              theirs.get(w).peak >> 20,
              best / mine);
        })
        .orElseGet(() ->
            "- | %s | | "
                .formatted(theirs.stream().map(each -> each.refused).findFirst().orElse("")));
  }

  private List<String> train(String dataset, String model, int team) {
    return List.of(
        gossamer.toAbsolutePath().toString(),
        "train",
        "--data",
        dataset,
        "--model",
        model,
        "--layers",
        Integer.toString(layers),
        "--hidden",
        Stream.generate(() -> Integer.toString(hidden))
            .limit(layers - 1L)
            .reduce("%s,%s"::formatted)
            .orElse(""),
        "--mode",
        "full-graph",
        "--dropout",
        "0",
        "--epochs",
        Integer.toString(epochs),
        "--evaluate-every",
        Integer.toString(epochs),
        "--threads",
        Integer.toString(team),
        "--runs",
        folder.resolve("runs").toString(),
        "--json",
        "-q");
  }

  private static List<String> with(List<String> command, String... more) {
    return Stream.concat(command.stream(), Stream.of(more)).toList();
  }

  /// Seconds of each epoch of a run.
  private static List<Double> epochsOf(JsonNode result) throws IOException {
    Path metrics = Path.of(result.path("run_folder").asString(""), "metrics.jsonl");
    List<Double> seconds = new ArrayList<>();
    for (String line : Files.readAllLines(metrics)) {
      seconds.add(JsonMapper.shared().readTree(line).path("seconds").asDouble());
    }
    return seconds;
  }

  /// Without those in which code is compiled, and memory is touched for the first time.
  private static List<Double> later(List<Double> seconds) {
    return seconds.subList((seconds.size() + 2) / 3, seconds.size());
  }

  private void torch(Measured into, String way, JsonNode ours, JsonNode described, int team)
      throws IOException, InterruptedException {
    JsonNode settings = ours.path("settings");
    ObjectNode wanted = JsonMapper.shared().createObjectNode();
    wanted.put("data", settings.path("data").asString(""));
    wanted.put("model", settings.path("model").asString(""));
    var widths = wanted.putArray("widths").add(described.path("features").path("width").asInt());
    IntStream.range(0, layers - 1).forEach(_ -> widths.add(hidden));
    widths.add(described.path("classes").asInt());
    wanted.put("heads", settings.path("heads").asInt(1));
    wanted.put("hops", settings.path("hops").asInt(0));
    wanted.put("teleport", settings.path("teleport").asDouble(0));
    wanted.put("first", ours.path("first_layer").asString("").startsWith("transform"));
    wanted.put("way", way);
    wanted.put("threads", team);
    wanted.put("epochs", torchEpochs);
    JsonNode answer =
        GossamerCommand.run(List.of(torch, "-W", "ignore", "-c", script(), wanted.toString()));
    into.refused = answer.path("refused").asString("");
    if (!into.refused.isEmpty()) {
      return;
    }
    if (answer.path("parameters").asLong() != ours.path("parameters").asLong()) {
      throw new IOException(
          "PyTorch's %s has %d parameters, ours %d"
              .formatted(
                  settings.path("model").asString(""),
                  answer.path("parameters").asLong(),
                  ours.path("parameters").asLong()));
    }
    into.seconds.addAll(
        later(
            StreamSupport.stream(answer.path("seconds").spliterator(), false)
                .map(JsonNode::asDouble)
                .toList()));
    into.peak = Math.max(into.peak, answer.path("peak").asLong());
  }

  private static String script() throws IOException {
    try (@Nullable InputStream in = EpochComparison.class.getResourceAsStream("epochs.py")) {
      if (in == null) {
        throw new IllegalStateException("epochs.py is not among the resources");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// The folder of the data, which are generated if they are not there.
  private String dataset() throws IOException, InterruptedException {
    Files.createDirectories(folder);
    if (data != null) {
      return data.toAbsolutePath().toString();
    }
    Path made =
        folder
            .resolve("rmat-%d-%d-%d-%d".formatted(scale, edgeFactor, features, classes))
            .toAbsolutePath();
    if (!Files.exists(made.resolve("dataset.json"))) {
      GossamerCommand.run(
          List.of(
              gossamer.toAbsolutePath().toString(),
              "dataset",
              "build",
              "rmat",
              "--scale",
              Integer.toString(scale),
              "--edge-factor",
              Integer.toString(edgeFactor),
              "--features",
              Integer.toString(features),
              "--classes",
              Integer.toString(classes),
              "--out",
              made.toString(),
              "--json",
              "-q"));
    }
    return made.toString();
  }
}
