package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.GraphTraining;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// MG, table 3 and figures 5, 7 and 9, and which widths fit, from the planner and the estimates of
/// memory: the oblivious exchange in 1D with overlap, vertices in a random order.
@Command(
    name = "mg",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "MG, table 3, figures 5, 7 and 9, and what fits, from the planner.")
final class MultiGpuFigures implements Callable<Integer> {
  @Option(names = "--only", split = ",", description = "epochs, phases, order, density, memory")
  private List<String> only = List.of("epochs", "phases", "order", "density", "memory");

  @Option(names = "--parts", description = "folder where orders of vertices are kept")
  private Path parts = Path.of("benchmarks", "target", "validation");

  private static final List<Integer> RANKS = List.of(1, 2, 4, 8);

  /// A share so small that it changes nothing but that `A X` is multiplied in every epoch, as MG
  /// does it.
  private static final double EVERY_EPOCH = 1e-9;

  /// What holds a rank's rows, and grows with the graph.
  private static final List<String> ROWS =
      List.of(
          "labels, split, placement",
          "rows of the graph",
          "own features",
          "sparse kernels",
          "buffers",
          "exchange buffers");

  /// A network on a graph, and the seconds of MG, table 3, by the numbers of GPUs of [#RANKS].
  private record Published(String graph, List<Integer> hidden, List<Double> seconds) {}

  private static final List<Published> TABLE_3 =
      List.of(
          new Published("mg-reddit", List.of(16), List.of(0.033, 0.017, 0.012, 0.012)),
          new Published("mg-products", List.of(256, 256), List.of(0.355, 0.202, 0.110, 0.067)),
          new Published("mg-protein", List.of(256, 256), List.of(4.221, 2.272, 1.191, 0.641)),
          new Published(
              "mg-papers", List.of(208, 208), List.of(Double.NaN, Double.NaN, Double.NaN, 2.89)));

  @Override
  public Integer call() throws IOException {
    PrintStream out = System.out;
    for (String part : only) {
      switch (part) {
        case "epochs" -> epochs(out);
        case "phases" -> phases(out);
        case "order" -> order(out);
        case "density" -> density(out);
        case "memory" -> memory(out);
        default ->
            throw new IllegalArgumentException(
                "--only: expected epochs, phases, order, density or memory, found " + part);
      }
    }
    return 0;
  }

  private Strategies strategies(
      PaperGraph graph, Dataset dataset, Cluster cluster, List<Integer> hidden, boolean kept) {
    int[] widths = hidden.stream().mapToInt(width -> width).toArray();
    GraphTraining training =
        GraphTraining.on(dataset).gcn(widths).dropout(0, kept ? 0 : EVERY_EPOCH);
    return new Strategies(training, dataset, ScaledMachine.slower(cluster, graph.scale()), parts);
  }

  private static EpochCost cost(Strategies strategies, int ranks, String placement) {
    return strategies.cost(ranks, Kind.OBLIVIOUS, 1, true, placement);
  }

  /// Table 3.
  private void epochs(PrintStream out) {
    Cluster cluster = ScaledMachine.named("dgx-a100");
    out.printf("%n### Table 3: seconds an epoch on a DGX-A100%n%n");
    out.println("| graph | hidden | GPUs | MG | as MG | error | `A X` kept | aware, `A X` kept |");
    out.println("|---|---|---|---|---|---|---|---|");
    for (Published row : TABLE_3) {
      PaperGraph graph = PaperGraph.named(row.graph());
      try (Dataset dataset = graph.build()) {
        Strategies every = strategies(graph, dataset, cluster, row.hidden(), false);
        Strategies kept = strategies(graph, dataset, cluster, row.hidden(), true);
        for (int i = 0; i < RANKS.size(); i++) {
          int p = RANKS.get(i);
          double published = row.seconds().get(i);
          if (Double.isNaN(published)) {
            continue;
          }
          double seconds = cost(every, p, "random").seconds();
          out.printf(
              Locale.ROOT,
              "| %s | %s | %d | %.3f | %.3f | %+.0f %% | %.3f | %.3f |%n",
              graph.name(),
              row.hidden().stream().map(String::valueOf).collect(Collectors.joining(", ")),
              p,
              published,
              seconds,
              100 * (seconds / published - 1),
              cost(kept, p, "random").seconds(),
              kept.cost(p, Kind.SPARSITY_AWARE, 1, true, "random").seconds());
          out.flush();
        }
      }
    }
  }

  /// Figure 5.
  private void phases(PrintStream out) {
    Cluster cluster = ScaledMachine.named("dgx-1");
    out.printf("%n### Figure 5: phases on one V100, two layers, 512 hidden columns%n%n");
    out.println("| graph | seconds | SpMM | GEMM | other |");
    out.println("|---|---|---|---|---|");
    for (String name : List.of("mg-arxiv", "mg-products", "mg-protein", "mg-reddit")) {
      PaperGraph graph = PaperGraph.named(name);
      try (Dataset dataset = graph.build()) {
        EpochCost cost =
            cost(strategies(graph, dataset, cluster, List.of(512), false), 1, "random");
        double all = cost.seconds();
        double spmm = cost.seconds(Phase.SPMM) / all;
        double gemm = cost.seconds(Phase.MATMUL) / all;
        out.printf(
            Locale.ROOT,
            "| %s | %.3f | %.0f %% | %.0f %% | %.0f %% |%n",
            graph.name(),
            all,
            100 * spmm,
            100 * gemm,
            100 * (1 - spmm - gemm));
      }
    }
  }

