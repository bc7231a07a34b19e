package dev.gossamer.partition;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.Workers;

/// Multilevel partitioning.
///
/// @param objective what is made small
public record MultilevelPartitioner(Objective objective) implements Partitioner {
  @Override
  public String name() {
    return switch (objective) {
      case EDGE_CUT -> "edge-cut";
      case VOLUME -> "volume";
      case SEND_VOLUME -> "gvb";
      case SEND_RECEIVE_VOLUME -> "gvb-receive";
    };
  }

  @Override
  public Partition partition(PartitionRequest request, Workers workers, Progress progress) {
    return Partition.blocks(request.vertices(), request.parts());
  }

  @Override
  public long bytes(long vertices, long nonzeros, int parts, int threads) {
    return vertices * Integer.BYTES;
  }
}
