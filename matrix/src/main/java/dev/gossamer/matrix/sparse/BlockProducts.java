package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The products with a pattern of entire blocks of [#SIDE] rows and columns: squares, so that `X W`
/// and `X W^T` are equally fast.
///
/// As in [SparseProducts], the operands are transposed, in parts that stay in the caches. But each
/// vector of activations is multiplied with four weights, in a gradient's block each vector of one
/// operand with four of the other, and a block has one index.
///
/// Blocks begin at multiples of [#SIDE]. Remaining elements at the edges of a matrix are multiplied
/// one by one; [#fits] limits their number.
///
/// Values are stored block by block, with rows in order within a block: by panels of 256 columns,
/// within a panel from top to bottom; then those of the edges, row by row.
///
/// Cost: `2 m nnz` operations for each product. Memory: 6 bytes per block, 4 for each four rows and
/// columns of each panel (about `k n / 128`), and 4 per element at the edges.
public final class BlockProducts extends PatternProducts {
  /// Rows and columns of a block.
  public static final int SIDE = 4;

  /// Elements of a block.
  static final int ELEMENTS = SIDE * SIDE;

  static final long BLOCK_BYTES = (long) ELEMENTS * Float.BYTES;

  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Elements of a dense matrix that take as long as a nonzero.
  private static final double NONZERO = 1.25;

  /// Elements of a dense matrix that take as long as the transposition of an activation.
  private static final double TRANSPOSED = 12;

  /// Columns of blocks of a panel.
  private static final int PANEL = SparsePanels.PANEL / SIDE;

  /// At most one in this number of the elements of a matrix may lie at its edges.
  private static final int EDGES = 8;

  /// Elements of the edges of a task of a gradient.
  private static final int EDGE_TASK = 1 << 10;

  /// Blocks that are fetched at a time: no fewer than a panel has columns of them.
  private static final int FETCHED = (int) (TransposedProduct.SPARE_BYTES / BLOCK_BYTES);

  /// Blocks whose dot products are summed up over lanes at a time.
  private static final int DOTS = Workers.SCRATCH_ELEMENTS / Tiles.LANES / ELEMENTS;

  private static final PanelGradient.Cut CUT = new PanelGradient.Cut(512, 1, 256);

  /// Vectors of the stripes: four times as many accumulators are kept in registers.
  private static final int[] VECTORS = Tiles.LANES == 16 ? new int[] {4, 2, 1} : new int[] {2, 1};

  private final SparsePanels byRow;
  private final SparsePanels byColumn;

  /// Of each block of `byColumn` its number in `byRow`.
  private final MemorySegment numbers;

  /// Positions of what is kept at the edges, ascending.
  private final MemorySegment edges;

  /// Creates the products with a pattern.
  ///
  /// @param arena owner of the memory
  /// @param rows `k`
  /// @param cols `n`
  /// @param kept positions of the nonzeros, row by row; not kept
  /// @throws IllegalArgumentException if the pattern does not consist of entire blocks, or has an
  ///   element out of range
  public BlockProducts(Arena arena, int rows, int cols, BitSet kept) {
    super(rows, cols, kept);
    BitSet blocks = new BitSet();
    BitSet atEdges = new BitSet();
    if (!split(rows, cols, kept, blocks, atEdges)) {
      throw new IllegalArgumentException(
          "block products: expected whole blocks of %d x %d of a %d x %d matrix, found others"
              .formatted(SIDE, SIDE, rows, cols));
    }
    byRow = SparsePanels.of(arena, PANEL, rows / SIDE, cols / SIDE, blocks);
    numbers = arena.allocate((long) byRow.entries() * Integer.BYTES, DenseMatrix.ALIGNMENT);
    byColumn =
        byRow.transposed(
            arena,
            (block, tile, transposed) ->
                numbers.set(INT, (long) transposed * Integer.BYTES, block));
    int[] positions = atEdges.stream().toArray();
    edges = arena.allocate((long) positions.length * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(positions, 0, edges, INT, 0, positions.length);
  }

  /// {@return whether at most an eighth of a matrix's elements is outside of entire blocks}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  public static boolean fits(int rows, int cols) {
    return edgeElements(rows, cols) * EDGES <= (long) rows * cols;
  }

  /// {@return whether a pattern consists of entire blocks, and its matrix [#fits(int, int)]}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param kept positions of the nonzeros, row by row
  public static boolean fits(int rows, int cols, BitSet kept) {
    return fits(rows, cols) && split(rows, cols, kept, new BitSet(), new BitSet());
  }

  /// Splits a pattern into blocks, counted row by row, and elements of the edges.
  ///
  /// @return whether there are only whole blocks
  private static boolean split(int rows, int cols, BitSet kept, BitSet blocks, BitSet edges) {
    int bands = rows / SIDE;
    int across = cols / SIDE;
    int[] counts = new int[across];
    for (int i = 0; i < rows; i++) {
      int begin = i * cols;
      for (int e = kept.nextSetBit(begin); e >= 0 && e - begin < cols; e = kept.nextSetBit(e + 1)) {
        int j = (e - begin) / SIDE;
        if (i / SIDE < bands && j < across) {
          counts[j]++;
        } else {
          edges.set(e);
        }
      }
      for (int j = 0; j < across && i % SIDE == SIDE - 1; j++) {
        if (counts[j] != 0 && counts[j] != ELEMENTS) {
          return false;
        }
        blocks.set(i / SIDE * across + j, counts[j] > 0);
        counts[j] = 0;
      }
    }
    return true;
  }

  /// {@return the time of these products relative to those of a dense matrix with zeros} As
  /// [SparseProducts#relativeTime], with the rate of blocks.
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros number of nonzeros of the matrix
  public static double relativeTime(int rows, int cols, long nonzeros) {
    double sparse = NONZERO * nonzeros + TRANSPOSED * ((double) rows + cols);
    return sparse / ((double) rows * cols);
  }

  /// {@return an upper bound of the bytes of off-heap memory: as if the edges had the maximum
  /// number of nonzeros}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros number of nonzeros of the matrix
  public static long bytes(int rows, int cols, long nonzeros) {
    long atEdges = Math.min(nonzeros, edgeElements(rows, cols));
    return bytes(rows, cols, Math.ceilDiv(nonzeros - atEdges, (long) ELEMENTS), atEdges);
  }

  private static long bytes(int rows, int cols, long blocks, long atEdges) {
    return SparsePanels.bytes(PANEL, rows / SIDE, cols / SIDE, blocks)
        + SparsePanels.bytes(PANEL, cols / SIDE, rows / SIDE, blocks)
        + (blocks + atEdges) * Integer.BYTES;
  }

  private static long edgeElements(int rows, int cols) {
    long inside = (long) (rows / SIDE) * (cols / SIDE) * ELEMENTS;
    return (long) rows * cols - inside;
  }

  /// {@return the number of blocks}
  public int blocks() {
    return byRow.entries();
  }

  @Override
  public int nonzeros() {
    return blocks() * ELEMENTS + atEdges();
  }

  private int atEdges() {
    return (int) (edges.byteSize() / Integer.BYTES);
  }

  private int edge(int number) {
    return edges.get(INT, (long) number * Integer.BYTES);
  }

  @Override
  public void multiply(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    requireProduct(cols(), rows(), values, x, y);
    multiply(byColumn, values, x, y, w, epilogue);
  }

  @Override
  public void multiplyTransposed(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    requireProduct(rows(), cols(), values, x, y);
    multiply(byRow, values, x, y, w, epilogue);
  }

  private void multiply(
      SparsePanels a,
      MemorySegment values,
      DenseMatrix x,
      DenseMatrix y,
      Workers w,
      RowEpilogue epilogue) {
    w.hold(
        () -> {
          Values factor = new Values(a, values.address());
          new TransposedProduct(factor, 0, y.cols(), x, y, w).run();
          TransposedProduct.finish(y, w, epilogue);
        },
        epilogue.with(a.ids(), a.starts(), numbers, edges, values, x.data(), y.data()));
  }

  /// `W` by rows or by columns as a factor, with values for it.
  private final class Values implements TransposedProduct.Factor {
    private final SparsePanels a;
    private final long values;
    private final boolean isByRow;

    Values(SparsePanels a, long values) {
      this.a = a;
      this.values = values;
      isByRow = a == byRow;
    }

    @Override
    public int inner() {
      return isByRow ? cols() : rows();
    }

    @Override
    public long entries(int begin, int end) {
      return (long) ELEMENTS * a.entries(begin / SIDE, Math.min(end / SIDE, a.rows()));
    }

    @Override
    public void multiply(
        int panel, int begin, int end, long x, long sums, long pitch, boolean add, long spare) {
      int first = begin / SIDE;
      int last = panel < a.panels() ? end / SIDE : first;
      if (isByRow) {
        bands(panel, first, last, values, x, sums, pitch, add);
      } else {
        for (int band = first; band < last; ) {
          int next = fetchedFrom(panel, band, last);
          long fetched = fetch(a.start(panel, band), a.start(panel, next), spare);
          bands(
              panel,
              band,
              next,
              fetched,
              x,
              sums + (long) (band - first) * SIDE * pitch,
              pitch,
              add);
          band = next;
        }
      }
      long done = (long) (last - first) * SIDE * pitch;
      if (!add) {
        Memory.ALL.asSlice(sums + done, (end - begin) * pitch - done).fill((byte) 0);
      }
      addEdges(panel, begin, end, x, sums, pitch);
    }

    /// The end of the bands from one on whose blocks are fetched together.
    private int fetchedFrom(int panel, int band, int end) {
      int first = a.start(panel, band);
      int next = band + 1;
      while (next < end && a.start(panel, next + 1) - first <= FETCHED) {
        next++;
      }
      return next;
    }

    /// Brings blocks into the order in which they are read: one after the other they come from the
    /// caches in time.
    ///
    /// @return the address that the values of block 0 would have
    private long fetch(int begin, int end, long to) {
      for (int e = begin; e < end; e++) {
        long number = numbers.get(INT, (long) e * Integer.BYTES);
        long from = Memory.at(values + number * BLOCK_BYTES);
        long target = Memory.at(to + (e - begin) * BLOCK_BYTES);
        for (long at = 0; at < BLOCK_BYTES; at += BYTES) {
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + at), ORDER)
              .intoMemorySegment(Memory.ALL, Memory.at(target + at), ORDER);
        }
      }
      return to - begin * BLOCK_BYTES;
    }

    private void bands(
        int panel, int begin, int end, long blocks, long x, long y, long pitch, boolean add) {
      long column = 0;
      for (int kind = 0; begin < end && column < pitch; kind++) {
        long bytes = VECTORS[kind] * BYTES;
        long starts = a.startAddress(panel, begin);
        for (; column + bytes <= pitch; column += bytes) {
          stripe(VECTORS[kind], starts, end - begin, blocks, x + column, y + column, pitch, add);
        }
      }
    }

    private void stripe(
        int vectors, long starts, int count, long blocks, long x, long y, long pitch, boolean add) {
      long ids = a.ids().address();
      long row = isByRow ? SIDE * Float.BYTES : Float.BYTES;
      long step = isByRow ? Float.BYTES : SIDE * Float.BYTES;
      switch (vectors) {
        case 4 -> BlockLoops.bands4(starts, count, ids, blocks, row, step, x, y, pitch, add);
        case 2 -> BlockLoops.bands2(starts, count, ids, blocks, row, step, x, y, pitch, add);
        default -> BlockLoops.bands1(starts, count, ids, blocks, row, step, x, y, pitch, add);
      }
    }

    /// Adds what the elements of the edges give: few, so that all are looked at.
    private void addEdges(int panel, int begin, int end, long x, long sums, long pitch) {
      for (int i = 0; i < atEdges(); i++) {
        int row = edge(i) / cols();
        int col = edge(i) % cols();
        int out = isByRow ? row : col;
        int in = (isByRow ? col : row) - panel * SparsePanels.PANEL;
        if (out >= begin && out < end && in >= 0 && in < SparsePanels.PANEL) {
          long value = values + (blocks() * (long) ELEMENTS + i) * Float.BYTES;
          addScaled(
              Memory.ALL.get(FLOAT, Memory.at(value)),
              x + in * pitch,
              sums + (out - begin) * pitch,
              pitch);
        }
      }
    }

    private static void addScaled(float scale, long x, long y, long bytes) {
      FloatVector factor = FloatVector.broadcast(SPECIES, scale);
      for (long at = 0; at < bytes; at += BYTES) {
        long to = Memory.at(y + at);
        FloatVector sum = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, to, ORDER);
        factor
            .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + at), ORDER), sum)
            .intoMemorySegment(Memory.ALL, to, ORDER);
      }
    }
  }

  @Override
  public void addOuter(DenseMatrix x, DenseMatrix t, MemorySegment gradient, Workers w) {
    requireOuter(x, t, gradient);
    int inBlocks = blocks() * ELEMENTS;
    w.hold(
        () -> {
          new PanelGradient(inBlocks, this::addDots, CUT, x, t, gradient, w).run();
          w.run(
              Math.ceilDiv(atEdges(), EDGE_TASK),
              (task, worker) -> addEdges(x, t, gradient, task * EDGE_TASK));
        },
        byRow.ids(),
        byRow.starts(),
        edges,
        x.data(),
        t.data(),
        gradient);
  }

  private void addDots(
      int panel,
      int begin,
      int end,
      long left,
      long right,
      long pitch,
      long bytes,
      long target,
      boolean overwrite,
      float[] floats) {
    if (panel >= byRow.panels()) {
      return;
    }
    int held = 0;
    int first = byRow.start(panel, begin / SIDE);
    for (int band = begin / SIDE; band < end / SIDE; band++) {
      long four = left + ((long) band * SIDE - begin) * pitch;
      for (int e = byRow.start(panel, band); e < byRow.start(panel, band + 1); e++) {
        long others = right + (long) byRow.id(e) * SIDE * pitch;
        dots(four, others, pitch, bytes, floats, held++ * ELEMENTS * Tiles.LANES);
        if (held == DOTS) {
          add(floats, held, target + first * BLOCK_BYTES, overwrite);
          first += held;
          held = 0;
        }
      }
    }
    add(floats, held, target + first * BLOCK_BYTES, overwrite);
  }

  private static void dots(long left, long right, long pitch, long bytes, float[] to, int at) {
    int row = SIDE * Tiles.LANES;
    if (Tiles.LANES == 16) {
      BlockLoops.dots4(left, right, pitch, bytes, to, at, row);
    } else {
      BlockLoops.dots2(left, right, pitch, bytes, to, at, row);
      BlockLoops.dots2(left, right + 2 * pitch, pitch, bytes, to, at + 2 * Tiles.LANES, row);
    }
  }

  private static void add(float[] lanes, int blocks, long to, boolean overwrite) {
    if (blocks > 0) {
      Sddmm.sums(lanes, blocks * ELEMENTS, lanes, 0);
      SparseDots.add(lanes, blocks * ELEMENTS, to, overwrite);
    }
  }

  /// Adds the gradients of some elements of the edges, row by row of `X` and `T`.
  private void addEdges(DenseMatrix x, DenseMatrix t, MemorySegment gradient, int first) {
    int end = Math.min(atEdges(), first + EDGE_TASK);
    for (long m = 0; m < x.rows(); m++) {
      for (int i = first; i < end; i++) {
        long at = (blocks() * (long) ELEMENTS + i) * Float.BYTES;
        float sum = gradient.get(FLOAT, at);
        sum = Math.fma(x.get(m, edge(i) / cols()), t.get(m, edge(i) % cols()), sum);
        gradient.set(FLOAT, at, sum);
      }
    }
  }

  @Override
  void visitRows(int begin, int end, Visit visit) {
    int next = firstEdge(begin);
    for (int i = begin; i < end; i++) {
      int band = i / SIDE;
      for (int q = 0; band < byRow.rows() && q < byRow.panels(); q++) {
        long left = (long) i * cols() + (long) q * SparsePanels.PANEL;
        for (int e = byRow.start(q, band); e < byRow.start(q, band + 1); e++) {
          long at = (long) e * ELEMENTS + (long) (i % SIDE) * SIDE;
          long position = left + (long) byRow.id(e) * SIDE;
          for (int j = 0; j < SIDE; j++) {
            visit.accept(at + j, position + j);
          }
        }
      }
      for (; next < atEdges() && edge(next) < ((long) i + 1) * cols(); next++) {
        visit.accept(blocks() * (long) ELEMENTS + next, edge(next));
      }
    }
  }

  /// The first element of the edges that lies in a row or below.
  private int firstEdge(int row) {
    int low = 0;
    int high = atEdges();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (edge(middle) < (long) row * cols()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
