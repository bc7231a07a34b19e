package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;

/// Checks of the arrays of a data set, each over every element, on all processors; the first error
/// in the order of the file is reported.
final class ArrayChecks {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int BLOCK = 1 << 14;
  private static final int EXPONENT = 0x7f800000;

  private ArrayChecks() {}

  /// Checks the names of classes, by which people and files tell them apart.
  static void classNames(String where, List<String> names) {
    Set<String> distinct = new HashSet<>();
    for (String name : names) {
      if (!distinct.add(name)) {
        throw new InvalidInputException(
            "%s: expected distinct names of classes, found %s twice".formatted(where, name));
      }
    }
  }

  /// Checks row pointers: the first is 0, ascending, the last is `nnz`.
  static void rowPointers(String where, MemorySegment pointers, long nnz) {
    long rows = pointers.byteSize() / Long.BYTES - 1;
    long previous = 0;
    for (long i = 0; i <= rows; i++) {
      long pointer = pointers.get(LONG, i * Long.BYTES);
      if (i == 0 ? pointer != 0 : pointer < previous) {
        throw new InvalidInputException(
            "%s: element %d: expected %s, found %d"
                .formatted(where, i, i == 0 ? "0" : "at least " + previous, pointer));
      }
      previous = pointer;
    }
    if (previous != nnz) {
      throw new InvalidInputException(
          "%s: element %d: expected %d, the number of stored entries, found %d"
              .formatted(where, rows, nnz, previous));
    }
  }

  /// Checks column ids: in range, and strictly ascending in each row.
  static void columns(String where, CsrMatrix a) {
    long blocks = (a.rows() + BLOCK - 1) / BLOCK;
    OptionalLong bad =
        LongStream.range(0, blocks)
            .parallel()
            .map(b -> firstBadColumn(a, b * BLOCK, Math.min(a.rows(), (b + 1) * BLOCK)))
            .filter(e -> e >= 0)
            .min();
    if (bad.isEmpty()) {
      return;
    }
    long entry = bad.getAsLong();
    int id = a.column(entry);
    if (id < 0 || id >= a.cols()) {
      throw new InvalidInputException(
          "%s: element %d: expected a column id in 0..%d, found %d"
              .formatted(where, entry, a.cols() - 1, id));
    }
    throw new InvalidInputException(
        "%s: element %d: expected more than %d, ids ascend in a row, found %d"
            .formatted(where, entry, a.column(entry - 1), id));
  }

  private static long firstBadColumn(CsrMatrix a, long begin, long end) {
    MemorySegment columns = a.columns();
    int cols = a.cols();
    long e = a.rowPointer(begin);
    for (long i = begin; i < end; i++) {
      long stop = a.rowPointer(i + 1);
      int previous = -1;
      for (; e < stop; e++) {
        int id = columns.get(INT, e * Integer.BYTES);
        if (id <= previous || id >= cols) {
          return e;
        }
        previous = id;
      }
    }
    return -1;
  }

  /// Checks that every element of a float32 array is finite.
  ///
  /// @return index of the first element that is not, or -1
  static long firstNotFinite(MemorySegment values) {
    long count = values.byteSize() / Float.BYTES;
    long blocks = (count + BLOCK - 1) / BLOCK;
    OptionalLong block =
        LongStream.range(0, blocks)
            .parallel()
            .filter(b -> hasNotFinite(values, b * BLOCK, Math.min(count, (b + 1) * BLOCK)))
            .min();
    if (block.isEmpty()) {
      return -1;
    }
    long i = block.getAsLong() * BLOCK;
    while (Float.isFinite(values.get(FLOAT, i * Float.BYTES))) {
      i++;
    }
    return i;
  }

  private static boolean hasNotFinite(MemorySegment values, long begin, long end) {
    int[] bits = new int[(int) (end - begin)];
    MemorySegment.copy(values, INT, begin * Float.BYTES, bits, 0, bits.length);
    int worst = 0;
    // Infinities and NaNs are the numbers whose exponent bits are all ones: the difference is then
    // negative. An integer OR is a reduction that the compiler turns into vector instructions.
    for (int b : bits) {
      worst |= EXPONENT - 1 - (b & 0x7fffffff);
    }
    return worst < 0;
  }

