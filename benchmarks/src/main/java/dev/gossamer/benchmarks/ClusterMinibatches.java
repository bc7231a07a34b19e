package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.GraphTraining;
import dev.gossamer.Planning;
import dev.gossamer.RankSettings;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.run.LaunchSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Epochs of minibatches on the papers' clusters, foretold: MBS, figures 4 and 6, and MB, figures 3
/// and 4. The graph has as many vertices as the paper's (`--scale 1`), because the batches of a
/// smaller one would see most of it; batches are drawn here and now.
@Command(
    name = "minibatches",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "MBS, figures 4 and 6, MB, figures 3 and 4: epochs on clusters, foretold.")
final class ClusterMinibatches implements Callable<Integer> {
  /// From the batch outwards.
  private static final int[] FANOUTS = {15, 10, 5};

  private static final int HIDDEN = 256;

  @Option(names = "--graph", description = "a paper's graph")
  private String graph = "mg-products";

  @Option(names = "--scale", description = "one of this number of vertices is kept")
  private int scale = 1;

  @Option(names = "--only", split = ",", description = "mbs, mb")
  private List<String> only = List.of("mbs", "mb");

  @Option(names = "--gpus", split = ",", description = "P of MBS")
  private List<Integer> gpus = List.of(4, 8, 16, 32, 64);

  @Option(names = "--sockets", split = ",", description = "P of MB")
  private List<Integer> sockets = List.of(2, 4, 8, 16);

  @Option(names = "--folder", description = "where parts are kept for the next run")
  private Path folder = Path.of("benchmarks", "target", "validation");

  @Override
  public Integer call() {
    PrintStream out = System.out;
    PaperGraph paper = PaperGraph.named(graph).withScale(scale);
    try (Dataset dataset = paper.build()) {
      out.println(paper.text(dataset));
      if (only.contains("mbs")) {
        perlmutter(out, dataset);
      }
      if (only.contains("mb")) {
        sockets(out, dataset);
      }
    }
    return 0;
  }

  /// The graph on every GPU, features spread over `p / c` of them.
  private void perlmutter(PrintStream out, Dataset dataset) {
    Cluster cluster = ScaledMachine.named("perlmutter");
    out.printf("%n### MBS, figures 4 and 6: Perlmutter, GraphSAGE%n%n");
    out.println(
        "| P | c | sampling s | fetch s | propagation s | epoch s | times as fast as the first |");
    out.println("|---|---|---|---|---|---|---|");
    double first = Double.NaN;
    for (int p : gpus) {
      for (int c : replications(p)) {
        MinibatchSettings settings =
            MinibatchSettings.of(Sampler.sage(FANOUTS))
                .withBatchPerRank(1024)
                .withAutomaticBulk()
                .withReplication(c);
        EpochCost cost = cost(GraphTraining.on(dataset).sage(HIDDEN, HIDDEN), settings, p, cluster);
        first = Double.isNaN(first) ? cost.seconds() : first;
        double sampling = cost.seconds(Phase.SAMPLE);
        double fetch = cost.seconds(Phase.FETCH);
        out.printf(
            Locale.ROOT,
            "| %d | %d | %.4f | %.4f | %.4f | %.4f | %.1f |%n",
            p,
            c,
            sampling,
            fetch,
            cost.seconds() - sampling - fetch,
            cost.seconds(),
            first / cost.seconds());
        out.flush();
      }
    }
  }

  /// Features once, and as often as they go.
  private static List<Integer> replications(int ranks) {
    int most = ExchangeStrategy.isGrid(ranks, 4) ? 4 : ExchangeStrategy.isGrid(ranks, 2) ? 2 : 1;
    return IntStream.of(1, most).distinct().boxed().toList();
  }

  /// Historical embeddings with the numbers of MB, section 4.4; parts of the graph by `gvb`.
  private void sockets(PrintStream out, Dataset dataset) {
    Cluster cluster = ScaledMachine.named("xeon-8360y");
    HistoricalSettings embeddings = new HistoricalSettings(1_000_000, 2, 2000, 1, OnMiss.DROP);
    out.printf("%n### MB, figures 3 and 4: sockets of Xeon 8360Y, historical embeddings%n%n");
    out.println(
        "| model | P | sampling s | reduce s | the rest s | epoch s | times as fast as the first |");
    out.println("|---|---|---|---|---|---|---|");
    for (boolean attention : List.of(false, true)) {
      GraphTraining training = GraphTraining.on(dataset);
      training = attention ? training.gat(HIDDEN, HIDDEN) : training.sage(HIDDEN, HIDDEN);
      Strategies parts = new Strategies(training, dataset, cluster, folder);
      double first = Double.NaN;
      for (int p : sockets) {
        MinibatchSettings settings =
            MinibatchSettings.of(Sampler.sage(FANOUTS))
                .withBatchPerRank(1000)
                .withAutomaticBulk()
                .withOwnBatches(embeddings);
        EpochCost cost = cost(training, settings, p, cluster, parts.place(p, "gvb"));
        first = Double.isNaN(first) ? cost.seconds() : first;
        double sampling = cost.seconds(Phase.SAMPLE);
        double reduce = cost.seconds(Phase.REDUCE);
        out.printf(
            Locale.ROOT,
            "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.1f |%n",
            attention ? "GAT" : "GraphSAGE",
            p,
            sampling,
            reduce,
            cost.seconds() - sampling - reduce,
            cost.seconds(),
            first / cost.seconds());
        out.flush();
      }
    }
  }

  private static EpochCost cost(
      GraphTraining training, MinibatchSettings settings, int ranks, Cluster cluster) {
    return cost(training, settings, ranks, cluster, "block");
  }

  private static EpochCost cost(
      GraphTraining training,
      MinibatchSettings settings,
      int ranks,
      Cluster cluster,
      String placement) {
    RankSettings placed =
        new RankSettings(
            LaunchSettings.of(ranks),
            new ExchangeStrategy(Kind.SPARSITY_AWARE, settings.replication(), true),
            placement);
    return Planning.of(training.minibatches(settings).ranks(placed), cluster)
        .asSet()
        .cost()
        .orElseThrow(() -> new IllegalStateException("does not fit into memory"))
        .epoch();
  }
}
