package dev.gossamer.benchmarks;

import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.Work;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/// A cluster that is so many times slower as a graph is smaller: an epoch on the small graph then
/// takes as long as one on the whole graph takes on the cluster itself.
///
/// Work and bytes grow with the vertices at a given mean degree, latencies and the number of
/// messages do not. So each unit of work takes `scale` times as long and bandwidths are divided by
/// it; latencies, and the start of a kernel, stay. Gradients, which have no rows, count `scale`
/// times as many bytes: less than a millisecond an epoch in all tables here.
final class ScaledMachine {
  /// Memory without end: estimates of a small graph say nothing about the whole one.
  private static final long UNBOUNDED = Long.MAX_VALUE >> 12;

  private ScaledMachine() {}

  static Path file(String preset) {
    return Path.of("config", preset + ".yaml");
  }

  /// The cluster of a preset in the folder `config`.
  static Cluster named(String preset) {
    Path file = file(preset);
    return ClusterFile.read(
        file,
        () -> {
          throw new IllegalArgumentException(file + ": expected rates, found none");
        });
  }

  static Cluster slower(Cluster cluster, int scale) {
    MeasuredRates rates = (MeasuredRates) cluster.rates();
    Map<Work, RateTable> tables = new EnumMap<>(Work.class);
    rates.tables().forEach((work, table) -> tables.put(work, slower(work, table, scale)));
    return new Cluster(
        cluster.nodes(),
        cluster.ranksPerNode(),
        cluster.coresPerNode(),
        UNBOUNDED,
        slower(cluster.inside(), scale),
        slower(cluster.between(), scale),
        new MeasuredRates(rates.threads(), tables));
  }

  private static LinkRates slower(LinkRates link, int scale) {
    return new LinkRates(link.latency(), link.bandwidth() / scale);
  }

  private static RateTable slower(Work work, RateTable table, int scale) {
    int times = work == Work.START ? 1 : scale;
    return new RateTable(
        table.points().stream()
            .map(p -> new RateTable.Point(p.at(), times * p.one(), times * p.all()))
            .toList());
  }
}
