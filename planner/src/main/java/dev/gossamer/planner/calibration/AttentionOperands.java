package dev.gossamer.planner.calibration;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.Attention;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.planner.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Operands of attention over the edges of one graph, besides rows: scores of the vertices and
/// numbers of the edges.
final class AttentionOperands {
  private final List<Integer> at;
  private final EdgePattern edges;
  private final EdgePattern.Transposed transposed;
  private final MemorySegment scores;
  private final MemorySegment scoreGradients;
  private final MemorySegment alpha;
  private final MemorySegment edgeGradients;
  private final MemorySegment vectors;

  /// @param arena shared, owner of the memory
  /// @param a square, symmetric
  /// @param at vertices and edges per vertex, as in the keys of the table
  /// @param sizes of the kernels
  AttentionOperands(Arena arena, CsrMatrix a, List<Integer> at, Sizes.Attention sizes) {
    this.at = at;
    edges = new EdgePattern(a);
    transposed = edges.symmetricTransposed(arena);
    int heads = sizes.heads().getLast();
    scores = memory(arena, a.rows(), 2 * heads);
    scoreGradients = memory(arena, a.rows(), 2 * heads);
    alpha = memory(arena, a.nnz(), heads);
    edgeGradients = memory(arena, a.nnz(), 2 * heads);
    vectors = memory(arena, 2, sizes.widths().getLast());
  }

  private static MemorySegment memory(Arena arena, long rows, int cols) {
    MemorySegment memory = arena.allocate(DenseMatrix.bytes(rows, cols), DenseMatrix.ALIGNMENT);
    DenseMatrix.wrap(memory, rows, cols).fill(0.5f);
    return memory;
  }

  List<Integer> at() {
    return at;
  }

  /// @param read rows of sources
  /// @param written sums and gradients
  List<Kernel> kernels(
      Sizes.Attention sizes, MemorySegment read, MemorySegment written, Workers w) {
    List<Kernel> kernels = new ArrayList<>();
    for (int heads : sizes.heads()) {
      for (int width : sizes.widths()) {
        kernels.add(
            new Kernel(
                Work.ATTENTION,
                List.of(at.get(0), at.get(1), heads, width),
                edges.count(),
                passes(heads, width, read, written, w)));
      }
    }
    return kernels;
  }

  /// All passes of a training step over the edges.
  private Runnable passes(
      int heads, int width, MemorySegment read, MemorySegment written, Workers w) {
    long n = edges.targets();
    DenseMatrix z = CalibrationData.matrix(read, n, width);
    DenseMatrix y = CalibrationData.matrix(written, n, width);
    DenseMatrix e = CalibrationData.matrix(scores, n, 2 * heads);
    DenseMatrix de = CalibrationData.matrix(scoreGradients, n, 2 * heads);
    DenseMatrix weights = CalibrationData.matrix(alpha, edges.count(), heads);
    DenseMatrix g = CalibrationData.matrix(edgeGradients, edges.count(), 2 * heads);
    MemorySegment a = vectors.asSlice(0, DenseMatrix.bytes(2L * heads, width / heads));
    RowIds ids = RowIds.from(0);
    return () -> {
      Attention attention = new Attention(heads, width / heads);
      attention.forward(edges, z, e, weights, y, null, ids, w, RowEpilogue.NONE);
      attention.targetGradients(edges, z, e, weights, y, 1f, g, de, w);
      attention.sourceGradients(transposed, z, g, a, de, y, w);
    };
  }
}
