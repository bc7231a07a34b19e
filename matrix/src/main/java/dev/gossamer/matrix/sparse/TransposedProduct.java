package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Tiles;
import dev.gossamer.matrix.tile.Transposition;

/// The columns `left..right-1` of `Y`, with `Y^T = A X^T` and a sparse `A`.
///
/// A task is a block of rows of `Y` and some of its columns. Where that gives too few tasks and
/// there is more to transpose than there are sums, several share the panels, and their sums, in the
/// shared scratch, are added in ascending order.
final class TransposedProduct {
  /// Rows of `X` of a block: a panel of them is 64 KiB. Of 128, a product was a seventh slower.
  static final int ROWS = 64;

  /// Bytes of the shared scratch in which the sums of parts lie.
  static final long SUM_BYTES = Workers.SHARED_BYTES / 2;

  /// Scratch of a [Factor].
  static final int SPARE_BYTES = 1 << 16;

  /// Tasks that a product is cut into if it can be.
  static final int ENOUGH_TASKS = 16;

  /// Nonzeros that are worth a task, each of which meets a block of rows.
  static final int LEAST = 1 << 13;

  /// Columns of `Y` of which a task transposes all of `X` that they need.
  static final int LEAST_OUT = 32;

  /// Where tasks begin: a multiple of it.
  static final int ALIGNED = 4;

  private static final long PITCH = (long) ROWS * Float.BYTES;

  /// Columns of `Y` of a task: their sums stay in the second-level cache.
  private static final int OUT = 1024;

  private static final long PANEL_BYTES = SparsePanels.PANEL * PITCH;

  /// Columns of `Y` whose parts one task adds.
  private static final int STRIP = 32;

  /// A sparse matrix `A`, cut into panels of [SparsePanels#PANEL] columns.
  interface Factor {
    /// Columns of `A`.
    int inner();

    /// Nonzeros of the rows `begin..end-1`, about.
    long entries(int begin, int end);

    /// Multiplies rows of a panel with what of `X^T` lies beside it. All are addresses.
    ///
    /// @param panel of `A`
    /// @param begin first row, a multiple of [#ALIGNED]
    /// @param end the row after the last: another one, or behind all
    /// @param x the part of `X^T`
    /// @param sums the first row of the result
    /// @param pitch bytes from row to row of `x` and `sums`: whole vectors
    /// @param add whether to add to `sums` or to overwrite them
    /// @param spare scratch of [#SPARE_BYTES] bytes
    void multiply(
        int panel, int begin, int end, long x, long sums, long pitch, boolean add, long spare);
  }

  private final Factor a;
  private final int left;
  private final int right;
  private final DenseMatrix x;
  private final DenseMatrix y;
  private final Workers w;
  private final int blocks;
  private final int chunks;
  private final int parts;
  private final int panels;

  TransposedProduct(Factor a, int left, int right, DenseMatrix x, DenseMatrix y, Workers w) {
    this.a = a;
    this.left = left;
    this.right = right;
    this.x = x;
    this.y = y;
    this.w = w;
    panels = Math.ceilDiv(a.inner(), SparsePanels.PANEL);
    blocks = blocks(x.rows());
    int out = right - left;
    long worthwhile = Math.max(1, a.entries(left, right) / LEAST);
    long pieces = Math.min(worthwhile, Math.ceilDiv(ENOUGH_TASKS, Math.max(1, blocks)));
    long fit = SUM_BYTES / ((long) Math.max(1, blocks) * out * PITCH);
    boolean deep = a.inner() > 2 * out;
    parts = deep ? (int) Math.clamp(Math.min(fit, panels), 1, pieces) : 1;
    long most = deep ? 1 : Math.ceilDiv(out, LEAST_OUT);
    chunks = (int) Math.max(Math.ceilDiv(out, OUT), Math.min(pieces, most));
  }

  private int column(int chunk) {
    int exact = (int) ((long) (right - left) * chunk / chunks);
    return chunk == chunks ? right : left + exact / ALIGNED * ALIGNED;
  }

