package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.GraphPartitioning;
import dev.gossamer.GraphTraining;
import dev.gossamer.Placed;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.Placement;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.EpochCost;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// SA, figures 3 to 7 and table 2, from the planner: oblivious against sparsity-aware, with and
/// without a partitioner, in 1D and 1.5D.
@Command(
    name = "sa",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "SA, figures 3 to 7 and table 2, from the planner.")
final class SparsityAwareFigures implements Callable<Integer> {
  @Option(names = "--machine", description = "a cluster file of the folder config")
  private String machine = "perlmutter";

  @Option(names = "--graphs", split = ",", description = "reddit, amazon, protein, papers")
  private List<String> graphs = List.of("reddit", "amazon", "protein");

  @Option(
      names = "--scale",
      description = "one of this number of vertices is kept; 0 for the default of a graph")
  private int scale;

  @Option(names = "--ranks", split = ",", description = "P")
  private List<Integer> ranks = List.of(4, 16, 32, 64, 128, 256);

  @Option(names = "--replication", split = ",", description = "c")
  private List<Integer> replications = List.of(1, 2, 4);

  @Option(
      names = "--partitioners",
      split = ",",
      description = "the last is what others are compared with; metis-volume needs libmetis")
  private List<String> partitioners = List.of("metis-volume", "gvb");

  @Option(names = "--parts", description = "folder where parts are kept for the next run")
  private Path parts = Path.of("benchmarks", "target", "validation");

  private static final int HIDDEN = 16;

  /// An exchange in a figure: a line.
  ///
  /// @param links of its node that a rank's messages take; NCCL's broadcasts take all
  private record Line(String name, Kind kind, String placement, int links) {}

  /// A point of a figure.
  private record Point(int c, int ranks) implements Comparable<Point> {
    @Override
    public int compareTo(Point other) {
      return c == other.c ? Integer.compare(ranks, other.ranks) : Integer.compare(c, other.c);
    }
  }

