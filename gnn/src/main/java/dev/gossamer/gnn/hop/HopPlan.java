package dev.gossamer.gnn.hop;

import dev.gossamer.exchange.DistributedSpmm;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.TileBalance;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.sparse.Spmm;

/// The memory of [HopFeatures], from sizes, the pattern and the placement.
///
/// @param graph with the placement
/// @param strategy which rows are exchanged, and how
/// @param volume traffic of the product by `Â`
/// @param balance entries of each rank's tiles
public record HopPlan(
    PlacedGraph graph, ExchangeStrategy strategy, ExchangeVolume volume, TileBalance balance) {
  /// Line of estimates: rows that are kept in place of the features.
  public static final String KEPT = "hops of the features";

  /// Line of estimates: what computing them takes, as far as it is more than what is allocated
  /// afterwards.
  public static final String COMPUTING = "computing the hops";

  /// {@return the plan of some ranks} Cost: a few passes over the graph.
  ///
  /// @param graph placed in the number of blocks of the strategy
  /// @param strategy which rows are exchanged, and how
  public static HopPlan of(PlacedGraph graph, ExchangeStrategy strategy) {
    GraphData data = graph.data();
    Placement placement = graph.placement();
    CsrMatrix a = data.adjacency();
    boolean directed = data.info().directed();
    int c = strategy.replication();
    return new HopPlan(
        graph,
        strategy,
        ExchangeVolume.forward(a, directed, placement, strategy.kind(), c).in(strategy.wire()),
        TileBalance.of(a, placement));
  }

  /// {@return bytes of the rows of a rank; 0 if the network reads the features themselves}
  ///
  /// @param network what it reads
  /// @param data with the features
  /// @param own vertices of the rank
  public static long keptBytes(NetworkSettings network, GraphData data, long own) {
    return network.precomputed().isNone()
        ? 0
        : DenseMatrix.bytes(own, network.input(data.features()).width());
  }

  /// {@return bytes that computing them takes besides, which are free again before anything else is
  /// allocated; 0 if the network reads the features themselves}
  ///
  /// @param network how it sees the graph
  /// @param rank number of the rank
  public long workingBytes(NetworkSettings network, int rank) {
    if (network.precomputed().isNone()) {
      return 0;
    }
    GraphData data = graph.data();
    int block = rank / strategy.replication();
    long own = graph.placement().distribution().count(block);
    int columns = HopFeatures.width(data.features()).widest();
    long columnsOfTwo = 2 * DenseMatrix.bytes(own, columns);
    CsrMatrix a = data.adjacency();
    boolean values = a.values() != null;
    if (graph.placement().distribution().blocks() == 1) {
      long entries = a.nnz() + (network.selfLoops() ? own : 0);
      return columnsOfTwo
          + network.graph(data).bytes()
          + Spmm.bytesAtMost(own, entries, values, own, 0);
    }
    long entries = balance.entries(block) + own;
    long remote = volume.rowsReceived(rank);
    // The block rows, of both directions if there are two, the tiles that are cut from them, and
    // the maps that do it.
    int matrices = data.info().directed() ? 3 : 2;
    int stages = 1 + graph.placement().distribution().blocks() / strategy.replication();
    return columnsOfTwo
        + matrices * CsrMatrix.bytes(own, entries, values)
        + stages * (own + 1) * Long.BYTES
        + data.vertices() * (2L * Integer.BYTES + 4L * Float.BYTES)
        + Spmm.bytesAtMost(own, entries, values, own, remote)
        + DistributedSpmm.plannedBuffers(
                volume, volume, strategy, rank, HopFeatures.width(data.features()))
            .bytes();
  }
}
