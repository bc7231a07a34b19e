package dev.gossamer.graph;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Makes the matrix of the relations of one graph.
final class RelationMatrix {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Numbers that a value, which is a float32, can be.
  private static final int MOST_SETS = 1 << 24;

  private final Arena arena;
  private final GraphData data;
  private final CsrMatrix a;
  private final Relations relations;

  /// Number of each set, in the order in which they are met.
  private final Map<Long, Integer> numbers = new HashMap<>();

  private final List<Long> sets = new ArrayList<>();
  private long last = -1;
  private int lastNumber = -1;

  /// @param arena owner of the new matrix
  RelationMatrix(Arena arena, GraphData data) {
    this.arena = arena;
    this.data = data;
    a = data.adjacency();
    relations = Relations.named(data);
  }

  GraphData graph() {
    CsrMatrix matrix = data.info().directed() ? bothWays() : a.withValues(oneWay());
    return data.related(relations.with(sets), matrix);
  }

  private MemorySegment oneWay() {
    MemorySegment values = arena.allocate(a.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < a.nnz(); e++) {
      values.set(FLOAT, e * Float.BYTES, number(types(e)));
    }
    return values;
  }

  /// The types of an entry.
  private long types(long entry) {
    GraphTypes types = data.types();
    MemorySegment masks = types == null ? null : types.masks();
    return masks == null ? 1 : Integer.toUnsignedLong(masks.get(INT, entry * Integer.BYTES));
  }

  private float number(long set) {
    if (set != last || lastNumber < 0) {
      last = set;
      lastNumber = numbers.computeIfAbsent(set, this::next);
    }
    return lastNumber;
  }

  private int next(long set) {
    if (sets.size() == MOST_SETS) {
      throw new InvalidInputException(
          "%s: edges have more than %,d different sets of types; use fewer types"
              .formatted(data.name(), MOST_SETS));
    }
    sets.add(set);
    return sets.size() - 1;
  }

  /// The union of `A^T`, by which messages pass along edges, and `A`, by which they pass against
  /// them.
  private CsrMatrix bothWays() {
    int n = a.cols();
    try (Arena temporary = Arena.ofConfined()) {
      Incoming in = new Incoming(temporary);
      MemorySegment pointers = arena.allocate((n + 1L) * Long.BYTES, Long.BYTES);
      long size = 0;
      for (int v = 0; v < n; v++) {
        Row row = new Row(in, v);
        while (row.next()) {
          size++;
        }
        pointers.set(LONG, (v + 1L) * Long.BYTES, size);
      }
      MemorySegment columns = arena.allocate(size * Integer.BYTES, DenseMatrix.ALIGNMENT);
      MemorySegment values = arena.allocate(size * Float.BYTES, DenseMatrix.ALIGNMENT);
      long at = 0;
      for (int v = 0; v < n; v++) {
        Row row = new Row(in, v);
        while (row.next()) {
          columns.set(INT, at * Integer.BYTES, row.column);
          values.set(FLOAT, at++ * Float.BYTES, number(row.set));
        }
      }
      return CsrMatrix.wrap(n, n, pointers, columns, values);
    }
  }

  /// The edges into each vertex, by their sources.
  private final class Incoming {
    private final MemorySegment pointers;
    private final MemorySegment sources;
    private final MemorySegment masks;

    Incoming(Arena temporary) {
      int n = a.cols();
      pointers = temporary.allocate((n + 1L) * Long.BYTES, Long.BYTES);
      for (long e = 0; e < a.nnz(); e++) {
        long at = (a.column(e) + 1L) * Long.BYTES;
        pointers.set(LONG, at, pointers.get(LONG, at) + 1);
      }
      for (int v = 0; v < n; v++) {
        pointers.set(LONG, (v + 1L) * Long.BYTES, pointer(v) + pointer(v + 1L));
      }
      sources = temporary.allocate(a.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
      masks = temporary.allocate(a.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
      long[] next = new long[n];
      for (int v = 0; v < n; v++) {
        next[v] = pointer(v);
      }
      for (int u = 0; u < n; u++) {
        for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
          long at = next[a.column(e)]++ * Integer.BYTES;
          sources.set(INT, at, u);
          masks.set(INT, at, (int) RelationMatrix.this.types(e));
        }
      }
    }

    long pointer(long v) {
      return pointers.get(LONG, v * Long.BYTES);
    }

    int source(long entry) {
      return sources.get(INT, entry * Integer.BYTES);
    }

    long types(long entry) {
      return Integer.toUnsignedLong(masks.get(INT, entry * Integer.BYTES));
    }
  }

  /// The neighbours of a vertex in ascending order.
  private final class Row {
    private final Incoming in;
    private final long inEnd;
    private final long outEnd;
    private long inAt;
    private long outAt;
    private int column;
    private long set;

    Row(Incoming in, int v) {
      this.in = in;
      inAt = in.pointer(v);
      inEnd = in.pointer(v + 1L);
      outAt = a.rowPointer(v);
      outEnd = a.rowPointer(v + 1L);
    }

    boolean next() {
      if (inAt == inEnd && outAt == outEnd) {
        return false;
      }
      int source = inAt < inEnd ? in.source(inAt) : Integer.MAX_VALUE;
      int target = outAt < outEnd ? a.column(outAt) : Integer.MAX_VALUE;
      column = Math.min(source, target);
      set = 0;
      if (source == column) {
        set |= in.types(inAt++);
      }
      if (target == column) {
        set |= RelationMatrix.this.types(outAt++) << (relations.names().size() / 2);
      }
      return true;
    }
  }
}
