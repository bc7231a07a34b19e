package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Softmax;
import dev.gossamer.matrix.tile.Lanes;
import dev.gossamer.matrix.tile.Operand;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Causal attention of many heads (A. Vaswani et al., 2017): for each sample and head, with `T`
/// rows of queries, keys and values of `D` columns,
///
/// ```
/// S = Q K^T / sqrt(D)
/// P[i][j] = exp(S[i][j]) / sum over j <= i of exp(S[i][j]) for j <= i, else 0
/// O = P V
/// ```
///
/// No matrix of `T x T` is stored: the scores of a block of query rows, up to the block's own
/// diagonal, are in a worker's scratch memory. Only the maximum of the scores and the reciprocal of
/// the sum of exponentials are kept for each row, and the backward pass recomputes `P` (T. Dao et
/// al., *FlashAttention*, 2022, whose running softmax is not needed because whole rows fit).
///
/// With `d = heads D`, rows of `qkv` are the queries of all heads, then the keys, then the values:
/// `3 d` columns. Rows are positions, one sample after the other. All products go through [Tiles],
/// with keys and values packed once for each sample and head.
///
/// Cost, counting only the lower triangle: `2 T (T + 1) D` operations forward and `5/2` of it
/// backward, for each sample and head.
///
/// @param length `T`
/// @param heads heads of a sample
/// @param width `D`
public record CausalHeads(int length, int heads, int width) {
  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final int LANES = Tiles.LANES;
  private static final int WIDTH = Tiles.WIDTH;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Rows of queries of a block: more of them waste more beyond the diagonal, fewer reach less of
  /// the speed of the tiles.
  private static final int FORWARD_ROWS = 32;

  private static final int BACKWARD_ROWS = 64;

  /// The minimum number of heads whose keys and values the backward pass packs at a time, or those
  /// of one sample, so that threads have work to share.
  private static final int PACKED_HEADS = 16;

  private static final int SCRATCH_FLOATS =
      (Workers.SCRATCH_BYTES - Tiles.TILE_BYTES) / Float.BYTES;

  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if a size is less than 1, or the rows are too long for the
  ///   scratch memory of [Workers]
  public CausalHeads {
    if (length < 1 || heads < 1 || width < 1) {
      throw new IllegalArgumentException(
          "causal attention: expected sizes of at least 1, found length %d, %d heads of %d"
              .formatted(length, heads, width));
    }
    boolean backward = rows(2, length, width, BACKWARD_ROWS) >= Tiles.ROWS;
    if (!backward || packed(length, width) > Workers.SHARED_BYTES / Float.BYTES) {
      throw new IllegalArgumentException(
          "causal attention: length %d with heads of %d does not fit the scratch memory; shorten it"
              .formatted(length, width));
    }
  }

  /// Rows of queries of a block whose scores fit the scratch memory `times` over, and so does the
  /// block itself.
  private static int rows(int times, int length, int width, int most) {
    long row = (long) times * (Panels.padded(length) + Panels.padded(width));
    return (int) Math.min(SCRATCH_FLOATS / row, most) / Tiles.ROWS * Tiles.ROWS;
  }

  /// Floats of a head's packed `K^T` and `V`.
  private static long packed(int length, int width) {
    return transposed(length, width) + whole(length, width);
  }

  private static long transposed(int length, int width) {
    return (long) width * Panels.padded(length);
  }

  private static long whole(int length, int width) {
    return (long) length * Panels.padded(width);
  }

  /// {@return `d`, the columns of `o`}
  public int columns() {
    return Math.multiplyExact(heads, width);
  }

  /// {@return the elements of temporary memory of [#backward]}
  ///
  /// @param samples in the batch
  public long workElements(int samples) {
    return (long) group(samples) * heads * backwardPacked();
  }

  private int group(int samples) {
    return Math.min(samples, Math.ceilDiv(PACKED_HEADS, heads));
  }