  private int count(int block) {
    return (int) Math.min(ROWS, x.rows() - (long) block * ROWS);
  }

  /// Bytes from row to row of a block that is transposed.
  private long pitch(int block) {
    return (long) Panels.padded(count(block)) * Float.BYTES;
  }

  void run() {
    w.run(
        Math.multiplyExact(Math.multiplyExact(blocks, chunks), parts),
        (task, worker) -> {
          int block = task / (chunks * parts);
          int chunk = task / parts % chunks;
          sum(block, column(chunk), column(chunk + 1), task % parts, worker);
        });
    if (parts > 1) {
      int strips = Math.ceilDiv(right - left, STRIP);
      w.run(
          Math.multiplyExact(blocks, strips),
          (task, worker) -> addParts(task / strips, left + task % strips * STRIP, worker));
    }
  }

  private void sum(int block, int begin, int end, int part, int worker) {
    int count = count(block);
    long pitch = pitch(block);
    long from = x.data().address() + x.offset((long) block * ROWS);
    float[] floats = w.scratchFloats(worker);
    long room = SPARE_BYTES + PANEL_BYTES + (end - begin) * PITCH;
    long spare = Memory.address(w.scratch(worker), 0, room);
    long panel = spare + SPARE_BYTES;
    long sums = parts > 1 ? kept(block, part, begin) : panel + PANEL_BYTES;
    int first = first(part);
    for (int p = first; p < first(part + 1); p++) {
      long source = from + (long) p * SparsePanels.PANEL * Float.BYTES;
      int width = Math.min(SparsePanels.PANEL, a.inner() - p * SparsePanels.PANEL);
      Transposition.transpose(source, x.offset(1), count, width, panel, pitch, true, floats);
      a.multiply(p, begin, end, panel, sums, pitch, p > first, spare);
    }
    if (parts == 1) {
      write(sums, block, begin, end, floats);
    }
  }

  /// The first panel of a part.
  private int first(int part) {
    return (int) ((long) panels * part / parts);
  }

  /// Where the sums of a part, from a column on, lie in the shared scratch.
  private long kept(int block, int part, int column) {
    long at = ((long) block * parts + part) * (right - left) * PITCH;
    long shift = (column - left) * pitch(block);
    return Memory.address(w.sharedScratch(), at + shift, pitch(block));
  }

  private void addParts(int block, int begin, int worker) {
    int end = Math.min(right, begin + STRIP);
    int floats = (end - begin) * Panels.padded(count(block));
    long to = kept(block, 0, begin);
    for (int part = 1; part < parts; part++) {
      NumberFormat.FLOAT32.add(kept(block, part, begin), to, floats);
    }
    write(to, block, begin, end, w.scratchFloats(worker));
  }

  /// Writes columns of a block of `Y`.
  private void write(long sums, int block, int begin, int end, float[] floats) {
    long to = y.data().address() + y.offset((long) block * ROWS) + (long) begin * Float.BYTES;
    int count = count(block);
    // A few rows of Y at a time: whole lines of them are written one after the other.
    for (int i = 0; i < count; i += Tiles.LANES) {
      Transposition.transpose(
          sums + (long) i * Float.BYTES,
          pitch(block),
          end - begin,
          Math.min(Tiles.LANES, count - i),
          to + y.offset(i),
          y.offset(1),
          false,
          floats);
    }
  }

  /// Blocks of rows.
  static int blocks(long m) {
    return Math.toIntExact(Math.ceilDiv(m, (long) ROWS));
  }

  /// Applies an epilogue to all rows.
  static void finish(DenseMatrix y, Workers w, RowEpilogue epilogue) {
    w.run(
        blocks(y.rows()),
        (task, worker) -> {
          long begin = (long) task * ROWS;
          epilogue.apply(y, begin, Math.min(y.rows(), begin + ROWS));
        });
  }
}
