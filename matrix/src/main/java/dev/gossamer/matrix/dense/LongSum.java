package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// How `A^T B`, a sum over the long dimension, is cut into tasks: the long dimension into parts
/// whose results lie one after the other in the shared scratch, and the result into blocks.
///
/// A task is one block of one part. The number of parts depends on the shape only: as many as fit
/// the shared scratch, at most [#MAX_PARTS], and none shorter than [#MIN_CHUNKS] chunks. A single
/// part goes straight to the result.
///
/// @param s shape of the product
/// @param parts pieces of the long dimension, at least 1
record LongSum(MatmulShape s, int parts) {
  /// Rows of the operands that are multiplied at a time fill this many floats, within bounds: they
  /// stay in the second-level cache, and the result is added to once for all of them.
  private static final int CHUNK_FLOATS = 1 << 17;

  private static final int MIN_CHUNK = 128;
  private static final int MAX_CHUNK = 2048;

  /// Rows and columns of a block of the result: with two packed chunks it stays in the second-level
  /// cache.
  static final int BLOCK = 256;

  private static final int MAX_PARTS = 64;
  private static final int MIN_CHUNKS = 2;

  /// Elements of the result that one task of [#addParts] adds.
  private static final int ADD_ELEMENTS = 1 << 12;

  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  static LongSum of(MatmulShape s) {
    long fit = Workers.SHARED_BYTES / (Float.BYTES * (long) s.k() * s.n());
    long worthwhile = s.m() / ((long) chunk(s) * MIN_CHUNKS);
    return new LongSum(s, (int) Math.clamp(Math.min(fit, worthwhile), 1L, MAX_PARTS));
  }

  /// Rows of the operands that are multiplied at a time.
  int chunk() {
    return chunk(s);
  }

  private static int chunk(MatmulShape s) {
    return Math.clamp(
        CHUNK_FLOATS / (Math.min(s.k(), BLOCK) + Math.min(s.n(), BLOCK)), MIN_CHUNK, MAX_CHUNK);
  }

  int tasks() {
    return Math.multiplyExact(parts, Math.multiplyExact(blocksDown(), blocksAcross()));
  }

  /// First row of the result of a task.
  int top(int task) {
    return task / parts / blocksAcross() * BLOCK;
  }

  /// First column of the result of a task.
  int left(int task) {
    return task / parts % blocksAcross() * BLOCK;
  }

  /// First row of the operands of a task.
  long begin(int task) {
    return chunks() * (task % parts) / parts * chunk();
  }

  /// The row of the operands after the last of a task.
  long end(int task) {
    return Math.min(s.m(), chunks() * (task % parts + 1) / parts * chunk());
  }

  /// Position in bytes of the first element of a task's result.
  long offset(int task) {
    long element = (long) (task % parts) * s.k() * s.n() + (long) top(task) * s.n() + left(task);
    return element * Float.BYTES;
  }

  /// Sums the parts in ascending order into the result, unless a single part is there already.
  void addParts(DenseMatrix c, Workers w) {
    if (parts == 1) {
      return;
    }
    int elements = Math.multiplyExact(s.k(), s.n());
    w.run(
        Math.ceilDiv(elements, ADD_ELEMENTS),
        (task, worker) -> {
          int begin = task * ADD_ELEMENTS;
          int end = Math.min(elements, begin + ADD_ELEMENTS);
          for (int e = begin; e < end; e += SPECIES.length()) {
            add(w.sharedScratch(), e, end, elements, c.data());
          }
        });
  }

  private void add(MemorySegment partial, int e, int end, int elements, MemorySegment c) {
    VectorMask<Float> inside = SPECIES.indexInRange(e, end);
    long at = (long) e * Float.BYTES;
    FloatVector sum = FloatVector.fromMemorySegment(SPECIES, partial, at, ORDER, inside);
    for (int p = 1; p < parts; p++) {
      long from = at + (long) p * elements * Float.BYTES;
      sum = sum.add(FloatVector.fromMemorySegment(SPECIES, partial, from, ORDER, inside));
    }
    sum.intoMemorySegment(c, at, ORDER, inside);
  }

  private long chunks() {
    return Math.ceilDiv(s.m(), chunk());
  }

  private int blocksDown() {
    return Math.ceilDiv(s.k(), BLOCK);
  }

  private int blocksAcross() {
    return Math.ceilDiv(s.n(), BLOCK);
  }
}
