package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.tile.Lanes;
import dev.gossamer.matrix.tile.Operand;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Dense products with the Vector API.
///
/// The scheme is Goto's (K. Goto and R. van de Geijn, *Anatomy of high-performance matrix
/// multiplication*, ACM TOMS 34(3), 2008) for a small right operand: `B` is packed once into panels
/// one tile wide, which all tasks read; a task takes a block of rows of `A` that stays in its
/// second-level cache and is read as it lies.
final class JavaMatmul implements Matmul {
  static final JavaMatmul INSTANCE = new JavaMatmul();

  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final int LANES = Tiles.LANES;
  private static final int WIDTH = Tiles.WIDTH;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Floats of `B` that are packed at a time.
  private static final int PACKED_FLOATS = Workers.SHARED_BYTES / Float.BYTES;

  /// Rows of `B` that are packed at a time: a panel of them fits.
  private static final int MAX_DEPTH = PACKED_FLOATS / WIDTH;

  /// Columns of `B` that are packed at a time: this number of columns of the shortest block of rows
  /// fits in a member's scratch memory.
  private static final int MAX_CHUNK =
      (Workers.SCRATCH_BYTES - Tiles.TILE_BYTES) / Float.BYTES / Tiles.ROWS;

  @Override
  public String name() {
    return "java (" + SPECIES.vectorBitSize() + "-bit vectors)";
  }

  @Override
  public String setting() {
    return "java";
  }

  @Override
  public void multiply(
      DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue) {
    product(MatmulShape.plain(a, b, c), a, StoredMatrix.of(b), false, c, w, epilogue);
  }

  @Override
  public void multiplyTransposed(
      DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue) {
    product(MatmulShape.transposed(a, b, c), a, StoredMatrix.of(b), true, c, w, epilogue);
  }

  /// `C = A B`, or `C = A B^T`, with `B` in whichever format.
  static void product(
      MatmulShape s,
      DenseMatrix a,
      StoredMatrix b,
      boolean transposed,
      DenseMatrix c,
      Workers w,
      RowEpilogue epilogue) {
    w.hold(
        () -> heldProduct(s, a, b, transposed, c, w, epilogue),
        epilogue.with(a.data(), b.data(), c.data()));
  }

  private static void heldProduct(
      MatmulShape s,
      DenseMatrix a,
      StoredMatrix b,
      boolean transposed,
      DenseMatrix c,
      Workers w,
      RowEpilogue epilogue) {
    int depth = Math.min(s.k(), MAX_DEPTH);
    int chunk = chunk(depth);
    for (int j = 0; j < s.n() && s.m() > 0; j += chunk) {
      int left = j;
      int cols = Math.min(chunk, s.n() - j);
      for (int p = 0; p < s.k(); p += depth) {
        int top = p;
        int steps = Math.min(depth, s.k() - p);
        boolean last = j + cols == s.n() && p + steps == s.k();
        pack(b, transposed, top, steps, left, cols, w);
        w.run(
            s.blocks(),
            (task, worker) -> {
              long begin = (long) task * s.blockRows();
              long stop = Math.min(s.m(), begin + s.blockRows());
              MemorySegment spare = w.scratch(worker);
              // The epilogue follows before the rows have left the nearest caches.
              for (long row = begin; row < stop; row += s.fusedRows()) {
                long end = Math.min(stop, row + s.fusedRows());
                Operand block = Operand.of(c, row, left);
                block(a, row, end, top, steps, w, block, cols, top > 0, spare);
                if (last) {
                  epilogue.apply(c, row, end);
                }
              }
            });
      }
    }
  }

  /// Columns of `B`, whole panels, that are packed at a time.
  private static int chunk(int depth) {
    return Math.min(MAX_CHUNK, PACKED_FLOATS / depth) / WIDTH * WIDTH;
  }