  /// Floats of a head's packed `K^T`, `V^T` and `K`, one after the other.
  private long backwardPacked() {
    return 2 * transposed(length, width) + whole(length, width);
  }

  /// Computes `O`.
  ///
  /// @param qkv `samples T x 3 d`
  /// @param o `samples T x d`, overwritten
  /// @param sums `samples T x 2 heads`, overwritten: of each head the highest product of query and
  ///   key, and the reciprocal of the sum of exponentials
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void forward(DenseMatrix qkv, DenseMatrix o, DenseMatrix sums, Workers w) {
    int pairs = check(qkv, o, sums) * heads;
    w.hold(() -> held(qkv, o, sums, pairs, w), qkv.data(), o.data(), sums.data());
  }

  private void held(DenseMatrix qkv, DenseMatrix o, DenseMatrix sums, int pairs, Workers w) {
    long floats = packed(length, width);
    int fit = (int) Math.min(pairs, Workers.SHARED_BYTES / Float.BYTES / floats);
    int rows = rows(1, length, width, FORWARD_ROWS);
    int blocks = Math.ceilDiv(length, rows);
    long in = Memory.address(qkv.data(), 0, qkv.offset(qkv.rows()));
    MemorySegment shared = w.sharedScratch();
    for (int p = 0; p < pairs; p += fit) {
      int first = p;
      int count = Math.min(fit, pairs - p);
      w.run(
          count,
          (task, worker) -> {
            long to = shared.address() + task * floats * Float.BYTES;
            packTransposed(in + column(first + task, 1), to);
            packRows(in + column(first + task, 2), length, to + bytes(transposed(length, width)));
          });
      // Blocks of a head follow each other, so that its keys and values stay in the second-level
      // cache; the longest comes first, so that no thread begins one at the end.
      w.run(
          count * blocks,
          (task, worker) -> {
            int pair = task / blocks;
            int begin = (blocks - 1 - task % blocks) * rows;
            int end = Math.min(length, begin + rows);
            long keys = pair * floats * Float.BYTES;
            forward(in, first + pair, begin, end, shared, keys, o, sums, w.scratch(worker));
          });
    }
  }

  private void forward(
      long in,
      int pair,
      int begin,
      int end,
      MemorySegment shared,
      long keys,
      DenseMatrix o,
      DenseMatrix sums,
      MemorySegment scratch) {
    int n = end - begin;
    long stride = bytes(Panels.padded(length));
    long queries = bytes((long) rows(1, length, width, FORWARD_ROWS) * Panels.padded(length));
    long p = scratch.address();
    packRows(in + column(pair, 0) + begin * inRow(), n, p + queries);
    times(scratch, queries, n, shared, keys, end, 0);
    float scale = (float) (1 / Math.sqrt(width));
    for (int i = 0; i < n; i++) {
      int seen = begin + i + 1;
      float highest = highest(p + i * stride, seen);
      float sum = exponentials(p + i * stride, seen, end, highest, scale);
      long row = row(pair, begin + i);
      sums.set(row, 2 * (pair % heads), highest);
      sums.set(row, 2 * (pair % heads) + 1, 1f / sum);
    }
    long values = keys + bytes(transposed(length, width));
    Operand weights = Operand.rows(scratch, 0, stride);
    Operand result = Operand.of(o, row(pair, begin), (long) pair % heads * width);
    product(weights, n, packedRows(shared, values), end, result, false, scratch);
    for (int i = 0; i < n; i++) {
      float reciprocal = sums.get(row(pair, begin + i), 2 * (pair % heads) + 1);
      scale(o.data().address() + result.at() + i * result.row(), width, reciprocal);
    }
  }

