package dev.gossamer.graph;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

  /// Builds `A`. Cost: two passes over the arcs, and a sort of each row. The arcs are read on this
  /// thread, and placed and sorted on all processors; the result does not depend on their number.
  ///
  /// @param arena owner of the result
  /// @param arcs stream that is read twice and must be the same both times
  /// @return canonical rows: ascending, without duplicates
  /// @throws IndexOutOfBoundsException if an arc names a vertex outside `0..n-1`
  public CsrMatrix build(Arena arena, EdgeStream arcs) {
    return build(arena, arcs, Runtime.getRuntime().availableProcessors());
  }

  /// @param threads that place arcs, at least 1
  CsrMatrix build(Arena arena, EdgeStream arcs, int threads) {
    Objects.requireNonNull(arena, "arena");
    Objects.requireNonNull(arcs, "arcs");
    RowBlocks blocks = new RowBlocks(vertices, counts(arcs));
    try (Arena temporary = Arena.ofShared()) {
      MemorySegment rowEnds = temporary.allocate((vertices + 1L) * Long.BYTES, Long.BYTES);
      MemorySegment values =
          temporary.allocate(weighted ? blocks.room() * Float.BYTES : 0, DenseMatrix.ALIGNMENT);
      MemorySegment columns = columns(arena, checked(arcs), threads, blocks, values, rowEnds);
      return CsrMatrix.wrap(
          vertices,
          vertices,
          blocks.pointers(arena, rowEnds),
          columns,
          weighted ? blocks.copy(arena, values) : null);
    }
  }

  private EdgeStream checked(EdgeStream arcs) {
    return sink ->
        arcs.forEach((source, target, weight) -> {
          if (source < 0 || source >= vertices || target < 0 || target >= vertices) {
            throw new IndexOutOfBoundsException(
                "arc %d -> %d in a graph of %d vertices".formatted(source, target, vertices));
          }
          sink.arc(source, target, weight);
        });
  }

  /// Counts the entries of each range of rows. Self loops count, whether they are kept or not.
  private long[] counts(EdgeStream arcs) {
    int shift = RowBlocks.shift(vertices);
    long[] sources = new long[RowBlocks.ranges(vertices)];
    long[] targets = symmetrise ? sources : new long[sources.length];
    checked(arcs)
        .forEach((source, target, weight) -> {
          sources[source >> shift]++;
          targets[target >> shift]++;
        });
    return sources;
  }

  /// Places and merges the arcs, and sets the values. Rows, columns and values are as many bytes:
  /// the rows are freed before the columns are copied, and the columns before merging are freed
  /// here, before the values are copied.
  private MemorySegment columns(
      Arena arena,
      EdgeStream arcs,
      int threads,
      RowBlocks blocks,
      MemorySegment values,
      MemorySegment rowEnds) {
    try (Arena temporary = Arena.ofShared()) {
      long bytes = blocks.room() * Integer.BYTES;
      MemorySegment columns = temporary.allocate(bytes, DenseMatrix.ALIGNMENT);
      try (Arena untilMerged = Arena.ofShared()) {
        MemorySegment rows = untilMerged.allocate(bytes, DenseMatrix.ALIGNMENT);
        Entries entries = new Entries(rows, columns, values, weighted);
        RowOwners.forEach(
            arcs,
            blocks.owners(threads),
            (batch, begin, end) -> place(blocks, entries, batch, begin, end));
        blocks.merge(entries, rowEnds);
      }
      return blocks.copy(arena, columns);
    }
  }

  /// Places the entries of some arcs that are in a range of rows.
  private void place(RowBlocks blocks, Entries entries, ArcBatch arcs, int begin, int end) {
    for (int i = 0; i < arcs.size(); i++) {
      int source = arcs.source(i);
      int target = arcs.target(i);
      if (source == target && !selfLoops) {
        continue;
      }
      if (source >= begin && source < end) {
        entries.set(blocks.next(source), source, target, arcs.weight(i));
      }
      if (symmetrise && source != target && target >= begin && target < end) {
        entries.set(blocks.next(target), target, source, arcs.weight(i));
      }
    }
  }
}
