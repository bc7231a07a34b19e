package dev.gossamer.partition;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/// The loads of a request in the form of METIS.
///
/// @param count loads balanced
/// @param weights int32[n * count], the loads of a vertex side by side
/// @param imbalances float32[count], `1 + epsilon` of each
record MetisConstraints(int count, MemorySegment weights, MemorySegment imbalances) {

  static MetisConstraints of(Arena arena, CsrMatrix graph, PartitionRequest request) {
    int n = graph.cols();
    List<IntUnaryOperator> loads = new ArrayList<>();
    List<Double> epsilons = new ArrayList<>();
    Balance balance = request.balance();
    loads.add(v -> 1);
    epsilons.add(balance.vertices());
    if (balance.nonzeros() < Balance.FREE) {
      loads.add(v -> (int) graph.rowLength(v));
      epsilons.add(balance.nonzeros());
    }
    if (balance.training() < Balance.FREE && anyTraining(request)) {
      loads.add(v -> request.training().test(v) ? 1 : 0);
      epsilons.add(balance.training());
    }
    int count = loads.size();
    MemorySegment weights = arena.allocate(JAVA_INT, (long) n * count);
    MemorySegment imbalances = arena.allocate(JAVA_FLOAT, count);
    for (int c = 0; c < count; c++) {
      imbalances.setAtIndex(JAVA_FLOAT, c, (float) (1 + Math.min(1000, epsilons.get(c))));
      for (int v = 0; v < n; v++) {
        weights.setAtIndex(JAVA_INT, (long) v * count + c, loads.get(c).applyAsInt(v));
      }
    }
    return new MetisConstraints(count, weights, imbalances);
  }

  private static boolean anyTraining(PartitionRequest request) {
    for (int v = 0; v < request.vertices(); v++) {
      if (request.training().test(v)) {
        return true;
      }
    }
    return false;
  }

  /// The row pointers in 32 bits.
  ///
  /// @throws InvalidInputException if they do not fit
  static MemorySegment rowPointers(Arena arena, CsrMatrix graph) {
    if (graph.nnz() > Integer.MAX_VALUE) {
      throw new InvalidInputException(
          "partitioner metis: expected at most %d nonzeros, found %d; use gvb"
              .formatted(Integer.MAX_VALUE, graph.nnz()));
    }
    MemorySegment pointers = arena.allocate(JAVA_INT, graph.rows() + 1);
    for (long i = 0; i <= graph.rows(); i++) {
      pointers.setAtIndex(JAVA_INT, i, (int) graph.rowPointer(i));
    }
    return pointers;
  }
}
