package dev.gossamer.partition;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.partition.level.Symmetric;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntPredicate;

/// The quality of a partition, computed from the definition on the pattern of `A + A^T` without the
/// diagonal.
///
/// The owner of a vertex `v` sends one row to each other part that has a neighbour of `v`:
/// `lambda(v)` rows. Part `a` sends `sum over v in a of lambda(v)` rows in one sparse product.
///
/// @param parts `k`
/// @param edgeCut edges between parts
/// @param totalVolume rows sent by all parts
/// @param maxSend rows sent by the part that sends the most
/// @param maxReceive rows received by the part that receives the most
/// @param maxMessages maximum number of parts that one part sends to
/// @param vertexImbalance vertices of the largest part divided by the average, minus 1
/// @param nonzeroImbalance the same for degrees
/// @param trainingImbalance the same for training vertices; 0 if there are none
public record PartitionQuality(
    int parts,
    long edgeCut,
    long totalVolume,
    long maxSend,
    long maxReceive,
    int maxMessages,
    double vertexImbalance,
    double nonzeroImbalance,
    double trainingImbalance) {

  /// Computes the quality of a partition. Cost: one pass over the edges.
  ///
  /// @param request the graph and the training vertices
  /// @param partition of the same vertices
  /// @return the counts
  /// @throws IllegalArgumentException if the partition has a different number of vertices
  public static PartitionQuality of(PartitionRequest request, Partition partition) {
    if (partition.vertices() != request.vertices()) {
      throw new IllegalArgumentException(
          "quality: the graph has %d vertices but the partition has %d"
              .formatted(request.vertices(), partition.vertices()));
    }
    try (Arena arena = Arena.ofShared()) {
      Count count = new Count(partition, request.training());
      count.add(Symmetric.of(arena, request.adjacency()));
      return count.quality();
    }
  }

  /// {@return the average number of rows that a part sends}
  public double averageSend() {
    return (double) totalVolume / parts;
  }

  /// {@return the excess of [#maxSend] over the average: 0.67 is 67 %; 0 if nothing is sent}
  public double sendImbalance() {
    return totalVolume == 0 ? 0 : (double) maxSend / averageSend() - 1;
  }

  private static final class Count {
    private final Partition partition;
    private final IntPredicate training;
    private final int k;
    private final long[] send;
    private final long[] receive;
    private final long[] vertices;
    private final long[] degrees;
    private final long[] trained;
    private final java.util.BitSet pairs = new java.util.BitSet();
    private long cutArcs;

    private Count(Partition partition, IntPredicate training) {
      this.partition = partition;
      this.training = training;
      k = partition.parts();
      send = new long[k];
      receive = new long[k];
      vertices = new long[k];
      degrees = new long[k];
      trained = new long[k];
    }

    private void add(CsrMatrix graph) {
      int[] seenBy = new int[k];
      Arrays.fill(seenBy, -1);
      for (int v = 0; v < graph.cols(); v++) {
        int own = partition.part(v);
        vertices[own]++;
        degrees[own] += graph.rowLength(v);
        trained[own] += training.test(v) ? 1 : 0;
        for (long e = graph.rowPointer(v); e < graph.rowPointer(v + 1L); e++) {
          int other = partition.part(graph.column(e));
          cutArcs += other == own ? 0 : 1;
          if (other != own && seenBy[other] != v) {
            seenBy[other] = v;
            send[own]++;
            receive[other]++;
            pairs.set(own * k + other);
          }
        }
      }
    }

    private PartitionQuality quality() {
      int messages = 0;
      for (int p = 0; p < k; p++) {
        messages = Math.max(messages, pairs.get(p * k, (p + 1) * k).cardinality());
      }
      return new PartitionQuality(
          k,
          cutArcs / 2,
          Arrays.stream(send).sum(),
          Arrays.stream(send).max().orElse(0),
          Arrays.stream(receive).max().orElse(0),
          messages,
          imbalance(vertices),
          imbalance(degrees),
          imbalance(trained));
    }

    private static double imbalance(long[] loads) {
      long sum = Arrays.stream(loads).sum();
      long most = Arrays.stream(loads).max().orElse(0);
      return sum == 0 ? 0 : (double) most * loads.length / sum - 1;
    }
  }
}
