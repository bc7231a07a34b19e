package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.memory.Memory;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Tiles;
import dev.gossamer.matrix.tile.Transposition;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/// The products of a fully connected layer whose weights `W`, `k x n`, are sparse with a fixed
/// pattern: `Y = X W`, `Y = X W^T`, and of `X^T T` what lies at the nonzeros. (S. Singh and A.
/// Bhatele, IPDPS 2023, figure 1 and section V-B, compare dense products with those of the GPU
/// library Sputnik.)
///
/// As in Sputnik the operands are transposed, so that one nonzero meets a vector of activations;
/// but a block of [#ROWS] rows of `X` and [SparsePanels#PANEL] of its columns at a time, which
/// stays in the nearest caches while it meets all of the nonzeros that need it. Sums over the
/// entries of a row of `W` or `W^T` are kept in registers within a panel.
///
/// Values belong to the caller and lie in the order in which `X W^T` and the gradient read them:
/// panel by panel of [SparsePanels#PANEL] columns, in each row by row. [#sorted] gives the order of
/// positions. `X W` reads column by column: it fetches the values first, from where 16 bits in a
/// tile say, so that no second copy is to be kept, nor to be refreshed when values change.
///
/// The order of every sum depends on the shapes and the pattern only, so that the bits depend on no
/// thread count. Off the heap nothing is allocated but at construction. Local; one caller at a
/// time.
///
/// Cost: `2 m nnz` operations for each product. Memory: 4 bytes a nonzero, and 4 for each row and
/// column of each panel, `k n / 32` about.
public final class SparseProducts {
  private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Elements of a dense matrix that take as long as a nonzero.
  private static final double NONZERO = 2;

  /// Elements of a dense matrix that take as long as the transposition of an activation.
  private static final double TRANSPOSED = 8;

  /// Rows of `X` of a block: a panel of them is 64 KiB. Of 128, a product was a seventh slower.
  static final int ROWS = 64;

  private static final long PITCH = (long) ROWS * Float.BYTES;

  /// Columns of `Y` of a task: their sums stay in the second-level cache.
  private static final int OUT = 1024;

  private static final long PANEL_BYTES = SparsePanels.PANEL * PITCH;

  /// Tasks that a product is cut into if it can be.
  private static final int ENOUGH_TASKS = 16;

  /// Nonzeros that are worth a task, each of which meets a block of rows.
  private static final int LEAST = 1 << 13;

  /// Columns of `Y` of which a task transposes all of `X` that they need.
  private static final int LEAST_OUT = 32;

  /// Values that are fetched at a time; the rest of the shared scratch is for sums of parts.
  private static final int FETCHED = Workers.SHARED_BYTES / 2 / Float.BYTES;

  private static final long SUM_BYTES = Workers.SHARED_BYTES - (long) FETCHED * Float.BYTES;

  /// Columns of `Y` whose parts one task adds.
  private static final int STRIP = 32;

  /// Rows of `X` and `T` that a gradient sums up lane by lane before the lanes are added.
  private static final int DEPTH = 256;

  private static final long DEPTH_PANEL = (long) SparsePanels.PANEL * DEPTH * Float.BYTES;

  /// Panels of `T` that a task of a gradient has at most.
  private static final int MOST_PANELS = 2;

  /// Rows of `W` for which a gradient transposes `X` at a time.
  private static final int LEFTS = 64;

  /// Entries whose dot products are summed up over lanes at a time: no fewer than a row of a panel
  /// has.
  private static final int DOTS = Workers.SCRATCH_ELEMENTS / Tiles.LANES;

  /// Elements of a gradient whose parts one task adds.
  private static final int ADDED = 1 << 14;

  private final int rows;
  private final int cols;
  private final SparsePanels byRow;
  private final SparsePanels byColumn;

  /// Where the value of an entry of `byColumn` lies, counted from the first one of its tile.
  private final MemorySegment places;

