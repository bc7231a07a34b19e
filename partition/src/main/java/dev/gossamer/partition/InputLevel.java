package dev.gossamer.partition;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The finest graph of a request: loads, their caps, and edge weights that suit the objective.
///
/// For the edge cut, the weight of an edge is its value, or 1. For the volumes, it is `h(deg u) +
/// h(deg v)` with `h(d) = 1024 / d`: the contribution of a cut edge to `lambda` of one end
/// decreases with its degree, because a vertex with more neighbours is more likely to have another
/// one in that part.
final class InputLevel {
  private static final double FALL = -1;
  private static final int UNIT = 1024;

  /// Float weights become integers of up to so much.
  private static final int MOST_WEIGHT = 1 << 16;

  private final LevelGraph graph;
  private final long[] caps;

  private InputLevel(LevelGraph graph, long[] caps) {
    this.graph = graph;
    this.caps = caps;
  }

  LevelGraph graph() {
    return graph;
  }

  /// Returns the maximum of each load of a part.
  long[] caps() {
    return caps;
  }

  /// @param pattern symmetric, without a diagonal
  static InputLevel of(
      Arena arena, CsrMatrix pattern, PartitionRequest request, Objective objective) {
    int n = pattern.cols();
    Balance balance = request.balance();
    List<int[]> loads = new ArrayList<>();
    List<Double> epsilons = new ArrayList<>();
    int[] degrees = new int[n];
    Arrays.setAll(degrees, v -> (int) pattern.rowLength(v));
    int[] ones = new int[n];
    Arrays.fill(ones, 1);
    loads.add(ones);
    epsilons.add(balance.vertices());
    if (balance.nonzeros() < Balance.FREE) {
      loads.add(degrees);
      epsilons.add(balance.nonzeros());
    }
    int[] training = new int[n];
    Arrays.setAll(training, v -> request.training().test(v) ? 1 : 0);
    if (balance.training() < Balance.FREE && Arrays.stream(training).anyMatch(t -> t > 0)) {
      loads.add(training);
      epsilons.add(balance.training());
    }
    long[] caps = new long[loads.size()];
    for (int c = 0; c < caps.length; c++) {
      long total = Arrays.stream(loads.get(c)).asLongStream().sum();
      // Without a limit a part may be everything.
      double epsilon = Math.min(request.parts(), epsilons.get(c));
      caps[c] = PartLoads.equalCaps(total, request.parts(), epsilon)[0];
    }
    int[][] all = loads.toArray(int[][]::new);
    if (objective == Objective.EDGE_CUT && pattern.values() != null) {
      return new InputLevel(LevelGraph.weightedInput(pattern, integers(arena, pattern), all), caps);
    }
    return new InputLevel(LevelGraph.input(pattern, halves(degrees, objective), all), caps);
  }

  private static int[] halves(int[] degrees, Objective objective) {
    int[] halves = new int[degrees.length];
    for (int v = 0; v < halves.length; v++) {
      double fallen = UNIT * Math.pow(Math.max(1, degrees[v]), FALL);
      halves[v] = objective == Objective.EDGE_CUT ? 1 : (int) Math.max(1, fallen);
    }
    return halves;
  }

  /// The values scaled so that the largest is [#MOST_WEIGHT] if it is above that or any is no whole
  /// number; at least 1 each.
  private static MemorySegment integers(Arena arena, CsrMatrix pattern) {
    float most = 0;
    boolean whole = true;
    for (long e = 0; e < pattern.nnz(); e++) {
      float value = Math.abs(pattern.value(e));
      most = Math.max(most, value);
      whole &= value == Math.rint(value);
    }
    double scale = whole && most <= MOST_WEIGHT ? 1 : MOST_WEIGHT / Math.max(1e-30, (double) most);
    MemorySegment weights = arena.allocate(pattern.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < pattern.nnz(); e++) {
      double scaled = (double) Math.abs(pattern.value(e)) * scale;
      weights.setAtIndex(ValueLayout.JAVA_INT, e, (int) Math.max(1, Math.round(scaled)));
    }
    return weights;
  }
}
