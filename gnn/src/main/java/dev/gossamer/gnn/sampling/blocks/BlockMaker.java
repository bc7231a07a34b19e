package dev.gossamer.gnn.sampling.blocks;

import dev.gossamer.gnn.sampling.matrices.Drawn;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// EXTRACT (MBS, sections 4.1.3 and 4.2.3) of one batch after another: what one thread needs for
/// it.
public final class BlockMaker {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// The factor of an entry in an induced subgraph.
  @FunctionalInterface
  public interface EntryWeight {
    /// {@return the coefficient}
    ///
    /// @param row number of the row's vertex in the subgraph
    /// @param column number of the column's vertex in the subgraph
    /// @param e the entry of the selected row
    float of(int row, int column, long e);
  }

  private final Relabelling numbers;

  /// A bit for each vertex, set for those whose columns are extracted: most entries of a row are in
  /// other columns, and bits stay in the cache where numbers do not.
  private final long[] wanted;

  private int[] columns = {};
  private float[] values = {};
  private int size;

  /// Creates one for a thread.
  ///
  /// @param n vertices of the graph
  public BlockMaker(int n) {
    numbers = new Relabelling(n);
    wanted = new long[(n + 63) / 64];
  }

  /// Returns the block of the mean over each destination's drawn neighbours, without the empty
  /// columns of `Q^{l-1}`.
  ///
  /// @param arena owner of the block
  /// @param rows selected, whose values drawn entries keep
  /// @param from the selected row of the first destination
  /// @param destinations without duplicates
  /// @param drawn overwritten
  /// @return the block
  public SampledBlock neighbours(
      Arena arena, SelectedRows rows, int from, int[] destinations, Drawn drawn) {
    numbers.begin(destinations);
    MemorySegment kept =
        rows.matrix().values() == null ? null : drawnValues(arena, rows, from, drawn);
    int[] vertices = drawn.vertices();
    for (int e = 0; e < vertices.length; e++) {
      vertices[e] = numbers.numberOf(vertices[e]);
    }
    float[] scales = new float[destinations.length];
    long[] pointers = new long[destinations.length + 1];
    for (int i = 0; i < scales.length; i++) {
      int count = drawn.starts()[i + 1] - drawn.starts()[i];
      pointers[i + 1] = drawn.starts()[i + 1];
      scales[i] = count == 0 ? 0 : 1f / count;
    }
    int[] sources = numbers.vertices();
    MemorySegment entries = ints(arena, vertices, vertices.length);
    CsrMatrix matrix = matrix(arena, sources.length, pointers, entries, kept);
    return new SampledBlock(matrix.withScales(floats(arena, scales, scales.length), null), sources);
  }

  /// The values of drawn entries.
  private static MemorySegment drawnValues(Arena arena, SelectedRows rows, int from, Drawn drawn) {
    int[] starts = drawn.starts();
    int count = starts[starts.length - 1];
    MemorySegment kept = arena.allocate((long) count * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int i = 0; i < starts.length - 1; i++) {
      for (int k = starts[i]; k < starts[i + 1]; k++) {
        long entry = rows.begin(from + i) + rows.position(from + i, drawn.vertices()[k]);
        kept.setAtIndex(FLOAT, k, rows.matrix().value(entry));
      }
    }
    return kept;
  }

  /// Returns the entries of the destinations' rows in the drawn columns, `Q_R Â Q_C`, times the
  /// weight of their column, and in the destinations' own columns, without a weight: their rows are
  /// always among the sources.
  ///
  /// @param arena owner of the block
  /// @param rows selected
  /// @param from the selected row of the first destination
  /// @param destinations without duplicates
  /// @param drawn columns
  /// @return the block
  public SampledBlock drawnColumns(
      Arena arena, SelectedRows rows, int from, int[] destinations, Drawn drawn) {
    numbers.begin(destinations);
    CsrMatrix a = rows.matrix();
    float[] scales = new float[destinations.length + drawn.vertices().length];
    for (int i = 0; i < destinations.length; i++) {
      scales[i] = a.columnScale(destinations[i]);
    }
    for (int k = 0; k < drawn.vertices().length; k++) {
      int u = drawn.vertices()[k];
      int number = numbers.numberOf(u);
      if (number >= destinations.length) {
        scales[number] = drawn.weight(k) * a.columnScale(u);
      }
    }
    boolean valued = a.values() != null;
    return block(arena, rows, from, scales, valued ? (row, column, e) -> 1 : null);
  }