  /// The products with a pattern.
  ///
  /// @param arena owner of the memory
  /// @param rows `k`
  /// @param cols `n`
  /// @param kept the nonzeros, counted row by row; not needed afterwards
  /// @throws IllegalArgumentException if there is one beyond the last element
  public SparseProducts(Arena arena, int rows, int cols, BitSet kept) {
    if (kept.length() > (long) rows * cols) {
      throw new IllegalArgumentException(
          "sparse products: expected nonzeros of a %d x %d matrix, found one at %d"
              .formatted(rows, cols, kept.length() - 1));
    }
    this.rows = rows;
    this.cols = cols;
    byRow = SparsePanels.of(arena, rows, cols, kept);
    places = arena.allocate((long) byRow.entries() * Character.BYTES, DenseMatrix.ALIGNMENT);
    byColumn =
        byRow.transposed(
            arena,
            (entry, tile, transposed) ->
                places.set(CHAR, (long) transposed * Character.BYTES, (char) (entry - tile)));
  }

  /// {@return whether these products take less time than those of a dense matrix that holds zeros}
  /// By rates that were measured once, so that the answer is the same on every machine: beside a
  /// row of activations a nonzero takes as long as [#NONZERO] elements of a dense matrix, and to
  /// transpose an element of a row of `X` and `T` as long as [#TRANSPOSED] of them.
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros of the matrix
  public static boolean areFaster(int rows, int cols, long nonzeros) {
    return relativeTime(rows, cols, nonzeros) < 1;
  }

  /// {@return the time of these products, as a share of that of those of a dense matrix} See
  /// [#areFaster].
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros of the matrix
  public static double relativeTime(int rows, int cols, long nonzeros) {
    double sparse = NONZERO * nonzeros + TRANSPOSED * ((double) rows + cols);
    return sparse / ((double) rows * cols);
  }

  /// {@return the bytes of off-heap memory, before it exists}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros of the matrix
  public static long bytes(int rows, int cols, long nonzeros) {
    return SparsePanels.bytes(rows, cols, nonzeros)
        + SparsePanels.bytes(cols, rows, nonzeros)
        + nonzeros * Character.BYTES;
  }

  /// {@return the number of rows, `k`}
  public int rows() {
    return rows;
  }

  /// {@return the number of columns, `n`}
  public int cols() {
    return cols;
  }

  /// {@return the number of nonzeros}
  public int nonzeros() {
    return byRow.entries();
  }

  /// The product `Y = X W`.
  ///
  /// @param values `float32[nonzeros]`, panel by panel
  /// @param x `m x k`
  /// @param y `m x n`, overwritten; shares no memory with `x`
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public void multiply(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    require(byColumn, values, x, y);
    if (rows > FETCHED) {
      throw new IllegalArgumentException(
          "sparse product: expected at most %d rows of W, found %d".formatted(FETCHED, rows));
    }
    w.hold(
        () -> {
          for (int left = 0; left < cols; ) {
            int right = fetchedFrom(left);
            long[] bases = fetch(values, left, right, w);
            new Product(byColumn, bases, left, right, x, y, w).run();
            left = right;
          }
          finish(y, w, epilogue);
        },
        epilogue.with(byColumn.ids(), byColumn.starts(), places, values, x.data(), y.data()));
  }

  /// The product `Y = X W^T`.
  ///
  /// @param values `float32[nonzeros]`, panel by panel
  /// @param x `m x n`
  /// @param y `m x k`, overwritten; shares no memory with `x`
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public void multiplyTransposed(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    require(byRow, values, x, y);
    long[] bases = new long[byRow.panels()];
    Arrays.fill(bases, Memory.address(values, 0, values.byteSize()));
    w.hold(
        () -> {
          new Product(byRow, bases, 0, rows, x, y, w).run();
          finish(y, w, epilogue);
        },
        epilogue.with(byRow.ids(), byRow.starts(), values, x.data(), y.data()));
  }

  private void require(SparsePanels a, MemorySegment values, DenseMatrix x, DenseMatrix y) {
    if (x.cols() != a.inner() || y.cols() != a.rows() || y.rows() != x.rows()) {
      throw new IllegalArgumentException(
          "sparse product: x is %s and y is %s; x needs %d columns, y needs to be %d x %d"
              .formatted(x, y, a.inner(), x.rows(), a.rows()));
    }
    Ranges.requireFloats("values", values, nonzeros());
  }

