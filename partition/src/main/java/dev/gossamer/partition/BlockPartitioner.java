package dev.gossamer.partition;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;

/// Blocks of consecutive vertices, even to one vertex: what needs no permutation.
public record BlockPartitioner() implements Partitioner {
  @Override
  public String name() {
    return "block";
  }

  @Override
  public String description() {
    return "nothing: blocks of consecutive vertices";
  }

  /// Balances only vertices, regardless of the request.
  @Override
  public Partition partition(PartitionRequest request, Workers workers, Progress progress) {
    return Partition.blocks(request.vertices(), request.parts());
  }

  @Override
  public long bytes(long vertices, long nonzeros, int parts, int threads) {
    return vertices * Integer.BYTES;
  }
}