  /// Returns all entries of the destinations' rows.
  ///
  /// @param rows one for each of them
  SampledBlock allColumns(Arena arena, SelectedRows rows, int[] destinations) {
    numbers.begin(destinations);
    CsrMatrix a = rows.matrix();
    long entries = 0;
    for (int i = 0; i < destinations.length; i++) {
      entries += rows.end(i) - rows.begin(i);
      for (long e = rows.begin(i); e < rows.end(i); e++) {
        numbers.numberOf(a.column(e));
      }
    }
    int[] sources = numbers.vertices();
    float[] scales = new float[sources.length];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = a.columnScale(sources[i]);
    }
    size = 0;
    reserve(entries, a.values() != null);
    return block(arena, rows, 0, scales, a.values() == null ? null : (row, column, e) -> 1);
  }

  /// Returns some entries of the destinations' rows, each times a weight.
  ///
  /// @param rows one for each of them
  /// @param drawn positions in each row, ascending, and their weights
  SampledBlock drawnEntries(Arena arena, SelectedRows rows, int[] destinations, Drawn drawn) {
    numbers.begin(destinations);
    CsrMatrix a = rows.matrix();
    int count = drawn.vertices().length;
    int[] entries = new int[count];
    float[] weights = new float[count];
    float[] rowScales = new float[destinations.length];
    long[] pointers = new long[destinations.length + 1];
    for (int i = 0; i < destinations.length; i++) {
      rowScales[i] = rows.scale(i);
      pointers[i + 1] = drawn.starts()[i + 1];
      for (int k = drawn.starts()[i]; k < pointers[i + 1]; k++) {
        long e = rows.begin(i) + drawn.vertices()[k];
        entries[k] = numbers.numberOf(a.column(e));
        weights[k] = a.value(e) * drawn.weight(k);
      }
    }
    int[] sources = numbers.vertices();
    float[] columnScales = new float[sources.length];
    for (int i = 0; i < columnScales.length; i++) {
      columnScales[i] = a.columnScale(sources[i]);
    }
    CsrMatrix matrix =
        matrix(
            arena,
            sources.length,
            pointers,
            ints(arena, entries, count),
            floats(arena, weights, count));
    return new SampledBlock(
        matrix.withScales(
            a.rowScale() == null ? null : floats(arena, rowScales, rowScales.length),
            floats(arena, columnScales, columnScales.length)),
        sources);
  }

  /// Returns the rows of some vertices of a subgraph in the columns of all its vertices.
  ///
  /// @param arena owner of the block
  /// @param rows one for each of the first vertices
  /// @param first vertices whose rows are returned
  /// @param vertices of the subgraph, those first
  /// @param weight of each entry, beside its coefficient in `Â`
  /// @return the block
  public SampledBlock induced(
      Arena arena, SelectedRows rows, int[] first, int[] vertices, EntryWeight weight) {
    numbers.begin(first);
    float[] scales = new float[vertices.length];
    for (int i = 0; i < scales.length; i++) {
      numbers.numberOf(vertices[i]);
      scales[i] = rows.matrix().columnScale(vertices[i]);
    }
    return block(arena, rows, 0, scales, weight);
  }

  /// Returns the vertices of a subgraph that some of its vertices depend on through several layers:
  /// first those, then their neighbours in the subgraph, then the neighbours of these.
  ///
  /// @param rows one for each vertex of the subgraph
  /// @param vertices of the subgraph, ascending
  /// @param first some of them
  /// @param within how many there are after each layer, from none on: set
  /// @return the vertices
  public int[] reached(SelectedRows rows, int[] vertices, int[] first, int[] within) {
    numbers.begin(first);
    mark(vertices);
    within[0] = first.length;
    for (int l = 1; l < within.length; l++) {
      for (int number = l == 1 ? 0 : within[l - 2]; number < within[l - 1]; number++) {
        int row = Arrays.binarySearch(vertices, numbers.vertex(number));
        for (long e = rows.begin(row); e < rows.end(row); e++) {
          int u = rows.matrix().column(e);
          if (isMarked(u)) {
            numbers.numberOf(u);
          }
        }
      }
      within[l] = numbers.count();
    }
    unmark(vertices);
    return numbers.vertices();
  }

  private void mark(int[] vertices) {
    for (int v : vertices) {
      wanted[v >>> 6] |= 1L << v;
    }
  }

  private boolean isMarked(int v) {
    return (wanted[v >>> 6] >>> v & 1) != 0;
  }

  private void unmark(int[] vertices) {
    for (int v : vertices) {
      wanted[v >>> 6] = 0;
    }
  }

  /// The entries in the columns of the vertices that have a number.
  ///
  /// @param columnScales of each of them; more are not looked at
  /// @param weight of each entry; null makes a pattern
  private SampledBlock block(
      Arena arena,
      SelectedRows rows,
      int from,
      float[] columnScales,
      @Nullable EntryWeight weight) {
    int[] sources = numbers.vertices();
    int destinations = numbers.firstCount();
    CsrMatrix a = rows.matrix();
    float[] rowScales = new float[destinations];
    long[] pointers = new long[destinations + 1];
    mark(sources);
    size = 0;
    for (int i = 0; i < destinations; i++) {
      long end = rows.end(from + i);
      reserve(Math.min(end - rows.begin(from + i), sources.length), weight != null);
      for (long e = rows.begin(from + i); e < end; e++) {
        int u = a.column(e);
        if (isMarked(u)) {
          int column = numbers.find(u);
          if (weight != null) {
            values[size] = a.value(e) * weight.of(i, column, e);
          }
          columns[size++] = column;
        }
      }
      pointers[i + 1] = size;
      rowScales[i] = rows.scale(from + i);
    }
    unmark(sources);
    MemorySegment entries = weight == null ? null : floats(arena, values, size);
    CsrMatrix matrix = matrix(arena, sources.length, pointers, ints(arena, columns, size), entries);
    return new SampledBlock(
        matrix.withScales(
            rows.matrix().rowScale() == null ? null : floats(arena, rowScales, destinations),
            floats(arena, columnScales, sources.length)),
        sources);
  }

  /// Makes room for more entries: half as many again as there was, if that is not too little.
  private void reserve(long more, boolean weighted) {
    int needed = Math.toIntExact(size + more);
    if (needed > columns.length) {
      columns = Arrays.copyOf(columns, capacity(needed, columns.length));
    }
    if (weighted && needed > values.length) {
      values = Arrays.copyOf(values, capacity(needed, values.length));
    }
  }

  private static int capacity(int needed, int present) {
    return Math.clamp(present * 3L / 2, needed, Integer.MAX_VALUE - 8);
  }

  /// {@return bytes of the arrays for the entries of a block, before they exist}
  ///
  /// @param entries of the block
  /// @param weighted whether they have values
  public static long bytes(long entries, boolean weighted) {
    return entries * 3 / 2 * (weighted ? Integer.BYTES + Float.BYTES : Integer.BYTES);
  }

  private static CsrMatrix matrix(
      Arena arena,
      int sources,
      long[] pointers,
      MemorySegment columns,
      @Nullable MemorySegment values) {
    MemorySegment rowPointers =
        arena.allocate((long) pointers.length * Long.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(pointers, 0, rowPointers, LONG, 0, pointers.length);
    return CsrMatrix.wrap(pointers.length - 1, sources, rowPointers, columns, values);
  }

  private static MemorySegment ints(Arena arena, int[] from, int count) {
    MemorySegment to = arena.allocate((long) count * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(from, 0, to, INT, 0, count);
    return to;
  }

  private static MemorySegment floats(Arena arena, float[] from, int count) {
    MemorySegment to = arena.allocate((long) count * Float.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(from, 0, to, FLOAT, 0, count);
    return to;
  }
}