  private static void finish(DenseMatrix y, Workers w, RowEpilogue epilogue) {
    w.run(
        blocks(y.rows()),
        (task, worker) -> {
          long begin = (long) task * ROWS;
          epilogue.apply(y, begin, Math.min(y.rows(), begin + ROWS));
        });
  }

  private static int blocks(long m) {
    return Math.toIntExact(Math.ceilDiv(m, (long) ROWS));
  }

  /// The end of the columns from `left` on whose values are fetched together.
  private int fetchedFrom(int left) {
    int step = Math.clamp(FETCHED / rows, 1, SparsePanels.PANEL);
    int right = Math.min(cols, left + step);
    while (right < cols) {
      int next = Math.min(cols, right + step);
      if (byColumn.entries(left, next) > FETCHED) {
        break;
      }
      right = next;
    }
    return right;
  }

  /// Brings the values of some columns into the order of `byColumn`, in the shared scratch.
  ///
  /// @return for each panel the address that the value of entry 0 would have
  private long[] fetch(MemorySegment values, int left, int right, Workers w) {
    long[] bases = new long[byColumn.panels()];
    long next = Memory.address(w.sharedScratch(), SUM_BYTES, (long) FETCHED * Float.BYTES);
    for (int p = 0; p < bases.length; p++) {
      int begin = byColumn.start(p, left);
      bases[p] = next - (long) begin * Float.BYTES;
      next += (long) (byColumn.start(p, right) - begin) * Float.BYTES;
    }
    int across = Math.ceilDiv(right - left, SparsePanels.PANEL);
    w.run(
        Math.multiplyExact(bases.length, across),
        (task, worker) -> {
          int p = task / across;
          int begin = left + task % across * SparsePanels.PANEL;
          fetch(values, p, begin, Math.min(right, begin + SparsePanels.PANEL), bases[p]);
        });
    return bases;
  }

  private void fetch(MemorySegment values, int panel, int begin, int end, long base) {
    int top = panel * SparsePanels.PANEL;
    for (int j = begin; j < end; j++) {
      int tile = byRow.start(j / SparsePanels.PANEL, top);
      fetch(
          values.address() + (long) tile * Float.BYTES,
          byColumn.start(panel, j),
          byColumn.start(panel, j + 1),
          base);
    }
  }

