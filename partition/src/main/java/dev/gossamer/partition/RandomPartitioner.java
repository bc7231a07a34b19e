package dev.gossamer.partition;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.random.Philox;

/// Divides a random permutation of vertices into equal blocks: balances nonzeros on average (MG,
/// section 5.2), but every rank needs almost every row.
public record RandomPartitioner() implements Partitioner {
  private static final int STREAM = 0x52414e44;

  @Override
  public String name() {
    return "random";
  }

  @Override
  public String description() {
    return "nothing: an even random placement";
  }

  /// Balances vertices to within one vertex, regardless of the request.
  @Override
  public Partition partition(PartitionRequest request, Workers workers, Progress progress) {
    int[] parts = Partition.blocks(request.vertices(), request.parts()).toArray();
    Philox.keyed(request.seed(), STREAM, 0).shuffle(parts);
    return Partition.of(parts, request.parts());
  }

  @Override
  public long bytes(long vertices, long nonzeros, int parts, int threads) {
    return 3 * vertices * Integer.BYTES;
  }
}