  private List<Line> lines(Cluster cluster) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line("oblivious", Kind.OBLIVIOUS, "random", 1));
    int links = cluster.ranksPerNode();
    lines.add(new Line("oblivious, %d links".formatted(links), Kind.OBLIVIOUS, "random", links));
    lines.add(new Line("aware", Kind.SPARSITY_AWARE, "random", 1));
    partitioners.forEach(
        name -> lines.add(new Line("aware, " + name, Kind.SPARSITY_AWARE, name, 1)));
    return lines;
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    Cluster cluster = ScaledMachine.named(machine);
    for (String name : graphs) {
      PaperGraph usual = PaperGraph.named(name);
      PaperGraph graph = scale == 0 ? usual : usual.withScale(scale);
      try (Dataset dataset = graph.build()) {
        GraphTraining training = GraphTraining.on(dataset).gcn(HIDDEN, HIDDEN).dropout(0, 0);
        Strategies strategies =
            new Strategies(training, dataset, ScaledMachine.slower(cluster, graph.scale()), parts);
        out.printf("%n### %s%n%n%s%n%n", graph.name(), graph.text(dataset));
        epochs(out, graph, strategies);
        if (graph.name().equals("amazon")) {
          volumes(out, graph, strategies);
        }
      }
    }
    return 0;
  }

  private List<Integer> ranks(PaperGraph graph) {
    int most =
        switch (graph.name()) {
          case "papers" -> 16;
          case "reddit" -> 64;
          default -> Integer.MAX_VALUE;
        };
    return ranks.stream().filter(p -> p <= most && (most != 16 || p == 16)).toList();
  }

  private void epochs(PrintStream out, PaperGraph graph, Strategies strategies) {
    List<Line> lines = lines(strategies.cluster());
    out.printf(
        "| c | P | %s |%n|---|---|%s%n",
        lines.stream().map(Line::name).collect(Collectors.joining(" | ")),
        "---|".repeat(lines.size()));
    Map<Point, List<EpochCost>> table = new TreeMap<>();
    for (int c : replications) {
      for (int p : ranks(graph)) {
        if (!new ExchangeStrategy(Kind.OBLIVIOUS, c, false).validFor(p)) {
          continue;
        }
        List<EpochCost> costs =
            lines.stream()
                .map(line ->
                    strategies
                        .onLinks(line.links())
                        .cost(p, line.kind(), c, false, line.placement()))
                .toList();
        table.put(new Point(c, p), costs);
        out.printf(
            "| %d | %d | %s |%n",
            c,
            p,
            costs.stream().map(SparsityAwareFigures::cell).collect(Collectors.joining(" | ")));
        out.flush();
      }
    }
    out.println();
    claims(out, lines, table);
  }

  /// Milliseconds of an epoch, and those of them in which data travel.
  private static String cell(EpochCost cost) {
    double travel = cost.seconds(Phase.EXCHANGE) + cost.seconds(Phase.REDUCE);
    return String.format(Locale.ROOT, "%.1f (%.1f)", 1e3 * cost.seconds(), 1e3 * travel);
  }

  /// What the table says of what the paper says.
  private void claims(PrintStream out, List<Line> lines, Map<Point, List<EpochCost>> table) {
    for (int c : replications) {
      Map<Integer, double[]> seconds = new TreeMap<>();
      table.forEach((point, costs) -> {
        if (point.c() == c) {
          seconds.put(point.ranks(), costs.stream().mapToDouble(EpochCost::seconds).toArray());
        }
      });
      for (int line = 0; line < 2; line++) {
        int oblivious = line;
        out.printf(
            "c = %d, aware without a partitioner against %s: faster by 5 %% at P = %s, slower at P = %s%n",
            c,
            lines.get(line).name(),
            where(seconds, s -> s[2] < 0.95 * s[oblivious]),
            where(seconds, s -> s[2] > 1.05 * s[oblivious]));
      }
      seconds.forEach((p, s) -> out.printf("c = %d, P = %d: %s%n", c, p, ratios(lines, s)));
      out.printf(
          "c = %d, fastest at P = %s%n",
          c,
          IntStream.range(0, lines.size())
              .mapToObj(line -> lines.get(line).name() + " " + fastest(seconds, line))
              .collect(Collectors.joining("; ")));
    }
  }

  private static String fastest(Map<Integer, double[]> seconds, int line) {
    return seconds.entrySet().stream()
        .min(Comparator.comparingDouble(each -> each.getValue()[line]))
        .map(each -> each.getKey().toString())
        .orElse("none");
  }

  private static String where(Map<Integer, double[]> seconds, Predicate<double[]> holds) {
    String ranks =
        seconds.entrySet().stream()
            .filter(each -> holds.test(each.getValue()))
            .map(each -> each.getKey().toString())
            .collect(Collectors.joining(", "));
    return ranks.isEmpty() ? "none" : ranks;
  }

  /// How many times as long as the last line the others take.
  private static String ratios(List<Line> lines, double[] s) {
    return IntStream.range(0, s.length - 1)
        .mapToObj(
            i -> String.format(Locale.ROOT, "%s %.2f", lines.get(i).name(), s[i] / s[s.length - 1]))
        .collect(Collectors.joining("; ", "over %s: ".formatted(lines.getLast().name()), ""));
  }

  /// SA, table 2: megabytes that a rank of the whole graph sends in a product 300 columns wide.
  private void volumes(PrintStream out, PaperGraph graph, Strategies strategies) {
    out.printf("%n| P |");
    partitioners.forEach(name -> out.printf(" %s average MB | maximum | above average |", name));
    out.printf("%n|---|%s%n", "---|".repeat(3 * partitioners.size()));
    for (int p : ranks) {
      if (p < 16) {
        continue;
      }
      out.printf("| %d |", p);
      for (String name : partitioners) {
        Placement placement =
            Placed.of(strategies.place(p, name), p, GraphPartitioning.of(strategies.dataset()))
                .placement();
        ExchangeVolume volume =
            ExchangeVolume.of(
                strategies.dataset().data().adjacency(), placement, Kind.SPARSITY_AWARE, 1);
        int f = graph.features();
        out.printf(
            Locale.ROOT,
            " %.1f | %.1f | %.1f %% |",
            volume.averageBytes(f) * graph.scale() / 1e6,
            (double) volume.maximumBytes(f) * graph.scale() / 1e6,
            volume.imbalancePercent(f));
      }
      out.println();
    }
  }
}