  /// Figure 7: the generator's vertices in the order of their degrees, which is the most unbalanced
  /// that there is, and in a random one.
  private void order(PrintStream out) throws IOException {
    Cluster cluster = ScaledMachine.named("dgx-1");
    out.printf("%n### Figure 7: by degree against random order, DGX-1, two layers, 512 hidden%n%n");
    out.printf(
        "| graph | %s |%n|---|%s%n",
        RANKS.stream().map(p -> p + " GPUs").collect(Collectors.joining(" | ")),
        "---|".repeat(RANKS.size()));
    for (String name : List.of("mg-arxiv", "mg-products", "mg-reddit")) {
      PaperGraph graph = PaperGraph.named(name);
      try (Dataset dataset = graph.build()) {
        Strategies strategies = strategies(graph, dataset, cluster, List.of(512), false);
        out.printf("| %s |", graph.name());
        for (int p : RANKS) {
          double sorted = cost(strategies, p, byDegree(dataset, p)).seconds();
          out.printf(Locale.ROOT, " %.2f |", sorted / cost(strategies, p, "random").seconds());
        }
        out.println();
      }
    }
  }

  /// A part file: as many vertices each, those of most neighbours first.
  private String byDegree(Dataset dataset, int ranks) throws IOException {
    if (ranks == 1) {
      return "block";
    }
    CsrMatrix a = dataset.data().adjacency();
    int n = dataset.vertices();
    int[] part = new int[n];
    List<Integer> order =
        IntStream.range(0, n)
            .boxed()
            .sorted(Comparator.comparingLong(v -> -a.rowLength(v)))
            .toList();
    for (int i = 0; i < n; i++) {
      part[order.get(i)] = (int) ((long) i * ranks / n);
    }
    Files.createDirectories(parts);
    Path file = parts.resolve("%s.by-degree.%d".formatted(dataset.name(), ranks));
    Files.write(file, Arrays.stream(part).mapToObj(String::valueOf).toList());
    return file.toString();
  }

  /// Figure 9.
  private void density(PrintStream out) {
    Cluster cluster = ScaledMachine.named("dgx-1");
    PaperGraph arxiv = PaperGraph.named("mg-arxiv").withFeatures(512);
    out.printf(
        "%n### Figure 9: speed-up over one GPU by density, DGX-1, 512 features and hidden%n%n");
    out.println("| edges of Arxiv | entries made | mean degree | 2 GPUs | 4 GPUs | 8 GPUs |");
    out.println("|---|---|---|---|---|---|");
    for (int factor = 1; factor <= 128; factor *= 2) {
      PaperGraph graph = arxiv.withEntries(factor * arxiv.entries());
      try (Dataset dataset = graph.build()) {
        Strategies strategies = strategies(graph, dataset, cluster, List.of(512), false);
        double alone = cost(strategies, 1, "random").seconds();
        long entries = dataset.data().adjacency().nnz();
        out.printf(
            Locale.ROOT,
            "| x%d | %,d | %.1f | %s |%n",
            factor,
            entries * graph.scale(),
            (double) entries / dataset.vertices(),
            List.of(2, 4, 8).stream()
                .map(p ->
                    String.format(
                        Locale.ROOT, "%.2f", alone / cost(strategies, p, "random").seconds()))
                .collect(Collectors.joining(" | ")));
        out.flush();
      }
    }
  }

  /// The widest hidden layers that fit, by their number and the GPUs.
  private void memory(PrintStream out) {
    out.printf("%n### Widest hidden layers that fit into the memory of each GPU%n%n");
    out.println("| machine | graph | GPUs | 2 layers | 3 layers | 4 layers |");
    out.println("|---|---|---|---|---|---|");
    for (String machine : List.of("dgx-1", "dgx-a100")) {
      Cluster cluster = ScaledMachine.named(machine);
      for (String name : List.of("mg-products", "mg-protein", "mg-papers")) {
        PaperGraph graph = PaperGraph.named(name);
        try (Dataset dataset = graph.build()) {
          for (int p : RANKS) {
            out.printf(
                "| %s | %s | %d | %s |%n",
                machine,
                graph.name(),
                p,
                IntStream.rangeClosed(1, 3)
                    .mapToObj(layers -> widest(graph, dataset, cluster, p, layers))
                    .collect(Collectors.joining(" | ")));
            out.flush();
          }
        }
      }
    }
  }

  private String widest(PaperGraph graph, Dataset dataset, Cluster cluster, int ranks, int layers) {
    int most = 4096;
    int width =
        MemoryEstimate.largestFitting(
            1,
            most,
            cluster.memoryPerNode(),
            hidden -> {
              ExchangeStrategy strategy = new ExchangeStrategy(Kind.OBLIVIOUS, 1, true);
              Strategies strategies =
                  strategies(graph, dataset, cluster, Collections.nCopies(layers, hidden), false);
              return bytes(strategies.plan(ranks, strategy, "random"), graph.scale());
            });
    return width == 0 ? "none" : width == most ? "over " + (most - 1) : String.valueOf(width);
  }

  /// Bytes of a rank of the whole graph: what grows with it as often as it is larger, and the rest.
  /// The Java runtime is on no GPU, and the files of graph and features are mapped.
  private static long bytes(PlannedStrategy plan, int scale) {
    MemoryEstimate estimate = plan.memory().ofRank();
    long rows = ROWS.stream().mapToLong(estimate::bytes).sum();
    return scale * rows + estimate.bytes("parameters and optimizer");
  }
}