  static void denseFeatures(String where, MemorySegment x, int width) {
    long at = firstNotFinite(x);
    if (at >= 0) {
      throw notFinite(where, at / width, (int) (at % width), x.get(FLOAT, at * Float.BYTES));
    }
  }

  static void sparseFeatures(String where, CsrMatrix x) {
    MemorySegment values = x.values();
    long at = values == null ? -1 : firstNotFinite(values);
    if (at >= 0) {
      throw notFinite(where, rowOf(x, at), x.column(at), x.value(at));
    }
  }

  static void edgeValues(String where, CsrMatrix a) {
    MemorySegment values = a.values();
    long at = values == null ? -1 : firstNotFinite(values);
    if (at >= 0) {
      throw new InvalidInputException(
          "%s: element %d: edge %d -> %d: expected a finite weight, found %s"
              .formatted(where, at, rowOf(a, at), a.column(at), a.value(at)));
    }
  }

  static InvalidInputException notFinite(String where, long vertex, int feature, float found) {
    return notFinite(where, "vertex", vertex, feature, found);
  }

  /// @param what a vertex or an edge
  static InvalidInputException notFinite(
      String where, String what, long number, int feature, float found) {
    return new InvalidInputException(
        "%s: %s %d, feature %d: expected a finite number, found %s"
            .formatted(where, what, number, feature, found));
  }

  private static long rowOf(CsrMatrix a, long entry) {
    long low = 0;
    long high = a.rows() - 1;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (a.rowPointer(middle + 1) > entry) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  static void labels(String where, int[] labels, int classes) {
    for (int v = 0; v < labels.length; v++) {
      if (labels[v] < GraphData.UNLABELLED || labels[v] >= classes) {
        throw new InvalidInputException(
            "%s: element %d: expected a class in 0..%d, or -1 for none, found %d"
                .formatted(where, v, classes - 1, labels[v]));
      }
    }
  }

  /// Checks what is to be predicted: labels are 0, 1 or NaN, numbers finite or NaN.
  static void targets(String where, MemorySegment values, int width, Task task) {
    long elements = values.byteSize() / Float.BYTES;
    for (long at = 0; at < elements; at++) {
      float value = values.get(FLOAT, at * Float.BYTES);
      if (!task.admits(value)) {
        throw new InvalidInputException(
            "%s: vertex %d, column %d: expected %s, or NaN where it is not known, found %s"
                .formatted(
                    where,
                    at / width,
                    at % width,
                    task == Task.REGRESSION ? "a finite number" : "0 or 1",
                    value));
      }
    }
  }

  /// Checks types of edges: each entry has some of the first types, and no other.
  static void edgeTypes(String where, MemorySegment masks, int types) {
    long entries = masks.byteSize() / Integer.BYTES;
    int others = types == Integer.SIZE ? 0 : -1 << types;
    for (long e = 0; e < entries; e++) {
      int mask = masks.get(INT, e * Integer.BYTES);
      if (mask == 0 || (mask & others) != 0) {
        throw new InvalidInputException(
            "%s: element %d: expected bits of %d types, found %d"
                .formatted(where, e, types, Integer.toUnsignedLong(mask)));
      }
    }
  }

  /// Checks times of edges: finite, and of an undirected graph equal in both directions.
  static void edgeTimes(String where, CsrMatrix a, EdgeTimes times, boolean directed) {
    for (long e = 0; e < times.count(); e++) {
      if (!Double.isFinite(times.of(e))) {
        throw new InvalidInputException(
            "%s: element %d: expected a finite number, found %s".formatted(where, e, times.of(e)));
      }
    }
    for (int u = 0; !directed && u < a.rows(); u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int v = a.column(e);
        long mirror = v > u ? a.find(v, u) : e;
        if (times.of(mirror) != times.of(e)) {
          throw new InvalidInputException(
              "%s: edge %d -> %d: expected the time of the same edge back, as the graph is undirected, found %s instead of %s"
                  .formatted(where, u, v, times.text(times.of(e)), times.text(times.of(mirror))));
        }
      }
    }
  }

