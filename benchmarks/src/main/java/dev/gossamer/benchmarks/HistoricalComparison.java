package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.minibatch.MinibatchTrainer;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.partition.PartitionRequest;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.EpochCosts;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Minibatch epochs that fetch what they need of other ranks beside epochs that take it from
/// historical embeddings: the same batches of vertices, one epoch of each in turn.
@Command(name = "historical", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class HistoricalComparison implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      required = true,
      description = "a data set folder; without a split 60/20/20 is drawn")
  private Path data = Path.of("");

  @Option(names = "--ranks", description = "ranks, as threads")
  private int ranks = 4;

  @Option(names = "--placement", description = "partitioner")
  private String placement = "gvb";

  @Option(names = "--fanouts", split = ",", description = "of GraphSAGE, from the batch outwards")
  private int[] fanouts = {15, 10, 5};

  @Option(names = "--hidden", description = "width of the hidden layers")
  private int hidden = 64;

  @Option(names = "--batch", description = "vertices of a batch")
  private int batchSize = 512;

  @Option(names = "--epochs", description = "of each kind; the first is not counted")
  private int epochs = 6;

  @Option(names = "--link", description = "network that is imitated, after one run without")
  private String link = "30us,0.8ns";

  @Option(names = "--seed", description = "of weights and samples")
  private long seed = 1;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new HistoricalComparison()).execute(arguments));
  }

  /// A way to come to the rows of other ranks.
  private record Kind(String name, boolean overlap, @Nullable HistoricalSettings historical) {}

  private static List<Kind> kinds() {
    HistoricalSettings drop = HistoricalSettings.DEFAULT;
    return List.of(
        new Kind("fetch", false, null),
        new Kind("fetch ahead", true, null),
        new Kind("historical, drop", false, drop),
        new Kind(
            "historical, fetch",
            false,
            new HistoricalSettings(
                drop.lines(), drop.life(), drop.pushLimit(), drop.delay(), OnMiss.FETCH)));
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    try (GraphData stored = DatasetFolder.open(data);
        Workers workers = new Workers(2)) {
      GraphData dataset =
          stored.split().length > 0
              ? stored
              : stored.withSplit(Splits.draw(stored, Splits.Fractions.parse("60/20/20"), seed));
      PartitionRequest request =
          PartitionRequest.of(dataset.adjacency(), ranks, seed)
              .withTraining(v -> dataset.isLabelled(v, Split.TRAIN));
      int[] part =
          Partitioner.named(placement).partition(request, workers, Progress.SILENT).toArray();
      out.print(Machine.here().text());
      out.printf(
          "%s on %d ranks by %s, fanouts %s, %d wide, batches of %d%n",
          dataset.name(), ranks, placement, Arrays.toString(fanouts), hidden, batchSize);
      for (String network : new String[] {"", link}) {
        measure(dataset, Placement.of(part, ranks), network);
      }
    }
    return 0;
  }

  private void measure(GraphData dataset, Placement where, String network) {
    ThreadOptions options =
        ThreadOptions.DEFAULT.withLink(network.isEmpty() ? null : Link.parse(network));
    System.out.printf("%nlink %s%n", network.isEmpty() ? "none" : network);
    System.out.printf(
        "%-18s %9s  %-64s %9s %9s %6s  %s%n",
        "", "epoch ms", "of it", "fetched", "pushed", "map", "hits");
    ThreadRanks.run(ranks, options, world -> epochs(world, dataset, where));
  }

  private void epochs(Communicator world, GraphData dataset, Placement where) {
    List<Kind> kinds = kinds();
    List<MinibatchTrainer> trainers = new ArrayList<>();
    List<List<Double>> seconds = new ArrayList<>();
    List<Map<Phase, Double>> phases = new ArrayList<>();
    try (Workers workers = new Workers(1)) {
      for (Kind kind : kinds) {
        trainers.add(trainer(world, dataset, where, kind, workers));
        seconds.add(new ArrayList<>());
        phases.add(new EnumMap<>(Phase.class));
      }
      for (int epoch = 0; epoch < epochs; epoch++) {
        for (int k = 0; k < kinds.size(); k++) {
          world.barrier();
          long start = System.nanoTime();
          trainers.get(k).train(epoch, 0.003);
          double mine = (System.nanoTime() - start) / 1e9;
          double slowest = trainers.get(k).team().max(mine)[0];
          Map<Phase, Double> parts = EpochCosts.of(trainers.get(k)).phases();
          if (epoch > 0) {
            seconds.get(k).add(slowest);
            Map<Phase, Double> sums = phases.get(k);
            parts.forEach((phase, time) -> sums.merge(phase, time, Double::sum));
          }
        }
      }
      for (int k = 0; k < kinds.size(); k++) {
        print(world, kinds.get(k), trainers.get(k), seconds.get(k), phases.get(k));
      }
      trainers.forEach(MinibatchTrainer::close);
    }
  }

  private MinibatchTrainer trainer(
      Communicator world, GraphData dataset, Placement where, Kind kind, Workers workers) {
    NetworkSettings network =
        NetworkSettings.of(new Sage()).withHidden(Collections.nCopies(fanouts.length - 1, hidden));
    MinibatchSettings settings =
        MinibatchSettings.of(Sampler.sage(fanouts))
            .withBatchPerRank(batchSize)
            .withOverlap(kind.overlap() ? Overlap.ON : Overlap.OFF)
            .withOwnBatches(kind.historical());
    return new MinibatchTrainer(
        world,
        where,
        MinibatchPlan.of(
            dataset, new NetworkTraining(network, new OptimizerRule.Adam(0), seed), ranks),
        settings,
        new Kernels(workers, Matmul.java()));
  }

  private void print(
      Communicator world,
      Kind kind,
      MinibatchTrainer trainer,
      List<Double> seconds,
      Map<Phase, Double> phases) {
    double[] sums = trainer.team().sum(numbers(trainer));
    boolean cached = kind.historical() != null;
    if (world.rank() != 0) {
      return;
    }
    double median = seconds.stream().sorted().toList().get(seconds.size() / 2);
    double all = seconds.stream().mapToDouble(Double::doubleValue).sum();
    String parts =
        phases.entrySet().stream()
            .filter(part -> part.getValue() > 0)
            .map(part ->
                "%s %.0f".formatted(part.getKey().label(), 1e3 * part.getValue() / seconds.size()))
            .collect(Collectors.joining(" "));
    int layers = fanouts.length;
    String hits =
        IntStream.range(0, cached ? layers : 0)
            .mapToObj(l -> "L%d %.0f%%".formatted(l, 100 * sums[2 + l] / sums[2 + layers + l]))
            .collect(Collectors.joining(" "));
    System.out.printf(
        Locale.ROOT,
        "%-18s %9.1f  %-64s %7.2fMB %7.2fMB %5.2f%%  %s%n",
        kind.name(),
        1e3 * median,
        parts,
        sums[0] / epochs / 1e6,
        sums[1] / epochs / 1e6,
        100 * phases.getOrDefault(Phase.MAP, 0.0) / all,
        hits);
  }

  /// Fetched and pushed bytes, hits of each layer, and what each layer asked for.
  private double[] numbers(MinibatchTrainer trainer) {
    int layers = fanouts.length;
    double[] numbers = new double[2 + 2 * layers];
    numbers[0] = (double) trainer.counts().fetched().bytes();
    HistoricalCounts counts = trainer.counts().historical();
    if (counts != null) {
      numbers[1] = (double) counts.pushedBytes();
      for (int l = 0; l < layers; l++) {
        numbers[2 + l] = (double) counts.hits(l);
        numbers[2 + layers + l] = (double) (counts.hits(l) + counts.misses(l));
      }
    }
    return numbers;
  }
}
