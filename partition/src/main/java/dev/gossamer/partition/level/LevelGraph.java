package dev.gossamer.partition.level;

import dev.gossamer.base.Resources;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One level of the hierarchy: an undirected graph without self loops, whose vertices represent
/// sets of input vertices.
///
/// A vertex has loads (one for each balanced quantity) and a size, its number of input vertices, so
/// at most `size * lambda` rows are sent for it. Edge counts are 64-bit on every level, edges
/// off-heap: 4 bytes per arc, 8 with weights.
///
/// The input level has no stored weights: the weight of an edge is `half(u) + half(v)`, so that an
/// objective can weight edges by the degrees of their ends. Sums saturate at `2^31
/// - 1`.
public final class LevelGraph implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final @Nullable Arena owned;
  private final int vertices;
  private final long[] starts;
  private final MemorySegment columns;
  private final @Nullable MemorySegment weights;
  private final int @Nullable [] halves;
  private final int[][] loads;
  private final int @Nullable [] sizes;
  private final long columnAddress;
  private final long weightAddress;

  private LevelGraph(
      @Nullable Arena owned,
      long[] starts,
      MemorySegment columns,
      @Nullable MemorySegment weights,
      int @Nullable [] halves,
      int[][] loads,
      int @Nullable [] sizes) {
    this.owned = owned;
    this.vertices = starts.length - 1;
    this.starts = starts;
    this.columns = columns;
    this.weights = weights;
    this.halves = halves;
    this.loads = loads;
    this.sizes = sizes;
    long arcs = starts[vertices];
    columnAddress = Memory.address(columns, 0, arcs * Integer.BYTES);
    weightAddress = weights == null ? 0 : Memory.address(weights, 0, arcs * Integer.BYTES);
  }

  /// {@return the input level over a symmetric pattern, borrowed}
  ///
  /// @param pattern symmetric, without a diagonal
  /// @param halves half the weight of the edges of each vertex
  /// @param loads of each vertex, for each balanced quantity
  public static LevelGraph input(CsrMatrix pattern, int[] halves, int[][] loads) {
    return new LevelGraph(null, starts(pattern), pattern.columns(), null, halves, loads, null);
  }

  /// {@return the input level with a weight for each arc}
  ///
  /// @param pattern symmetric, without a diagonal
  /// @param weights int32 for each arc, borrowed
  /// @param loads of each vertex, for each balanced quantity
  public static LevelGraph weightedInput(CsrMatrix pattern, MemorySegment weights, int[][] loads) {
    return new LevelGraph(null, starts(pattern), pattern.columns(), weights, null, loads, null);
  }

  /// {@return a level with rows of given lengths, to be filled by [#set]}
  ///
  /// @param starts where each row starts, and the number of arcs; kept
  /// @param loads of each vertex, for each balanced quantity
  /// @param sizes number of input vertices of each vertex; kept
  public static LevelGraph allocate(long[] starts, int[][] loads, int[] sizes) {
    return allocate(Arena.ofShared(), starts, loads, sizes);
  }

  /// @param arena of the arcs; closed with the level, also if it cannot be made
  static LevelGraph allocate(Arena arena, long[] starts, int[][] loads, int[] sizes) {
    long bytes = starts[starts.length - 1] * Integer.BYTES;
    return Resources.handedOver(
        arena,
        own ->
            new LevelGraph(
                own,
                starts,
                own.allocate(bytes, DenseMatrix.ALIGNMENT),
                own.allocate(bytes, DenseMatrix.ALIGNMENT),
                null,
                loads,
                sizes));
  }

  private static long[] starts(CsrMatrix pattern) {
    long[] starts = new long[pattern.cols() + 1];
    for (int v = 0; v <= pattern.cols(); v++) {
      starts[v] = pattern.rowPointer(v);
    }
    return starts;
  }

  /// {@return the number of vertices}
  public int vertices() {
    return vertices;
  }

  /// {@return twice the number of edges}
  public long arcs() {
    return starts[vertices];
  }

  /// {@return the first arc of a vertex; its last is before `start(v + 1)`}
  ///
  /// @param v a vertex
  public long start(int v) {
    return starts[v];
  }

  /// {@return the number of neighbours of a vertex}
  ///
  /// @param v a vertex
  public int degree(int v) {
    return (int) (starts[v + 1] - starts[v]);
  }

  /// {@return the other end of an arc}
  ///
  /// @param arc an arc
  public int neighbour(long arc) {
    return Memory.ALL.get(INT, Memory.at(columnAddress + arc * Integer.BYTES));
  }

  /// {@return the weight of an arc between `v` and `u`}
  ///
  /// @param arc an arc
  /// @param v a vertex
  /// @param u the vertex at the other end
  public int weight(long arc, int v, int u) {
    return halves != null
        ? halves[v] + halves[u]
        : Memory.ALL.get(INT, Memory.at(weightAddress + arc * Integer.BYTES));
  }

  /// Writes an arc of an allocated level.
  ///
  /// @param arc an arc
  /// @param neighbour the vertex at its other end
  /// @param weight of the edge
  public void set(long arc, int neighbour, long weight) {
    Memory.ALL.set(INT, Memory.at(columnAddress + arc * Integer.BYTES), neighbour);
    Memory.ALL.set(
        INT,
        Memory.at(weightAddress + arc * Integer.BYTES),
        (int) Math.min(Integer.MAX_VALUE, weight));
  }

  /// {@return the number of balanced quantities}
  public int constraints() {
    return loads.length;
  }

  /// {@return load `c` of a vertex}
  ///
  /// @param c a balanced quantity
  /// @param v a vertex
  public int load(int c, int v) {
    return loads[c][v];
  }

  /// {@return the sum of load `c`}
  ///
  /// @param c a balanced quantity
  public long totalLoad(int c) {
    return Arrays.stream(loads[c]).asLongStream().sum();
  }

  /// {@return the number of input vertices that a vertex represents}
  ///
  /// @param v a vertex
  public int size(int v) {
    return sizes == null ? 1 : sizes[v];
  }

  /// {@return the result of work on this level, whose memory is held during the call}
  ///
  /// @param work that accesses arcs
  public int[] held(Supplier<int[]> work) {
    int[][] result = new int[1][];
    Memory.hold(() -> result[0] = work.get(), columns, weights);
    return result[0];
  }

  @Override
  public void close() {
    if (owned != null) {
      owned.close();
    }
  }
}