  /// Computes one row of `O`, given keys and values up to its position, for one additional token of
  /// a text. Differs from [#forward] by rounding, because sums have another order.
  ///
  /// Cost: `4 (position + 1) D` operations for each head.
  ///
  /// @param qkv `T x 3 d`, of which the rows up to `position` are read
  /// @param position row of the query, 0-based
  /// @param o `1 x d`, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void row(DenseMatrix qkv, int position, DenseMatrix o, Workers w) {
    if (qkv.rows() != length
        || qkv.cols() != 3 * columns()
        || o.rows() != 1
        || o.cols() != columns()
        || position < 0
        || position >= length) {
      throw new IllegalArgumentException(
          "causal attention: length %d, %d heads of %d, but qkv is %s, o is %s, position %d"
              .formatted(length, heads, width, qkv, o, position));
    }
    long in = Memory.address(qkv.data(), 0, qkv.offset(length));
    long out = Memory.address(o.data(), 0, o.offset(1));
    float scale = (float) (1 / Math.sqrt(width));
    w.run(
        heads,
        (head, worker) -> {
          long scores = w.scratch(worker).address();
          long query = in + column(head, 0) + position * inRow();
          for (int j = 0; j <= position; j++) {
            float score = dot(query, in + column(head, 1) + j * inRow(), width);
            Memory.ALL.set(FLOAT, Memory.at(scores + bytes(j)), score);
          }
          int seen = position + 1;
          float sum = exponentials(scores, seen, seen, highest(scores, seen), scale);
          long to = out + bytes((long) head * width);
          weightedSum(scores, seen, in + column(head, 2), to);
          scale(to, width, 1f / sum);
        },
        qkv.data(),
        o.data());
  }

  /// `to = sum over j < count of p[j] values[j]`.
  private void weightedSum(long p, int count, long values, long to) {
    for (int c = 0; c < width; c += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(c, width);
      FloatVector sum = FloatVector.zero(SPECIES);
      for (int j = 0; j < count; j++) {
        float weight = Memory.ALL.get(FLOAT, Memory.at(p + bytes(j)));
        FloatVector value =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, at(values + j * inRow(), c), ORDER, inside);
        sum = FloatVector.broadcast(SPECIES, weight).fma(value, sum);
      }
      sum.intoMemorySegment(Memory.ALL, at(to, c), ORDER, inside);
    }
  }

  /// Computes the gradient of `qkv`.
  ///
  /// With `T` the gradient of `O`: `dV = P^T T`; `dS = P * (T V^T - rowsum(T * O)) / sqrt(D)`,
  /// elementwise; `dQ = dS K`; `dK = dS^T Q`.
  ///
  /// @param qkv as in the forward pass
  /// @param o as written by the forward pass
  /// @param sums as written by the forward pass
  /// @param t `samples T x d`, the gradient of `o`
  /// @param g `samples T x 3 d`, overwritten
  /// @param work at least [#workElements], overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void backward(
      DenseMatrix qkv,
      DenseMatrix o,
      DenseMatrix sums,
      DenseMatrix t,
      DenseMatrix g,
      DenseMatrix work,
      Workers w) {
    int samples = check(qkv, o, sums);
    check(g, t, sums);
    int pairs = samples * heads;
    int fit = group(samples) * heads;
    long in = Memory.address(qkv.data(), 0, qkv.offset(qkv.rows()));
    long packed = Memory.address(work.data(), 0, bytes(workElements(samples)));
    for (int p = 0; p < pairs; p += fit) {
      int first = p;
      w.run(
          Math.min(fit, pairs - p),
          (task, worker) -> {
            long at = bytes(task * backwardPacked());
            long to = packed + at;
            packTransposed(in + column(first + task, 1), to);
            packTransposed(in + column(first + task, 2), to + bytes(transposed(length, width)));
            packRows(
                in + column(first + task, 1), length, to + 2 * bytes(transposed(length, width)));
            MemorySegment scratch = w.scratch(worker);
            backward(in, first + task, work.data(), at, o, sums, t, g, scratch);
          },
          qkv.data(),
          o.data(),
          sums.data(),
          t.data(),
          g.data(),
          work.data());
    }
  }

  /// One head, a block of queries after the other: the sums over queries grow in a fixed order.
  private void backward(
      long in,
      int pair,
      MemorySegment work,
      long packed,
      DenseMatrix o,
      DenseMatrix sums,
      DenseMatrix t,
      DenseMatrix g,
      MemorySegment scratch) {
    int rows = rows(2, length, width, BACKWARD_ROWS);
    long stride = bytes(Panels.padded(length));
    long wide = bytes(Panels.padded(width));
    long tv = rows * stride;
    long queries = 2 * tv;
    long above = queries + rows * wide;
    long keys = packed + 2 * bytes(transposed(length, width));
    long base = scratch.address();
    float scale = (float) (1 / Math.sqrt(width));
    long offset = (long) pair % heads * width;
    long head = bytes(offset);
    for (int begin = 0; begin < length; begin += rows) {
      int end = Math.min(length, begin + rows);
      int n = end - begin;
      long row = row(pair, begin);
      packRows(in + column(pair, 0) + begin * inRow(), n, base + queries);
      packRows(t.data().address() + t.offset(row) + head, n, t.offset(1), base + above);
      times(scratch, queries, n, work, packed, end, 0);
      times(scratch, above, n, work, packed + bytes(transposed(length, width)), end, tv);
      for (int i = 0; i < n; i++) {
        float highest = sums.get(row + i, 2 * (pair % heads));
        float reciprocal = sums.get(row + i, 2 * (pair % heads) + 1);
        long p = base + i * stride;
        exponentials(p, begin + i + 1, end, highest, scale);
        scale(p, end, reciprocal);
      }
      Operand weights = Operand.rows(scratch, 0, stride);
      Operand values = Operand.of(g, row(pair, 0), 2L * columns() + offset);
      spread(weights, begin, n, packedRows(scratch, above), values, scratch);
      for (int i = 0; i < n; i++) {
        long result = o.data().address() + o.offset(row + i) + head;
        float d = dot(base + above + i * wide, result, width);
        scores(base + i * stride, base + tv + i * stride, end, d, scale);
      }
      Operand s = Operand.rows(scratch, tv, stride);
      product(s, n, packedRows(work, keys), end, Operand.of(g, row, offset), false, scratch);
      Operand keyGradients = Operand.of(g, row(pair, 0), columns() + offset);
      spread(s, begin, n, packedRows(scratch, queries), keyGradients, scratch);
    }
  }

  /// `to += X^T B` for the keys up to the diagonal, those of this block overwritten.
  ///
  /// @param x `n` rows of scores
  /// @param b `n` packed rows
  private void spread(Operand x, int begin, int n, Operand b, Operand to, MemorySegment spare) {
    if (begin > 0) {
      product(x.transposed(), begin, b, n, to, true, spare);
    }
    product(x.from(begin).transposed(), n, b, n, to.below(begin), false, spare);
  }

  /// `n` packed rows times a packed transpose, for the columns below `end`, into scores.
  ///
  /// @param rows position of the packed rows in scratch memory
  /// @param panels position of the packed transpose
  /// @param scores their position in scratch memory
  private void times(
      MemorySegment scratch,
      long rows,
      int n,
      MemorySegment packed,
      long panels,
      int end,
      long scores) {
    Operand a = packedRows(scratch, rows);
    Operand c = Operand.rows(scratch, scores, bytes(Panels.padded(length)));
    for (int j = 0; j < end; j += WIDTH) {
      int panel = Panels.padded(Math.min(WIDTH, length - j));
      int cols = Panels.padded(Math.min(WIDTH, end - j));
      Operand b = Operand.rows(packed, panels + bytes((long) j * width), bytes(panel));
      Tiles.strip(a, n, true, b, width, c.from(j), cols, false, scratch);
    }
  }

  /// `C = A B` or `C += A B` with `B` of packed rows of a head's width; `A` is in scratch memory,
  /// where reading past its last row does no harm.
  private void product(
      Operand a, int rows, Operand b, int steps, Operand c, boolean add, MemorySegment spare) {
    for (int j = 0; j < width; j += WIDTH) {
      int cols = Math.min(WIDTH, width - j);
      Tiles.strip(a, rows, true, b.from(j), steps, c.from(j), cols, add, spare);
    }
  }

  /// Rows of a head's width, padded to whole vectors.
  private Operand packedRows(MemorySegment data, long at) {
    return Operand.rows(data, at, bytes(Panels.padded(width)));
  }

  /// Packs the transpose of a head's `T x D` into panels: row `i` of the panel of the columns from
  /// `j` begins `D j + i (columns of the panel)` floats in.
  private void packTransposed(long from, long to) {
    for (int j = 0; j < length; j += WIDTH) {
      int cols = Math.min(WIDTH, length - j);
      long panel = to + bytes((long) j * width);
      long step = bytes(Panels.padded(cols));
      int c = 0;
      for (; c + 4 <= cols; c += 4) {
        transposeFour(from + (j + c) * inRow(), panel + bytes(c), step);
      }
      for (; c < cols; c++) {
        transposeOne(from + (j + c) * inRow(), panel + bytes(c), step);
      }
      for (; c < Panels.padded(cols); c++) {
        for (int i = 0; i < width; i++) {
          Memory.ALL.set(FLOAT, Memory.at(panel + bytes(c) + i * step), 0f);
        }
      }
    }
  }

  /// Four rows become four columns at once: rows are far apart in memory, and so four of them come
  /// from there at the same time.
  private void transposeFour(long from, long to, long step) {
    long row = inRow();
    long target = to;
    for (int i = 0; i < width; i++) {
      long at = from + bytes(i);
      float a = Memory.ALL.get(FLOAT, Memory.at(at));
      float b = Memory.ALL.get(FLOAT, Memory.at(at + row));
      float c = Memory.ALL.get(FLOAT, Memory.at(at + 2 * row));
      float d = Memory.ALL.get(FLOAT, Memory.at(at + 3 * row));
      Memory.ALL.set(FLOAT, Memory.at(target), a);
      Memory.ALL.set(FLOAT, Memory.at(target + Float.BYTES), b);
      Memory.ALL.set(FLOAT, Memory.at(target + 2 * Float.BYTES), c);
      Memory.ALL.set(FLOAT, Memory.at(target + 3 * Float.BYTES), d);
      target += step;
    }
  }

  private void transposeOne(long from, long to, long step) {
    for (int i = 0; i < width; i++) {
      float v = Memory.ALL.get(FLOAT, Memory.at(from + bytes(i)));
      Memory.ALL.set(FLOAT, Memory.at(to + i * step), v);
    }
  }

  private void packRows(long from, int rows, long to) {
    packRows(from, rows, inRow(), to);
  }

  /// Packs rows of a head's columns, each padded with zeros to whole vectors.
  private void packRows(long from, int rows, long stride, long to) {
    long wide = bytes(Panels.padded(width));
    int whole = width / LANES * LANES;
    VectorMask<Float> rest = SPECIES.indexInRange(whole, width);
    for (int i = 0; i < rows; i++) {
      long source = from + i * stride;
      long target = to + i * wide;
      for (int j = 0; j < whole; j += LANES) {
        load(source, j).intoMemorySegment(Memory.ALL, at(target, j), ORDER);
      }
      if (whole < width) {
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(source, whole), ORDER, rest)
            .intoMemorySegment(Memory.ALL, at(target, whole), ORDER);
      }
    }
  }

  private static float highest(long x, int count) {
    FloatVector lowest = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
    FloatVector highest = lowest;
    int j = 0;
    for (; j + LANES <= count; j += LANES) {
      highest = highest.max(load(x, j));
    }
    if (j < count) {
      highest = highest.max(lowest.blend(load(x, j), SPECIES.indexInRange(j, count)));
    }
    return highest.reduceLanes(VectorOperators.MAX);
  }

  /// Replaces the first `seen` elements of a row of scores by `exp(scale (x - highest))` and the
  /// others below `end` by 0, whole vectors of them; returns the sum.
  private static float exponentials(long x, int seen, int end, float highest, float scale) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= seen; j += LANES) {
      FloatVector e = Softmax.exp(load(x, j).sub(highest).mul(scale));
      e.intoMemorySegment(Memory.ALL, at(x, j), ORDER);
      sum = sum.add(e);
    }
    if (j < seen) {
      FloatVector e = Softmax.exp(load(x, j).sub(highest).mul(scale));
      e = FloatVector.zero(SPECIES).blend(e, SPECIES.indexInRange(j, seen));
      e.intoMemorySegment(Memory.ALL, at(x, j), ORDER);
      sum = sum.add(e);
      j += LANES;
    }
    for (; j < end; j += LANES) {
      FloatVector.zero(SPECIES).intoMemorySegment(Memory.ALL, at(x, j), ORDER);
    }
    return Lanes.sum(sum);
  }

  /// `tv = scale p (tv - d)`, whole vectors.
  private static void scores(long p, long tv, int end, float d, float scale) {
    for (int j = 0; j < end; j += LANES) {
      load(tv, j).sub(d).mul(load(p, j)).mul(scale).intoMemorySegment(Memory.ALL, at(tv, j), ORDER);
    }
  }

  private static void scale(long x, int count, float factor) {
    int j = 0;
    for (; j + LANES <= count; j += LANES) {
      load(x, j).mul(factor).intoMemorySegment(Memory.ALL, at(x, j), ORDER);
    }
    if (j < count) {
      VectorMask<Float> rest = SPECIES.indexInRange(j, count);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(x, j), ORDER, rest)
          .mul(factor)
          .intoMemorySegment(Memory.ALL, at(x, j), ORDER, rest);
    }
  }

  private static float dot(long a, long b, int count) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= count; j += LANES) {
      sum = load(a, j).fma(load(b, j), sum);
    }
    if (j < count) {
      VectorMask<Float> rest = SPECIES.indexInRange(j, count);
      FloatVector x = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(a, j), ORDER, rest);
      FloatVector y = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(b, j), ORDER, rest);
      sum = x.fma(y, sum);
    }
    return Lanes.sum(sum);
  }

  /// @return samples
  private int check(DenseMatrix qkv, DenseMatrix o, DenseMatrix sums) {
    if (qkv.rows() % length != 0
        || qkv.cols() != 3 * columns()
        || o.rows() != qkv.rows()
        || o.cols() != columns()
        || sums.rows() != qkv.rows()
        || sums.cols() != 2 * heads) {
      throw new IllegalArgumentException(
          "causal attention: length %d, %d heads of %d, but qkv is %s, o is %s, sums are %s"
              .formatted(length, heads, width, qkv, o, sums));
    }
    return Math.toIntExact(qkv.rows() / length);
  }

  /// Bytes of a row of `qkv`.
  private long inRow() {
    return bytes(3L * columns());
  }

  /// Row of a position of a sample.
  private long row(int pair, int position) {
    return (long) (pair / heads) * length + position;
  }

  /// Where a head's queries (0), keys (1) or values (2) begin in `qkv`, in bytes.
  private long column(int pair, int which) {
    return row(pair, 0) * inRow() + bytes((long) which * columns() + (long) pair % heads * width);
  }

  private static long bytes(long floats) {
    return floats * Float.BYTES;
  }

  private static long at(long address, int j) {
    return Memory.at(address + (long) j * Float.BYTES);
  }

  private static FloatVector load(long address, int j) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(address, j), ORDER);
  }
}
