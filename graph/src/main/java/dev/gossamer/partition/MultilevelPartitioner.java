package dev.gossamer.partition;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import dev.gossamer.partition.level.Symmetric;
import dev.gossamer.partition.refine.VolumeGains;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
    int n = request.vertices();
    int k = request.parts();
    if (k == 1 || n <= k) {
      return Partition.blocks(n, k);
    }
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix pattern = Symmetric.of(arena, request.adjacency());
      List<int[]> loads = new ArrayList<>();
      List<Double> eps = new ArrayList<>();
      int[] ones = new int[n];
      Arrays.fill(ones, 1);
      loads.add(ones);
      eps.add(request.balance().vertices());
      int[] degree = new int[n];
      Arrays.setAll(degree, v -> (int) pattern.rowLength(v));
      if (request.balance().nonzeros() < Balance.FREE) {
        loads.add(degree);
        eps.add(request.balance().nonzeros());
      }
      long[] caps = new long[loads.size()];
      for (int c = 0; c < caps.length; c++) {
        long total = Arrays.stream(loads.get(c)).asLongStream().sum();
        caps[c] = PartLoads.equalCaps(total, k, Math.min(1e6, eps.get(c)))[0];
      }
      int[] halves = new int[n];
      Arrays.setAll(
          halves,
          v ->
              objective == Objective.EDGE_CUT
                  ? 1
                  : (int)
                      Math.max(
                          1, 256 * Math.pow(Math.max(1, degree[v]), -MultilevelRun.ALPHA)));
      LevelGraph graph = LevelGraph.input(pattern, halves, loads.toArray(int[][]::new));
      int[] part = new MultilevelRun(objective, request, workers, progress, caps).run(graph);
      return Partition.of(part, k);
    }
  }

  @Override
  public long bytes(long vertices, long nonzeros, int parts, int threads) {
    return VolumeGains.bytes(vertices, nonzeros);
  }
}