  /// Packs `steps x cols` elements of `B` (or `B^T`) from `(top, left)` into the shared scratch:
  /// the panel of columns `left + j` lies `steps * j` floats from its beginning.
  private static void pack(
      StoredMatrix b, boolean transposed, int top, int steps, int left, int cols, Workers w) {
    MemorySegment packed = w.sharedScratch();
    NumberFormat format = b.format();
    w.run(
        Math.ceilDiv(cols, WIDTH),
        (task, worker) -> {
          int j = task * WIDTH;
          int width = Math.min(WIDTH, cols - j);
          long to = (long) steps * j * Float.BYTES;
          if (transposed) {
            long at = b.offset(left + j) + (long) top * format.bytes();
            Panels.copyTransposed(format, b.data(), at, b.offset(1), steps, width, packed, to);
          } else {
            long at = b.offset(top) + (long) (left + j) * format.bytes();
            Panels.copy(format, b.data(), at, b.offset(1), steps, width, packed, to);
          }
        });
  }

  /// Rows `begin..end-1` and columns `top..top+steps-1` of `A` times what is packed.
  private static void block(
      DenseMatrix a,
      long begin,
      long end,
      int top,
      int steps,
      Workers w,
      Operand c,
      int cols,
      boolean add,
      MemorySegment spare) {
    Operand rows = Operand.of(a, begin, top);
    for (int j = 0; j < cols; j += WIDTH) {
      int width = Math.min(WIDTH, cols - j);
      Operand panel =
          Operand.rows(
              w.sharedScratch(),
              (long) steps * j * Float.BYTES,
              (long) Panels.padded(width) * Float.BYTES);
      Tiles.strip(rows, (int) (end - begin), false, panel, steps, c.from(j), width, add, spare);
    }
  }

  @Override
  public void multiplyTransposedMasked(
      DenseMatrix a, DenseMatrix b, DenseMatrix h, float scale, Workers w) {
    MatmulShape s = MatmulShape.transposed(a, b, h);
    if (s.k() > MAX_DEPTH) {
      w.run(s.blocks(), (task, worker) -> maskedDots(s, a, b, h, scale, task));
      return;
    }
    w.hold(() -> heldMasked(s, a, b, h, scale, w), a.data(), b.data(), h.data());
  }

  private static void heldMasked(
      MatmulShape s, DenseMatrix a, DenseMatrix b, DenseMatrix h, float scale, Workers w) {
    int chunk = chunk(s.k());
    for (int j = 0; j < s.n() && s.m() > 0; j += chunk) {
      int left = j;
      int cols = Math.min(chunk, s.n() - j);
      long stride = (long) Panels.padded(cols) * Float.BYTES;
      pack(StoredMatrix.of(b), true, 0, s.k(), left, cols, w);
      w.run(
          s.blocks(),
          (task, worker) -> {
            long begin = (long) task * s.blockRows();
            long end = Math.min(s.m(), begin + s.blockRows());
            MemorySegment product = w.scratch(worker);
            Operand block = Operand.rows(product, 0, stride);
            block(a, begin, end, 0, s.k(), w, block, cols, false, product);
            mask(product, stride, h, begin, end, left, cols, scale);
          });
    }
  }

  /// Rows `begin..end-1` of `h`, columns from `left`: `h = h > 0 ? scale product : 0`.
  ///
  /// @param product the rows of the product, `stride` bytes apart
  static void mask(
      MemorySegment product,
      long stride,
      DenseMatrix h,
      long begin,
      long end,
      int left,
      int cols,
      float scale) {
    long from = Memory.address(product, 0, (end - begin) * stride);
    long to = Memory.address(h.data(), h.offset(begin), h.offset(end) - h.offset(begin));
    for (long i = 0; i < end - begin; i++) {
      maskRow(from + i * stride, to + h.offset(i) + (long) left * Float.BYTES, cols, scale);
    }
  }

