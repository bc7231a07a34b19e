package dev.gossamer.matrix.format;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// Rows of bfloat16: the upper half of a float32, so the same exponents and 8 bits of precision.
///
/// Narrowing rounds to the nearest, ties to even; what is above the largest bfloat16 becomes
/// infinite as in IEEE 754; NaN keeps its sign and becomes quiet. Widening is exact.
final class Bfloat16 {
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));
  private static final int LANES = INTS.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  private static final int INFINITY = 0x7F800000;
  private static final int QUIET = 0x400000;

  /// What is added so that cutting the lower half rounds up above the middle; at the middle, with
  /// the lowest bit that stays, to even.
  private static final int BELOW_HALF = 0x7FFF;

  /// Rows that one task takes.
  private static final int TASK_ROWS = 1 << 10;

  private Bfloat16() {}

  /// The bfloat16 next to a number.
  static short narrow(float x) {
    int bits = Float.floatToRawIntBits(x);
    if (Float.isNaN(x)) {
      return (short) ((bits | QUIET) >>> 16);
    }
    return (short) ((bits + BELOW_HALF + (bits >>> 16 & 1)) >>> 16);
  }

  static float widen(short x) {
    return Float.intBitsToFloat(x << 16);
  }

  /// `to[i] = x[ids[i]]`, narrowed.
  static void pack(ColumnBlock x, int[] ids, MemorySegment to, Workers w) {
    MemorySegment rows = x.matrix().data();
    long row = rowBytes(x.cols());
    long source = Memory.address(rows, 0, rows.byteSize());
    long target = Memory.address(to, 0, ids.length * row);
    w.run(
        Math.ceilDiv(ids.length, TASK_ROWS),
        (task, worker) -> {
          int end = Math.min(ids.length, (task + 1) * TASK_ROWS);
          for (int i = task * TASK_ROWS; i < end; i++) {
            long from = source + x.offset(id("pack", ids, i, x.rows()));
            narrowRow(from, target + i * row, x.cols());
          }
        },
        rows,
        to);
  }

  /// `to[i] = x[i]`, narrowed.
  static void pack(ColumnBlock x, MemorySegment to, Workers w) {
    MemorySegment rows = x.matrix().data();
    long row = rowBytes(x.cols());
    long source = Memory.address(rows, 0, rows.byteSize());
    long target = Memory.address(to, 0, x.rows() * row);
    w.run(
        Math.toIntExact(Math.ceilDiv(x.rows(), TASK_ROWS)),
        (task, worker) -> {
          long end = Math.min(x.rows(), (task + 1L) * TASK_ROWS);
          for (long i = (long) task * TASK_ROWS; i < end; i++) {
            narrowRow(source + x.offset(i), target + i * row, x.cols());
          }
        },
        rows,
        to);
  }

  /// `y[to[i]] = from[ids[i]]`, widened.
  static void unpack(MemorySegment from, int[] ids, DenseMatrix y, int[] to, Workers w) {
    long row = rowBytes(y.cols());
    long rows = row == 0 ? Long.MAX_VALUE : from.byteSize() / row;
    long source = Memory.address(from, 0, from.byteSize());
    long target = Memory.address(y.data(), 0, y.data().byteSize());
    w.run(
        Math.ceilDiv(to.length, TASK_ROWS),
        (task, worker) -> {
          int end = Math.min(to.length, (task + 1) * TASK_ROWS);
          for (int i = task * TASK_ROWS; i < end; i++) {
            long at = target + y.offset(id("unpack", to, i, y.rows()));
            widenRow(source + id("unpack", ids, i, rows) * row, at, y.cols());
          }
        },
        from,
        y.data());
  }

  /// Widens the rows that fill the second half of a matrix's memory, each to its place. A row may
  /// be written where none that is still to be read lies: with the rows from `begin` to read, that
  /// is so for the next half of them, which tasks share; the last few are widened in their order.
  static void widenInPlace(DenseMatrix y, Workers w) {
    long n = y.rows();
    long row = rowBytes(y.cols());
    long target = Memory.address(y.data(), 0, y.data().byteSize());
    long source = target + n * row;
    long begin = 0;
    while (begin < n) {
      long half = (n - begin) / 2;
      boolean shared = w.threads() > 1 && half >= TASK_ROWS;
      long first = begin;
      long end = shared ? begin + half : n;
      long step = shared ? TASK_ROWS : n - begin;
      w.run(
          Math.toIntExact(Math.ceilDiv(end - begin, step)),
          (task, worker) -> {
            long stop = Math.min(end, first + (task + 1) * step);
            for (long i = first + task * step; i < stop; i++) {
              widenRow(source + i * row, target + y.offset(i), y.cols());
            }
          },
          y.data());
      begin = end;
    }
  }

  /// `y[ids[i]] += from[i]`, widened, for `i` ascending. Each task owns a range of rows of `y`.
  static void scatterAdd(MemorySegment from, int[] ids, DenseMatrix y, Workers w) {
    long row = rowBytes(y.cols());
    long source = Memory.address(from, 0, ids.length * row);
    long target = Memory.address(y.data(), 0, y.data().byteSize());
    int ranges = w.threads() == 1 ? 1 : 2 * w.threads();
    w.run(
        ranges,
        (task, worker) -> {
          long begin = y.rows() * task / ranges;
          long end = y.rows() * (task + 1) / ranges;
          for (int i = 0; i < ids.length; i++) {
            long id = id("scatter-add", ids, i, y.rows());
            if (id >= begin && id < end) {
              addRow(source + i * row, target + y.offset(id), y.cols());
            }
          }
        },
        from,
        y.data());
  }

  private static long rowBytes(int cols) {
    return (long) cols * Short.BYTES;
  }

  private static long id(String what, int[] ids, int i, long rows) {
    int id = ids[i];
    if (id < 0 || id >= rows) {
      throw new IndexOutOfBoundsException(
          "%s: id %d is %d but there are %d rows".formatted(what, i, id, rows));
    }
    return id;
  }

  /// `to[i] = x[i]`, narrowed, by address.
  static void narrowRow(long x, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      IntVector bits =
          IntVector.fromMemorySegment(
              INTS, Memory.ALL, Memory.at(x + (long) j * Float.BYTES), ORDER);
      IntVector even = bits.lanewise(VectorOperators.LSHR, 16).and(1);
      IntVector rounded = bits.add(BELOW_HALF).add(even);
      VectorMask<Integer> nan = bits.and(Integer.MAX_VALUE).compare(VectorOperators.GT, INFINITY);
      rounded
          .blend(bits.or(QUIET), nan)
          .lanewise(VectorOperators.LSHR, 16)
          .convertShape(VectorOperators.I2S, SHORTS, 0)
          .reinterpretAsShorts()
          .intoMemorySegment(Memory.ALL, Memory.at(to + (long) j * Short.BYTES), ORDER);
    }
    for (int j = whole; j < cols; j++) {
      float v =
          Memory.ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, Memory.at(x + (long) j * Float.BYTES));
      Memory.ALL.set(SHORT, Memory.at(to + (long) j * Short.BYTES), narrow(v));
    }
  }

  /// `to[i] = x[i]`, widened, by address.
  static void widenRow(long x, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      ShortVector.fromMemorySegment(
              SHORTS, Memory.ALL, Memory.at(x + (long) j * Short.BYTES), ORDER)
          .convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0)
          .reinterpretAsInts()
          .lanewise(VectorOperators.LSHL, 16)
          .intoMemorySegment(Memory.ALL, Memory.at(to + (long) j * Float.BYTES), ORDER);
    }
    for (int j = whole; j < cols; j++) {
      short v = Memory.ALL.get(SHORT, Memory.at(x + (long) j * Short.BYTES));
      Memory.ALL.set(
          ValueLayout.JAVA_INT_UNALIGNED, Memory.at(to + (long) j * Float.BYTES), v << 16);
    }
  }

  /// `to[i] += x[i]`, widened, by address.
  static void addRow(long x, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long at = Memory.at(to + (long) j * Float.BYTES);
      FloatVector v =
          ShortVector.fromMemorySegment(
                  SHORTS, Memory.ALL, Memory.at(x + (long) j * Short.BYTES), ORDER)
              .convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0)
              .reinterpretAsInts()
              .lanewise(VectorOperators.LSHL, 16)
              .reinterpretAsFloats();
      FloatVector.fromMemorySegment(FLOATS, Memory.ALL, at, ORDER)
          .add(v)
          .intoMemorySegment(Memory.ALL, at, ORDER);
    }
    for (int j = whole; j < cols; j++) {
      long at = Memory.at(to + (long) j * Float.BYTES);
      float v = widen(Memory.ALL.get(SHORT, Memory.at(x + (long) j * Short.BYTES)));
      Memory.ALL.set(
          ValueLayout.JAVA_FLOAT_UNALIGNED,
          at,
          Memory.ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at) + v);
    }
  }
}
