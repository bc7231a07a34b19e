package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;
import java.util.List;

/// What a thread knows of the relations of a target's edges.
final class RelationCounts {
  private final CsrMatrix csr;
  private final long[] sets;
  private final int[] counts;
  private long first;
  private long end;

  /// @param csr the pattern, with the number of a set as the value of each entry
  /// @param sets the relations of an edge, a bit for each, by that number
  /// @param relations how many there are
  RelationCounts(CsrMatrix csr, long[] sets, int relations) {
    this.csr = csr;
    this.sets = sets;
    counts = new int[relations];
  }

  /// Returns an array of the sets for kernels.
  static long[] array(List<Long> sets) {
    return sets.stream().mapToLong(Long::longValue).toArray();
  }

  /// Returns one for each thread.
  static RelationCounts[] of(EdgePattern edges, long[] sets, int relations, Workers workers) {
    RelationCounts[] all = new RelationCounts[workers.threads()];
    Arrays.setAll(all, _ -> new RelationCounts(edges.csr(), sets, relations));
    return all;
  }

  /// Turns to a target, and counts its edges by relation.
  void turn(long v) {
    first = csr.rowPointer(v);
    end = csr.rowPointer(v + 1);
    Arrays.fill(counts, 0);
    for (long e = first; e < end; e++) {
      for (long set = set(e); set != 0; set &= set - 1) {
        counts[Long.numberOfTrailingZeros(set)]++;
      }
    }
  }

  /// Number of the target's first edge.
  long first() {
    return first;
  }

  /// Number behind that of its last edge.
  long end() {
    return end;
  }

  /// Edges of the target in a relation.
  int count(int relation) {
    return counts[relation];
  }

  /// Relations of an edge.
  long set(long e) {
    return set(csr, sets, e);
  }

  static long set(CsrMatrix csr, long[] sets, long e) {
    int number = (int) csr.value(e);
    return number == RelationSums.NONE ? 0 : sets[number];
  }
}
