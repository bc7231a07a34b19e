package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.GraphPartitioning;
import dev.gossamer.GraphTraining;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.Planning;
import dev.gossamer.RankSettings;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.run.LaunchSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Plans of single strategies. Parts are made once and kept in a folder, for the next run too.
///
/// @param training on the data set
/// @param dataset of a name that tells all about it
/// @param cluster where it would train
/// @param folder of part files
record Strategies(GraphTraining training, Dataset dataset, Cluster cluster, Path folder) {
  /// The same where messages between nodes take so many links of a node at once.
  Strategies onLinks(int links) {
    LinkRates one = cluster.between();
    Cluster wider =
        new Cluster(
            cluster.nodes(),
            cluster.ranksPerNode(),
            cluster.coresPerNode(),
            cluster.memoryPerNode(),
            cluster.inside(),
            new LinkRates(one.latency(), links * one.bandwidth()),
            cluster.rates());
    return new Strategies(training, dataset, wider, folder);
  }

  /// What an epoch over the whole graph costs.
  EpochCost cost(int ranks, Kind kind, int c, boolean overlap, String placement) {
    return plan(ranks, new ExchangeStrategy(kind, c, overlap), placement)
        .cost()
        .orElseThrow()
        .epoch();
  }

  PlannedStrategy plan(int ranks, ExchangeStrategy strategy, String placement) {
    String where = place(strategy.blocks(ranks), placement);
    RankSettings settings = new RankSettings(LaunchSettings.of(ranks), strategy, where);
    return Planning.of(training.ranks(settings), cluster).asSet();
  }

  /// The placement, or the file of the parts that a partitioner makes.
  String place(int parts, String placement) {
    boolean partitions =
        !placement.equals("random")
            && !placement.equals("block")
            && Partitioner.names().contains(placement);
    if (!partitions || parts == 1) {
      return parts == 1 ? "block" : placement;
    }
    Path file = folder.resolve("%s.%s.%d".formatted(dataset.name(), placement, parts));
    if (!Files.exists(file)) {
      try {
        Files.createDirectories(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      GraphPartitioning.Result made =
          GraphPartitioning.of(dataset).parts(parts).method(placement).run();
      System.err.printf("%s: %.1f s%n", file, made.seconds());
      made.write(file);
    }
    return file.toString();
  }
}
