package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.tile.Operand;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// The product `C = A^T B` over the long dimension, passed on block by block while it is in cache,
/// so that a weight gradient can be compressed without existing as a whole (SAMO, section III-C,
/// which does so layer by layer).
///
/// A block of `C` is summed in a member's scratch memory, over chunks of rows in ascending order;
/// both operands are packed for it, so that the tiles read memory in one ascending sweep.
public final class OuterBlocks {
  /// Receives finished blocks. Called once for each block, from many threads.
  @FunctionalInterface
  public interface Sink {
    /// Receives a block.
    ///
    /// @param block its position and values; valid during the call
    void accept(Block block);
  }

  /// A rectangle of a matrix with its values.
  ///
  /// @param top first row
  /// @param left first column
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param values row `i` of the block begins at the byte `i stride`; borrowed
  /// @param stride bytes from one row of `values` to the next
  public record Block(int top, int left, int rows, int cols, MemorySegment values, long stride) {
    /// Adds the values to their positions in a whole matrix.
    ///
    /// @param c the whole matrix
    /// @throws IndexOutOfBoundsException if the block is not inside
    public void addTo(DenseMatrix c) {
      Objects.checkFromIndexSize(left, cols, c.cols());
      Memory.hold(() -> addHeld(c), values, c.data());
    }

    private void addHeld(DenseMatrix c) {
      long from = Memory.address(values, 0, (rows - 1) * stride + (long) cols * Float.BYTES);
      long to = Memory.address(c.data(), c.offset(top), rows * c.offset(1));
      to += (long) left * Float.BYTES;
      for (int i = 0; i < rows; i++) {
        NumberFormat.FLOAT32.add(from + i * stride, to + c.offset(i), cols);
      }
    }
  }

  /// Maximum rows and columns of a block. It is wide, because picking a few elements of each row
  /// accesses a different place in memory for every row: twice as fast as with a square of 256 at a
  /// sparsity of 0.9, at no cost to the product.
  static final int BLOCK_ROWS = 128;

  /// Maximum columns of a block.
  public static final int BLOCK_COLS = 512;

  /// Rows of the operands that are packed at a time: a packed panel of them stays in the
  /// first-level cache.
  private static final int CHUNK = 128;

  /// Tasks that a product is cut into if it can be.
  private static final int ENOUGH_TASKS = 16;

  private static final int MIN_CHUNKS = 2;

  /// Rows of a block whose parts one task adds.
  private static final int STRIP = 32;

  private static final int WIDTH = Tiles.WIDTH;
  private static final int HEIGHT = Tiles.ROWS;

  private static final long PACKED_A = (long) BLOCK_ROWS * BLOCK_COLS * Float.BYTES;
  private static final long PACKED_B = PACKED_A + (long) CHUNK * BLOCK_ROWS * Float.BYTES;

  private OuterBlocks() {}

  /// Computes all blocks. Results depend only on operands and shapes.
  ///
  /// With few blocks, the long dimension is divided into parts, whose sums are in the shared
  /// scratch memory and are added in ascending order.
  ///
  /// @param a `m x k`
  /// @param b `m x n`
  /// @param w threads that share the work
  /// @param sink receives every element of `C`, `k x n`, once
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void multiply(DenseMatrix a, DenseMatrix b, Workers w, Sink sink) {
    MatmulShape s = MatmulShape.outer(a, b);
    w.hold(() -> heldMultiply(s, a, b, w, sink), a.data(), b.data());
  }

  private static void heldMultiply(
      MatmulShape s, DenseMatrix a, DenseMatrix b, Workers w, Sink sink) {
    int parts = parts(s);
    w.run(
        Math.multiplyExact(blocks(s), parts),
        (task, worker) -> {
          MemorySegment scratch = w.scratch(worker);
          Block block = place(s, task / parts, scratch);
          sum(a, b, block, begin(s, task % parts, parts), begin(s, task % parts + 1, parts));
          if (parts == 1) {
            sink.accept(block);
          } else {
            keep(s, block, task % parts, w.sharedScratch());
          }
        });
    if (parts > 1) {
      addParts(s, parts, w, sink);
    }
  }

  private static int across(MatmulShape s) {
    return Math.ceilDiv(s.n(), BLOCK_COLS);
  }

  private static int blocks(MatmulShape s) {
    return Math.multiplyExact(Math.ceilDiv(s.k(), BLOCK_ROWS), across(s));
  }

  /// Pieces of the long dimension, at least 1: none shorter than [#MIN_CHUNKS] chunks, all of their
  /// sums in the shared scratch, and no more than give [#ENOUGH_TASKS].
  private static int parts(MatmulShape s) {
    long fit = Workers.SHARED_BYTES / (Float.BYTES * (long) s.k() * s.n());
    long worthwhile = s.m() / ((long) CHUNK * MIN_CHUNKS);
    long wanted = Math.ceilDiv(ENOUGH_TASKS, blocks(s));
    return (int) Math.max(1, Math.min(wanted, Math.min(fit, worthwhile)));
  }

