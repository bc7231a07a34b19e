package dev.gossamer.graph;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// Builds the adjacency matrix `A` (row = source, column = target) from a stream of arcs:
/// optionally symmetrised, with rows sorted by column and duplicate arcs merged.
///
/// Reads the stream twice (count, then place); the order of its arcs does not matter. Off-heap
/// memory while it works: 16 bytes per vertex and 8 bytes per arc (12 with weights).
///
/// @param vertices `n`; ids are `0..n-1`
/// @param symmetrise whether each arc is stored in both directions
/// @param selfLoops whether arcs from a vertex to itself are kept
/// @param weighted whether weights are kept, adding those of duplicate arcs; otherwise a pattern
public record CsrBuilder(int vertices, boolean symmetrise, boolean selfLoops, boolean weighted) {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Checks the number of vertices.
  public CsrBuilder {
    InvalidSettingException.requireAtLeast("vertices", vertices, 0);
  }

  /// {@return a builder of an undirected pattern without self loops, as in most data sets}
  ///
  /// @param vertices `n`; ids are `0..n-1`
  public static CsrBuilder undirected(int vertices) {
    return new CsrBuilder(vertices, true, false, false);
  }

  /// {@return a builder of a pattern of the streamed arcs, including self loops}
  ///
  /// @param vertices `n`; ids are `0..n-1`
  public static CsrBuilder directed(int vertices) {
    return new CsrBuilder(vertices, false, true, false);
  }

  /// {@return a copy with weights; those of duplicate arcs are added}
  public CsrBuilder withWeights() {
    return new CsrBuilder(vertices, symmetrise, selfLoops, true);
  }

  /// {@return the peak bytes of [#build] for this number of streamed arcs}
  ///
  /// @param arcs number of streamed arcs
  public long peakBytes(long arcs) {
    long stored = symmetrise ? 2 * arcs : arcs;
    return CsrMatrix.bytes(vertices, stored, weighted) + CsrMatrix.bytes(vertices, stored, false);
  }

  /// Builds `A`. Cost: two passes over the arcs, and a sort of each row.
  ///
  /// @param arena owner of the result
  /// @param arcs stream that is read twice and must be the same both times
  /// @return canonical rows: ascending, without duplicates
  /// @throws IndexOutOfBoundsException if an arc names a vertex outside `0..n-1`
  public CsrMatrix build(Arena arena, EdgeStream arcs) {
    Objects.requireNonNull(arena, "arena");
    Objects.requireNonNull(arcs, "arcs");
    try (Arena temporary = Arena.ofShared()) {
      MemorySegment ends = temporary.allocate((vertices + 1L) * Long.BYTES, Long.BYTES);
      arcs.forEach((source, target, weight) -> {
        if (source < 0 || source >= vertices || target < 0 || target >= vertices) {
          throw new IndexOutOfBoundsException(
              "arc %d -> %d in a graph of %d vertices".formatted(source, target, vertices));
        }
        if (source == target) {
          count(ends, source, selfLoops ? 1 : 0);
        } else {
          count(ends, source, 1);
          count(ends, target, symmetrise ? 1 : 0);
        }
      });
      long told = toStarts(ends);
      MemorySegment values =
          temporary.allocate(weighted ? told * Float.BYTES : 0, DenseMatrix.ALIGNMENT);
      MemorySegment pointers = arena.allocate((vertices + 1L) * Long.BYTES, Long.BYTES);
      MemorySegment columns = columns(arena, arcs, told, ends, values, pointers);
      long bytes = columns.byteSize();
      return CsrMatrix.wrap(
          vertices, vertices, pointers, columns, weighted ? copy(arena, values, bytes) : null);
    }
  }

  /// Places and merges the arcs, and sets row pointers and values. Columns and values are as many
  /// bytes; the columns before merging are freed here, before the values are copied.
  private MemorySegment columns(
      Arena arena,
      EdgeStream arcs,
      long told,
      MemorySegment ends,
      MemorySegment values,
      MemorySegment pointers) {
    try (Arena temporary = Arena.ofShared()) {
      MemorySegment columns = temporary.allocate(told * Integer.BYTES, DenseMatrix.ALIGNMENT);
      // From here on ends[v] moves from the start of row v to its end, which is the start of row v
      // + 1.
      arcs.forEach((source, target, weight) -> {
        if (source != target) {
          place(ends, columns, values, source, target, weight);
          if (symmetrise) {
            place(ends, columns, values, target, source, weight);
          }
        } else if (selfLoops) {
          place(ends, columns, values, source, target, weight);
        }
      });
      return copy(arena, columns, merge(ends, columns, values, pointers) * Integer.BYTES);
    }
  }

  private static void count(MemorySegment counts, int vertex, int by) {
    counts.setAtIndex(LONG, vertex, counts.getAtIndex(LONG, vertex) + by);
  }

  private long toStarts(MemorySegment counts) {
    long sum = 0;
    for (int v = 0; v <= vertices; v++) {
      long count = counts.getAtIndex(LONG, v);
      counts.setAtIndex(LONG, v, sum);
      sum += count;
    }
    return sum;
  }

  private void place(
      MemorySegment ends,
      MemorySegment columns,
      MemorySegment values,
      int source,
      int target,
      float weight) {
    long at = ends.getAtIndex(LONG, source);
    ends.setAtIndex(LONG, source, at + 1);
    columns.setAtIndex(INT, at, target);
    if (weighted) {
      values.setAtIndex(FLOAT, at, weight);
    }
  }

  /// Sorts each row and merges repeats in place.
  ///
  /// @return entries that are left, at the beginning
  private long merge(
      MemorySegment ends, MemorySegment columns, MemorySegment values, MemorySegment pointers) {
    RowMerger merger = new RowMerger(weighted);
    long begin = 0;
    long kept = 0;
    for (int v = 0; v < vertices; v++) {
      long end = ends.getAtIndex(LONG, v);
      kept = merger.merge(columns, values, begin, end, kept);
      pointers.setAtIndex(LONG, v + 1L, kept);
      begin = end;
    }
    return kept;
  }

  private static MemorySegment copy(Arena arena, MemorySegment all, long bytes) {
    return arena.allocate(bytes, DenseMatrix.ALIGNMENT).copyFrom(all.asSlice(0, bytes));
  }
}
