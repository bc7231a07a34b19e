package dev.gossamer.gnn.hop;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import java.util.HashMap;
import java.util.Map;

/// The memory of the hops of a network's features for one placement after another, each of which is
/// planned once ([HopPlan]).
public final class HopMemory {
  private final GraphData data;
  private final NetworkSettings network;
  private final Map<Ranks, HopPlan> known = new HashMap<>();

  /// @param placement compared as an object: each has its own
  /// @param strategy of the exchange
  private record Ranks(Placement placement, ExchangeStrategy strategy) {}

  /// Plans nothing yet.
  ///
  /// @param data with the features
  /// @param network what it reads
  public HopMemory(GraphData data, NetworkSettings network) {
    this.data = data;
    this.network = network;
  }

  /// {@return bytes of the rows that are kept of some vertices}
  ///
  /// @param own how many
  public long keptBytes(long own) {
    return HopPlan.keptBytes(network, data, own);
  }

  /// {@return bytes that computing the rows of a block takes besides} Cost: a few passes over the
  /// graph for each placement, once.
  ///
  /// @param placement of the vertices
  /// @param strategy which rows are exchanged, and how
  /// @param block of the rank
  public synchronized long workingBytes(Placement placement, ExchangeStrategy strategy, int block) {
    return network.precomputed().isNone()
        ? 0
        : known
            .computeIfAbsent(
                new Ranks(placement, strategy),
                ranks -> HopPlan.of(new PlacedGraph(data, ranks.placement()), ranks.strategy()))
            .workingBytes(network, block * strategy.replication());
  }
}