  /// First row of a part of the long dimension: a multiple of a chunk, or the end.
  private static long begin(MatmulShape s, int part, int parts) {
    long chunks = Math.ceilDiv(s.m(), CHUNK);
    return Math.min(s.m(), chunks * part / parts * CHUNK);
  }

  private static Block place(MatmulShape s, int number, MemorySegment values) {
    int top = number / across(s) * BLOCK_ROWS;
    int left = number % across(s) * BLOCK_COLS;
    int rows = Math.min(BLOCK_ROWS, s.k() - top);
    int cols = Math.min(BLOCK_COLS, s.n() - left);
    return new Block(top, left, rows, cols, values, (long) Panels.padded(cols) * Float.BYTES);
  }

  /// Sums a block over the rows `begin..end-1` of the operands.
  private static void sum(DenseMatrix a, DenseMatrix b, Block block, long begin, long end) {
    MemorySegment scratch = block.values();
    if (begin == end) {
      scratch.asSlice(0, block.rows() * block.stride()).fill((byte) 0);
    }
    for (long i = begin; i < end; i += CHUNK) {
      int steps = (int) Math.min(CHUNK, end - i);
      pack(a, i, block.top(), block.rows(), HEIGHT, steps, scratch, PACKED_A);
      pack(b, i, block.left(), block.cols(), WIDTH, steps, scratch, PACKED_B);
      chunk(block.rows(), block.cols(), steps, block.stride(), i > begin, scratch);
    }
  }

  /// Copies the sum of a part to its place in the shared scratch: a `k x n` matrix for each part.
  private static void keep(MatmulShape s, Block block, int part, MemorySegment shared) {
    for (int i = 0; i < block.rows(); i++) {
      MemorySegment.copy(
          block.values(),
          i * block.stride(),
          shared,
          at(s, part, block.top() + i, block.left()),
          (long) block.cols() * Float.BYTES);
    }
  }

  private static long at(MatmulShape s, int part, int row, int col) {
    return (((long) part * s.k() + row) * s.n() + col) * Float.BYTES;
  }

  /// Adds the parts a few rows of a block at a time.
  private static void addParts(MatmulShape s, int parts, Workers w, Sink sink) {
    int strips = BLOCK_ROWS / STRIP;
    w.run(
        blocks(s) * strips,
        (task, worker) -> {
          Block block = place(s, task / strips, w.scratch(worker));
          int top = block.top() + task % strips * STRIP;
          int rows = Math.min(STRIP, block.top() + block.rows() - top);
          if (rows > 0) {
            addParts(s, parts, top, rows, block, w.sharedScratch());
            sink.accept(
                new Block(top, block.left(), rows, block.cols(), block.values(), block.stride()));
          }
        });
  }

  private static void addParts(
      MatmulShape s, int parts, int top, int rows, Block block, MemorySegment shared) {
    long bytes = (long) block.cols() * Float.BYTES;
    for (int i = 0; i < rows; i++) {
      long to = Memory.address(block.values(), i * block.stride(), bytes);
      long first = at(s, 0, top + i, block.left());
      MemorySegment.copy(shared, first, block.values(), i * block.stride(), bytes);
      for (int p = 1; p < parts; p++) {
        long from = Memory.address(shared, at(s, p, top + i, block.left()), bytes);
        NumberFormat.FLOAT32.add(from, to, block.cols());
      }
    }
  }

  /// Packs a chunk of rows into panels of at most `width` columns, one after the other.
  private static void pack(
      DenseMatrix x,
      long row,
      int left,
      int cols,
      int width,
      int steps,
      MemorySegment to,
      long at) {
    long from = x.offset(row) + (long) left * Float.BYTES;
    for (int j = 0; j < cols; j += width) {
      long shift = (long) j * Float.BYTES;
      int wide = Math.min(width, cols - j);
      Panels.copy(x.data(), from + shift, x.offset(1), steps, wide, to, at + steps * shift);
    }
  }

  /// Adds the product of what is packed to the block. Panels are padded with zeros, and so is the
  /// block.
  private static void chunk(
      int rows, int cols, int steps, long stride, boolean add, MemorySegment scratch) {
    for (int j = 0; j < cols; j += WIDTH) {
      int width = Panels.padded(Math.min(WIDTH, cols - j));
      Operand b =
          Operand.rows(
              scratch, PACKED_B + (long) steps * j * Float.BYTES, (long) width * Float.BYTES);
      for (int i = 0; i < rows; i += HEIGHT) {
        int height = Math.min(HEIGHT, rows - i);
        Operand a =
            Operand.rows(
                scratch,
                PACKED_A + (long) steps * i * Float.BYTES,
                (long) Panels.padded(height) * Float.BYTES);
        Operand c = Operand.rows(scratch, i * stride, stride).from(j);
        Tiles.strip(a.transposed(), height, true, b, steps, c, width, add, scratch);
      }
    }
  }
}
