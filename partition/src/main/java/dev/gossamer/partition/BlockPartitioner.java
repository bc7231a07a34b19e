package dev.gossamer.partition;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;

/// Divides vertices into equal blocks of consecutive vertices, without a permutation.
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
