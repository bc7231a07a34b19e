package dev.gossamer.gnn.stack;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.layers.FeaturedNeighbourhood;
import dev.gossamer.nn.layers.Neighbourhood;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Finds the features of the edges that layers see: of a whole graph, a block row or a sampled
/// block. The vertices of an edge say which entry of `A` it is, so nothing has to travel with it;
/// each rank reads the features of its edges where the data set has them.
public final class FeaturedEdges {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  /// Ranges of targets.
  private static final int PARTS = 64;

  private FeaturedEdges() {}

  /// {@return edges with their features, if layers read some} An edge that is not in the data set,
  /// from a vertex to itself, has none. Cost: a search in a row of `A` for each edge.
  ///
  /// @param arena owner of a number for each edge ([#bytes])
  /// @param edges with the data set's ids of their sources; borrowed
  /// @param data the data set; borrowed
  /// @param settings shape of the network
  /// @param workers threads to use; borrowed
  /// @throws IllegalArgumentException if edges of the data set have other features
  public static Neighbourhood of(
      Arena arena, Neighbourhood edges, GraphData data, NetworkSettings settings, Workers workers) {
    int width = settings.kind().edgeFeatures();
    if (width == 0) {
      return edges;
    }
    EdgeFeatures features = data.edgeFeatures();
    if (features == null || features.width() != width) {
      throw new IllegalArgumentException(
          "%s: expected %d features of each edge, found %d"
              .formatted(data.name(), width, features == null ? 0 : features.width()));
    }
    MemorySegment numbers =
        arena.allocate(EdgeRows.bytes(edges.edges().count()), DenseMatrix.ALIGNMENT);
    find(edges, data, numbers, workers);
    return new FeaturedNeighbourhood(edges, new EdgeRows(features.x(), numbers));
  }

  /// Both directions of an undirected edge have the same features: those of the entry in the
  /// target's row lie in the order in which passes read them.
  private static void find(
      Neighbourhood edges, GraphData data, MemorySegment numbers, Workers workers) {
    CsrMatrix a = data.adjacency();
    boolean directed = data.info().directed();
    CsrMatrix pattern = edges.edges().csr();
    RowIds ids = edges.sources();
    long step = Math.max(1, Math.ceilDiv(pattern.rows(), PARTS));
    workers.run(
        (int) Math.ceilDiv(pattern.rows(), step),
        (part, worker) -> {
          long end = Math.min(pattern.rows(), (part + 1) * step);
          for (long v = part * step; v < end; v++) {
            int target = (int) ids.id(v);
            for (long e = pattern.rowPointer(v); e < pattern.rowPointer(v + 1); e++) {
              int source = (int) ids.id(pattern.column(e));
              long entry = directed ? a.find(source, target) : a.find(target, source);
              numbers.setAtIndex(LONG, e, entry < 0 ? EdgeRows.NONE : entry);
            }
          }
        });
  }

  /// {@return the bytes of the numbers of edges; 0 if layers read no features of edges}
  ///
  /// @param settings shape of the network
  /// @param edges number of edges
  public static long bytes(NetworkSettings settings, long edges) {
    return settings.kind().edgeFeatures() > 0 ? EdgeRows.bytes(edges) : 0;
  }
}