  /// Checks features of edges: finite, and of an undirected graph equal in both directions.
  static void edgeFeatures(String where, CsrMatrix a, DenseMatrix x, boolean directed) {
    int width = x.cols();
    long at = firstNotFinite(x.data());
    if (at >= 0) {
      long e = at / width;
      throw new InvalidInputException(
          "%s: edge %d -> %d, feature %d: expected a finite number, found %s"
              .formatted(
                  where, rowOf(a, e), a.column(e), at % width, x.get(e, (int) (at % width))));
    }
    long blocks = directed ? 0 : (a.rows() + BLOCK - 1) / BLOCK;
    LongStream.range(0, blocks)
        .parallel()
        .map(b -> firstUnequal(a, x, b * BLOCK, Math.min(a.rows(), (b + 1) * BLOCK)))
        .filter(e -> e >= 0)
        .min()
        .ifPresent(e -> {
          throw new InvalidInputException(
              "%s: edge %d -> %d: expected the features of the same edge back, as the graph is undirected, found others"
                  .formatted(where, rowOf(a, e), a.column(e)));
        });
  }

  /// The first entry of some rows whose features differ from those of its mirror, or -1.
  private static long firstUnequal(CsrMatrix a, DenseMatrix x, long begin, long end) {
    MemorySegment data = x.data();
    long bytes = (long) x.cols() * Float.BYTES;
    for (long u = begin; u < end; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1); e++) {
        int v = a.column(e);
        if (v > u) {
          long from = e * bytes;
          long back = a.find(v, (int) u) * bytes;
          if (MemorySegment.mismatch(data, from, from + bytes, data, back, back + bytes) >= 0) {
            return e;
          }
        }
      }
    }
    return -1;
  }

  static void split(String where, byte[] split) {
    for (int v = 0; v < split.length; v++) {
      if (split[v] < 0 || split[v] >= Split.values().length) {
        throw new InvalidInputException(
            "%s: element %d: expected 0 (none), 1 (train), 2 (validation) or 3 (test), found %d"
                .formatted(where, v, split[v]));
      }
    }
  }

  /// Checks that an undirected graph has each edge in both directions, with the same weight.
  /// Compares the sum of hashes of all arcs with that of all reversed arcs (equal by chance once in
  /// `2^64`), and searches for the edge only if they differ.
  static void symmetric(String where, CsrMatrix a) {
    if (isSymmetric(a)) {
      return;
    }
    for (int u = 0; u < a.rows(); u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1); e++) {
        long mirror = a.find(a.column(e), u);
        if (mirror < 0 || a.value(mirror) != a.value(e)) {
          throw new InvalidInputException(
              "%s: edge %d -> %d: expected the same edge back, as the graph is undirected, found %s"
                  .formatted(
                      where,
                      u,
                      a.column(e),
                      mirror < 0
                          ? "none"
                          : "weight %s instead of %s".formatted(a.value(mirror), a.value(e))));
        }
      }
    }
  }

  /// Returns whether all arcs and all reversed arcs have the same sum of hashes.
  static boolean isSymmetric(CsrMatrix a) {
    long blocks = (a.rows() + BLOCK - 1) / BLOCK;
    return LongStream.range(0, blocks)
            .parallel()
            .map(b -> asymmetry(a, b * BLOCK, Math.min(a.rows(), (b + 1) * BLOCK)))
            .sum()
        == 0;
  }

  private static long asymmetry(CsrMatrix a, long begin, long end) {
    long sum = 0;
    for (long u = begin; u < end; u++) {
      long stop = a.rowPointer(u + 1);
      for (long e = a.rowPointer(u); e < stop; e++) {
        long v = a.column(e);
        long weight = Float.floatToRawIntBits(a.value(e));
        sum += mix((u << 32 | v) ^ mix(weight)) - mix((v << 32 | u) ^ mix(weight));
      }
    }
    return sum;
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