  private void fetch(long tile, int begin, int end, long base) {
    long from = places.address();
    for (int e = begin; e < end; e++) {
      long place = Memory.ALL.get(CHAR, Memory.at(from + (long) e * Character.BYTES));
      float value = Memory.ALL.get(FLOAT, Memory.at(tile + place * Float.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(base + (long) e * Float.BYTES), value);
    }
  }

  /// The columns `left..right-1` of `Y`, with `Y^T = A X^T`.
  ///
  /// A task is a block of rows of `Y` and some of its columns. Where that gives too few tasks and
  /// there is more to transpose than there are sums, several share the panels, and their sums, in
  /// the shared scratch, are added in ascending order.
  private static final class Product {
    private final SparsePanels a;
    private final long[] bases;
    private final int left;
    private final int right;
    private final DenseMatrix x;
    private final DenseMatrix y;
    private final Workers w;
    private final int blocks;
    private final int chunks;
    private final int parts;

    /// @param bases for each panel the address that the value of entry 0 would have
    Product(
        SparsePanels a,
        long[] bases,
        int left,
        int right,
        DenseMatrix x,
        DenseMatrix y,
        Workers w) {
      this.a = a;
      this.bases = bases;
      this.left = left;
      this.right = right;
      this.x = x;
      this.y = y;
      this.w = w;
      blocks = blocks(x.rows());
      int out = right - left;
      long worthwhile = Math.max(1, a.entries(left, right) / LEAST);
      long pieces = Math.min(worthwhile, Math.ceilDiv(ENOUGH_TASKS, Math.max(1, blocks)));
      long fit = SUM_BYTES / ((long) Math.max(1, blocks) * out * PITCH);
      boolean deep = a.inner() > 2 * out;
      parts = deep ? (int) Math.clamp(Math.min(fit, a.panels()), 1, pieces) : 1;
      long most = deep ? 1 : Math.ceilDiv(out, LEAST_OUT);
      chunks = (int) Math.max(Math.ceilDiv(out, OUT), Math.min(pieces, most));
    }

    private int column(int chunk) {
      return left + (int) ((long) (right - left) * chunk / chunks);
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
      long room = PANEL_BYTES + (end - begin) * PITCH;
      long panel = Memory.address(w.scratch(worker), 0, room);
      long sums = parts > 1 ? kept(block, part, begin) : panel + PANEL_BYTES;
      int first = first(part);
      for (int p = first; p < first(part + 1); p++) {
        long source = from + (long) p * SparsePanels.PANEL * Float.BYTES;
        Transposition.transpose(source, x.offset(1), count, a.width(p), panel, pitch, true, floats);
        SparseRows.multiply(
            a.startAddress(p, begin),
            end - begin,
            a.ids().address(),
            bases[p],
            panel,
            sums,
            pitch,
            p > first);
      }
      if (parts == 1) {
        write(sums, block, begin, end, floats);
      }
    }

    /// The first panel of a part.
    private int first(int part) {
      return (int) ((long) a.panels() * part / parts);
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
  }

  /// Adds what lies at the nonzeros of `X^T T`.
  ///
  /// @param x `m x k`
  /// @param t `m x n`
  /// @param gradient `float32[nonzeros]`, panel by panel, added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void addOuter(DenseMatrix x, DenseMatrix t, MemorySegment gradient, Workers w) {
    if (x.cols() != rows || t.cols() != cols || t.rows() != x.rows()) {
      throw new IllegalArgumentException(
          "sparse gradient: x is %s and t is %s; x needs %d columns, t needs to be %d x %d"
              .formatted(x, t, rows, x.rows(), cols));
    }
    Ranges.requireFloats("gradient", gradient, nonzeros());
    w.hold(
        () -> new Gradient(x, t, gradient, w).run(),
        byRow.ids(),
        byRow.starts(),
        x.data(),
        t.data(),
        gradient);
  }

  /// What lies at the nonzeros of `X^T T`.
  ///
  /// A task is a panel of `T`, or two of many, for which `X` is transposed once, and, where that
  /// gives too few, a part of its rows, whose sums lie in the shared scratch and are added in
  /// ascending order; or some rows of `W`, for each of which the panel is transposed again.
  private final class Gradient {
    private final DenseMatrix x;
    private final DenseMatrix t;
    private final MemorySegment gradient;
    private final Workers w;
    private final int group;
    private final int groups;
    private final int parts;
    private final int pieces;

    Gradient(DenseMatrix x, DenseMatrix t, MemorySegment gradient, Workers w) {
      this.x = x;
      this.t = t;
      this.gradient = gradient;
      this.w = w;
      long worthwhile = (long) nonzeros() * blocks(x.rows()) / LEAST;
      group = byRow.panels() < 2 * ENOUGH_TASKS ? 1 : MOST_PANELS;
      groups = Math.ceilDiv(byRow.panels(), group);
      long wanted = Math.ceilDiv(Math.min(worthwhile, ENOUGH_TASKS), (long) groups);
      long fit = Workers.SHARED_BYTES / ((long) Math.max(1, nonzeros()) * Float.BYTES);
      long most = Math.min(fit, x.rows() / (2 * ROWS));
      parts = (int) Math.clamp(most, 1, Math.max(1, wanted));
      pieces =
          (int)
              Math.clamp(
                  Math.ceilDiv(wanted, (long) parts), 1, Math.ceilDiv((long) rows, LEAST_OUT));
    }

    void run() {
      w.run(
          Math.multiplyExact(Math.multiplyExact(groups, parts), pieces),
          (task, worker) -> {
            int piece = task % pieces;
            int part = task / pieces % parts;
            sum(task / pieces / parts, part, row(piece), row(piece + 1), worker);
          });
      if (parts > 1) {
        w.run(Math.ceilDiv(nonzeros(), ADDED), (task, worker) -> addParts(task * ADDED));
      }
    }

    private int row(int piece) {
      return (int) ((long) rows * piece / pieces);
    }

    private long kept(int part) {
      long bytes = (long) nonzeros() * Float.BYTES;
      return Memory.address(w.sharedScratch(), part * bytes, bytes);
    }

    private void addParts(int begin) {
      int count = Math.min(ADDED, nonzeros() - begin);
      long shift = (long) begin * Float.BYTES;
      for (int part = 0; part < parts; part++) {
        NumberFormat.FLOAT32.add(kept(part) + shift, gradient.address() + shift, count);
      }
    }

    /// The rows `top..bottom-1` of a group of panels, from a part of the rows of `X` and `T`.
    private void sum(int number, int part, int top, int bottom, int worker) {
      long blocks = blocks(x.rows());
      long end = Math.min(x.rows(), blocks * (part + 1) / parts * ROWS);
      long first = blocks * part / parts * ROWS;
      for (long begin = first; begin < end; begin += DEPTH) {
        int count = (int) Math.min(DEPTH, end - begin);
        boolean overwrite = parts > 1 && begin == first;
        long target = parts > 1 ? kept(part) : gradient.address();
        block(number * group, begin, count, top, bottom, target, overwrite, worker);
      }
    }

    private void block(
        int panel,
        long begin,
        int count,
        int top,
        int bottom,
        long target,
        boolean overwrite,
        int worker) {
      int end = Math.min(byRow.panels(), panel + group);
      float[] floats = w.scratchFloats(worker);
      long pitch = (long) Panels.padded(count) * Float.BYTES;
      long room = MOST_PANELS * DEPTH_PANEL + LEFTS * pitch;
      long lefts = Memory.address(w.scratch(worker), 0, room);
      long rights = lefts + LEFTS * pitch;
      long fromX = x.data().address() + x.offset(begin);
      long fromT = t.data().address() + t.offset(begin);
      for (int q = panel; q < end; q++) {
        Transposition.transpose(
            fromT + (long) q * SparsePanels.PANEL * Float.BYTES,
            t.offset(1),
            count,
            byRow.width(q),
            rights + (q - panel) * DEPTH_PANEL,
            pitch,
            true,
            floats);
      }
      for (int low = top; low < bottom; low += LEFTS) {
        int high = Math.min(bottom, low + LEFTS);
        Transposition.transpose(
            fromX + (long) low * Float.BYTES,
            x.offset(1),
            count,
            high - low,
            lefts,
            pitch,
            true,
            floats);
        for (int q = panel; q < end; q++) {
          long right = rights + (q - panel) * DEPTH_PANEL;
          for (int i = low; i < high; ) {
            int some = dots(q, i, high, lefts + (i - low) * pitch, right, pitch, floats);
            int first = byRow.start(q, i);
            long to = target + (long) first * Float.BYTES;
            SparseDots.add(floats, byRow.start(q, i + some) - first, to, overwrite);
            i += some;
          }
        }
      }
    }

    /// The dot products of the entries of as many rows as fit.
    ///
    /// @return number of rows, at least 1
    private int dots(int q, int row, int end, long left, long panel, long pitch, float[] floats) {
      int first = byRow.start(q, row);
      int count = 0;
      int done = 0;
      while (row + count < end) {
        int last = byRow.start(q, row + count + 1) - first;
        if (last > DOTS) {
          break;
        }
        SparseDots.dots(
            left + count * pitch,
            byRow.ids().address() + first + done,
            last - done,
            panel,
            pitch,
            floats,
            done);
        done = last;
        count++;
      }
      Sddmm.sums(floats, done, floats, 0);
      return count;
    }
  }

  /// What lies at a nonzero.
  @FunctionalInterface
  private interface Visit {
    /// @param at where its value lies among those of all nonzeros
    /// @param position of the element, row by row
    void accept(long at, long position);
  }

  /// Goes over the nonzeros among the elements `begin..end-1`, in ascending order.
  private void visit(int begin, int end, Visit visit) {
    Objects.checkFromToIndex((long) begin, (long) end, (long) rows * cols);
    for (int i = begin / cols; (long) i * cols < end; i++) {
      for (int q = 0; q < byRow.panels(); q++) {
        long left = (long) i * cols + (long) q * SparsePanels.PANEL;
        int last = byRow.start(q, i + 1);
        for (int e = byRow.start(q, i); e < last; e++) {
          long position = left + byRow.id(e);
          if (position >= begin && position < end) {
            visit.accept(e, position);
          }
        }
      }
    }
  }

  /// {@return the nonzeros, counted row by row} A copy.
  public BitSet kept() {
    BitSet kept = new BitSet();
    visit(0, Math.multiplyExact(rows, cols), (at, position) -> kept.set((int) position));
    return kept;
  }

  /// The values in the order of their positions.
  ///
  /// @param values `float32[nonzeros]`, panel by panel
  /// @param ascending `float32[nonzeros]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public void sorted(MemorySegment values, MemorySegment ascending) {
    move(values, ascending, true);
  }

