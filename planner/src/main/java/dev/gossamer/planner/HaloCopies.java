package dev.gossamer.planner;

import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.util.stream.IntStream;

/// Which blocks have a remote vertex as a neighbour, and so keep copies of its embeddings. Memory:
/// 4 bytes per copy and 4 per vertex.
final class HaloCopies {
  private final int[] begins;
  private final int[] holders;

  private HaloCopies(int[] begins, int[] holders) {
    this.begins = begins;
    this.holders = holders;
  }

  /// Finds the copies. Cost: two passes over the entries.
  static HaloCopies of(CsrMatrix a, RowDistribution distribution) {
    int[] begins = new int[distribution.rows() + 1];
    each(a, distribution, (vertex, _) -> begins[vertex + 1]++);
    for (int v = 0; v < distribution.rows(); v++) {
      begins[v + 1] = Math.addExact(begins[v + 1], begins[v]);
    }
    int[] next = begins.clone();
    int[] holders = new int[begins[distribution.rows()]];
    each(a, distribution, (vertex, block) -> holders[next[vertex]++] = block);
    return new HaloCopies(begins, holders);
  }

  private interface Copy {
    void of(int vertex, int block);
  }

  private static void each(CsrMatrix a, RowDistribution distribution, Copy action) {
    // The last block, counted from 1, that saw a vertex.
    int[] last = new int[distribution.rows()];
    for (int i = 0; i < distribution.blocks(); i++) {
      int begin = distribution.begin(i);
      int end = distribution.end(i);
      for (long e = a.rowPointer(begin); e < a.rowPointer(end); e++) {
        int u = a.column(e);
        if ((u < begin || u >= end) && last[u] != i + 1) {
          last[u] = i + 1;
          action.of(u, i);
        }
      }
    }
  }

  /// Returns the remote neighbours of a block, ascending.
  int[] of(int block) {
    return IntStream.range(0, begins.length - 1)
        .filter(v -> IntStream.range(begins[v], begins[v + 1]).anyMatch(k -> holders[k] == block))
        .toArray();
  }

  /// Adds 1 to the count of each block that has a vertex as a remote neighbour.
  void count(int vertex, long[] rows) {
    for (int k = begins[vertex]; k < begins[vertex + 1]; k++) {
      rows[holders[k]]++;
    }
  }
}
