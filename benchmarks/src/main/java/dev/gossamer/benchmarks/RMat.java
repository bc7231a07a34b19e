package dev.gossamer.benchmarks;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/// Seeded R-MAT graphs (Chakrabarti, Zhan and Faloutsos 2004) as the measurements want them: `a, b,
/// c, d = .57, .19, .19, .05`, ids permuted, symmetric, without duplicates, scaled by `D^-1/2` on
/// both sides.
final class RMat {
  private RMat() {}

  /// @param scale log2 of the vertices, at most 30
  /// @param edgeFactor edges drawn per vertex, before they are mirrored and merged
  static CsrMatrix normalised(Arena arena, int scale, int edgeFactor, long seed) {
    CsrMatrix pattern = pattern(arena, scale, edgeFactor, seed);
    MemorySegment scales = arena.allocate(pattern.rows() * Float.BYTES, 64);
    for (long i = 0; i < pattern.rows(); i++) {
      long degree = pattern.rowLength(i);
      scales.setAtIndex(
          ValueLayout.JAVA_FLOAT, i, degree == 0 ? 0f : (float) (1 / Math.sqrt(degree)));
    }
    return pattern.withScales(scales, scales);
  }

  private static CsrMatrix pattern(Arena arena, int scale, int edgeFactor, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int n = 1 << scale;
    int[] names = permutation(n, random);
    long[] edges = new long[Math.multiplyExact(2 * edgeFactor, n)];
    for (int e = 0; e < edges.length; e += 2) {
      long edge = edge(scale, random);
      long u = names[(int) (edge >>> 32)];
      long v = names[(int) edge];
      edges[e] = u << 32 | v;
      edges[e + 1] = v << 32 | u;
    }
    Arrays.parallelSort(edges);
    return compressed(arena, n, edges);
  }

  private static long edge(int scale, SplittableRandom random) {
    long u = 0;
    long v = 0;
    for (int bit = 0; bit < scale; bit++) {
      double quadrant = random.nextDouble();
      u = u << 1 | (quadrant >= 0.76 ? 1 : 0);
      v = v << 1 | ((quadrant >= 0.57 && quadrant < 0.76) || quadrant >= 0.95 ? 1 : 0);
    }
    return u << 32 | v;
  }

  private static int[] permutation(int n, SplittableRandom random) {
    int[] names = new int[n];
    for (int i = 0; i < n; i++) {
      int j = random.nextInt(i + 1);
      names[i] = names[j];
      names[j] = i;
    }
    return names;
  }

  private static CsrMatrix compressed(Arena arena, int n, long[] sorted) {
    int kept = 0;
    for (int e = 0; e < sorted.length; e++) {
      if (e == 0 || sorted[e] != sorted[e - 1]) {
        kept++;
      }
    }
    MemorySegment pointers = arena.allocate((n + 1L) * Long.BYTES, 64);
    MemorySegment columns = arena.allocate((long) kept * Integer.BYTES, 64);
    long[] counts = new long[n + 1];
    long next = 0;
    for (int e = 0; e < sorted.length; e++) {
      if (e == 0 || sorted[e] != sorted[e - 1]) {
        columns.setAtIndex(ValueLayout.JAVA_INT, next++, (int) sorted[e]);
        counts[(int) (sorted[e] >>> 32) + 1]++;
      }
    }
    Arrays.parallelPrefix(counts, Long::sum);
    MemorySegment.copy(counts, 0, pointers, ValueLayout.JAVA_LONG, 0, counts.length);
    return CsrMatrix.wrap(n, n, pointers, columns, null);
  }
}