  /// The inverse of [#sorted].
  ///
  /// @param ascending `float32[nonzeros]`, in the order of their positions
  /// @param values `float32[nonzeros]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public void unsorted(MemorySegment ascending, MemorySegment values) {
    move(values, ascending, false);
  }

  private void move(MemorySegment values, MemorySegment ascending, boolean sorting) {
    Ranges.requireFloats("values", values, nonzeros());
    Ranges.requireFloats("ascending", ascending, nonzeros());
    long next = 0;
    for (int i = 0; i < rows; i++) {
      for (int q = 0; q < byRow.panels(); q++) {
        long begin = (long) byRow.start(q, i) * Float.BYTES;
        long bytes = (long) byRow.start(q, i + 1) * Float.BYTES - begin;
        if (sorting) {
          MemorySegment.copy(values, begin, ascending, next, bytes);
        } else {
          MemorySegment.copy(ascending, next, values, begin, bytes);
        }
        next += bytes;
      }
    }
  }

  /// The elements `begin..end-1` with zeros where there is no nonzero.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param compressed `float32[nonzeros]`, panel by panel
  /// @param values `float32[end - begin]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public void expand(int begin, int end, MemorySegment compressed, MemorySegment values) {
    require(begin, end, values, compressed);
    values.fill((byte) 0);
    visit(
        begin,
        end,
        (at, position) ->
            values.set(
                FLOAT, (position - begin) * Float.BYTES, compressed.get(FLOAT, at * Float.BYTES)));
  }

  /// The inverse of [#expand].
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[nonzeros]`, overwritten where these elements' nonzeros lie
  /// @throws IllegalArgumentException if the sizes do not fit
  public void compress(int begin, int end, MemorySegment values, MemorySegment compressed) {
    require(begin, end, values, compressed);
    visit(
        begin,
        end,
        (at, position) ->
            compressed.set(
                FLOAT, at * Float.BYTES, values.get(FLOAT, (position - begin) * Float.BYTES)));
  }

  /// [#compress] that adds to what is there.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[nonzeros]`, added to
  /// @throws IllegalArgumentException if the sizes do not fit
  public void compressAdd(int begin, int end, MemorySegment values, MemorySegment compressed) {
    require(begin, end, values, compressed);
    visit(
        begin,
        end,
        (at, position) -> {
          float sum = compressed.get(FLOAT, at * Float.BYTES);
          sum += values.get(FLOAT, (position - begin) * Float.BYTES);
          compressed.set(FLOAT, at * Float.BYTES, sum);
        });
  }

  private void require(int begin, int end, MemorySegment values, MemorySegment compressed) {
    Objects.checkFromToIndex((long) begin, (long) end, (long) rows * cols);
    Ranges.requireFloats("values", values, (long) end - begin);
    Ranges.requireFloats("compressed", compressed, nonzeros());
  }
}