  /// `h = h > 0 ? scale product : 0` for `cols` elements.
  private static void maskRow(long product, long h, int cols, float scale) {
    FloatVector zero = FloatVector.zero(SPECIES);
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long shift = (long) j * Float.BYTES;
      FloatVector v =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(product + shift), ORDER);
      FloatVector y =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(h + shift), ORDER);
      zero.blend(v.mul(scale), y.compare(VectorOperators.GT, zero))
          .intoMemorySegment(Memory.ALL, Memory.at(h + shift), ORDER);
    }
    if (whole < cols) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, cols);
      FloatVector v =
          FloatVector.fromMemorySegment(
              SPECIES, Memory.ALL, Memory.at(product + shift), ORDER, rest);
      FloatVector y =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(h + shift), ORDER, rest);
      zero.blend(v.mul(scale), y.compare(VectorOperators.GT, zero))
          .intoMemorySegment(Memory.ALL, Memory.at(h + shift), ORDER, rest);
    }
  }

  /// The masked product when not even one panel of `B` can be packed: a dot product for each
  /// element that the mask lets through.
  private static void maskedDots(
      MatmulShape s, DenseMatrix a, DenseMatrix b, DenseMatrix h, float scale, int task) {
    long begin = (long) task * s.blockRows();
    long end = Math.min(s.m(), begin + s.blockRows());
    for (long i = begin; i < end; i++) {
      for (int j = 0; j < s.n(); j++) {
        boolean open = h.get(i, j) > 0;
        h.set(i, j, open ? scale * dot(a.data(), a.offset(i), b.data(), b.offset(j), s.k()) : 0f);
      }
    }
  }

  private static float dot(MemorySegment a, long aAt, MemorySegment b, long bAt, int k) {
    FloatVector sum = FloatVector.zero(SPECIES);
    for (int i = 0; i < k; i += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(i, k);
      long shift = (long) i * Float.BYTES;
      FloatVector x = FloatVector.fromMemorySegment(SPECIES, a, aAt + shift, ORDER, inside);
      FloatVector y = FloatVector.fromMemorySegment(SPECIES, b, bAt + shift, ORDER, inside);
      sum = x.fma(y, sum);
    }
    return Lanes.sum(sum);
  }

  @Override
  public void transposedMultiply(DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w) {
    MatmulShape s = MatmulShape.outer(a, b, c);
    if (s.m() == 0) {
      c.fill(0f);
      return;
    }
    LongSum sum = LongSum.of(s);
    w.run(
        sum.tasks(),
        (task, worker) -> {
          MemorySegment target = sum.parts() == 1 ? c.data() : w.sharedScratch();
          outer(s, sum, task, a, b, target, w.scratch(worker));
        },
        a.data(),
        b.data(),
        c.data());
    sum.addParts(c, w);
  }

  /// One block of one part of `A^T B`: adds the product of a chunk of rows at a time to the block.
  /// A ragged tile reads past the end of a row, which must not be the end of the operand: the last
  /// rows are copied, and padded.
  private static void outer(
      MatmulShape s,
      LongSum sum,
      int task,
      DenseMatrix a,
      DenseMatrix b,
      MemorySegment target,
      MemorySegment scratch) {
    int left = sum.left(task);
    int top = sum.top(task);
    int rows = Math.min(LongSum.BLOCK, s.k() - top);
    int cols = Math.min(LongSum.BLOCK, s.n() - left);
    long begin = sum.begin(task);
    Operand block = Operand.rows(target, sum.offset(task), (long) s.n() * Float.BYTES);
    long strideA = (long) Panels.padded(rows) * Float.BYTES;
    Operand packedA = Operand.rows(scratch, 0, strideA);
    Operand packedB =
        Operand.rows(scratch, sum.chunk() * strideA, (long) Panels.padded(cols) * Float.BYTES);
    boolean ragged = rows % Tiles.ROWS != 0 || cols % LANES != 0;
    long overrun = Math.ceilDiv(Math.max(Tiles.ROWS, LANES), Math.min(s.k(), s.n()));
    for (long i = begin; i < sum.end(task); i += sum.chunk()) {
      int steps = (int) Math.min(sum.chunk(), sum.end(task) - i);
      Operand x = Operand.of(a, i, top);
      Operand y = Operand.of(b, i, left);
      if (ragged && i + steps + overrun > s.m()) {
        Panels.copy(x.data(), x.at(), x.row(), steps, rows, scratch, packedA.at());
        Panels.copy(y.data(), y.at(), y.row(), steps, cols, scratch, packedB.at());
        x = packedA;
        y = packedB;
      }
      chunk(x.transposed(), y, steps, rows, cols, block, i > begin, scratch);
    }
  }

  private static void chunk(
      Operand a,
      Operand b,
      int steps,
      int rows,
      int cols,
      Operand c,
      boolean add,
      MemorySegment spare) {
    for (int j = 0; j < cols; j += WIDTH) {
      int width = Math.min(WIDTH, cols - j);
      Tiles.strip(a, rows, true, b.from(j), steps, c.from(j), width, add, spare);
    }
  }
}
