package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The columns of a matrix that most entries refer to, and a copy of their rows of `X`, a stripe at
/// a time, without gaps: the panel. Entries of these columns are summed before all others, so that
/// they find the panel in the last-level cache: among rows that are read once it would not stay.
///
/// This takes a second copy of the column ids, two of the row pointers, the values if there are any
/// (with a column scale, those of the cold part in any case), and the panel of at most
/// [#STRIPE_BYTES] per hot column.
///
/// A column scale is multiplied in when the panel is filled, so that entries of a pattern need no
/// weights here.
final class HotColumns {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Bytes of a row of `X` that the panel holds at most.
  static final int STRIPE_BYTES = 512;

  /// Columns by default: with whole stripes, the panel takes 16 MiB.
  static final int COLUMNS = 1 << 15;

  /// Bytes of the panel.
  static final long PANEL_BYTES = (long) COLUMNS * STRIPE_BYTES;

  /// A matrix is split if it has at least this multiple of the number of hot columns, and of their
  /// entries.
  private static final int LEAST_COLUMNS = 8;

  private static final int LEAST_ENTRIES = 16;

  private static final int ROWS_PER_TASK = 1 << 11;

  private final int[] columns;
  private final float @Nullable [] scales;
  private final MemorySegment panel;
  private final SpmmPart hot;
  private final SpmmPart cold;
  private final long bytes;

  private HotColumns(CsrMatrix a, int[] columns) {
    this.columns = columns;
    int[] rank = new int[a.cols()];
    Arrays.fill(rank, -1);
    for (int i = 0; i < columns.length; i++) {
      rank[columns[i]] = i;
    }
    Arena arena = Arena.ofAuto();
    MemorySegment columnScale = a.columnScale();
    scales = columnScale == null ? null : new float[columns.length];
    if (scales != null && columnScale != null) {
      for (int i = 0; i < columns.length; i++) {
        scales[i] = columnScale.get(FLOAT, (long) columns[i] * Float.BYTES);
      }
    }
    panel = arena.allocate((long) columns.length * STRIPE_BYTES, DenseMatrix.ALIGNMENT);
    hot = part(a, rank, true, arena);
    cold = part(a, rank, false, arena);
    boolean coldWeights = a.values() != null || columnScale != null;
    bytes =
        panel.byteSize()
            + 2 * (a.rows() + 1) * Long.BYTES
            + a.nnz() * Integer.BYTES
            + (a.values() != null ? hot.nnz() * Float.BYTES : 0)
            + (coldWeights ? cold.nnz() * Float.BYTES : 0);
  }

  /// Whether a matrix is large enough to be split, by [#COLUMNS].
  static boolean mayGain(long cols, long nnz) {
    return mayGain(cols, nnz, COLUMNS);
  }

  private static boolean mayGain(long cols, long nnz, int count) {
    return count > 0 && cols / LEAST_COLUMNS >= count && nnz / LEAST_ENTRIES >= count;
  }

  /// The split of a matrix, or null if it is too small or too even to gain by one.
  ///
  /// @param count hot columns
  static @Nullable HotColumns of(CsrMatrix a, int count) {
    if (!mayGain(a.cols(), a.nnz(), count)) {
      return null;
    }
    long[] references = new long[a.cols()];
    for (long e = 0; e < a.nnz(); e++) {
      references[a.column(e)]++;
    }
    long[] order = new long[a.cols()]; // most references first, then the lower id
    for (int j = 0; j < a.cols(); j++) {
      order[j] = -Math.min(references[j], Integer.MAX_VALUE) << 32 | j;
    }
    Arrays.parallelSort(order);
    int[] columns = new int[count];
    long entries = 0;
    for (int i = 0; i < count; i++) {
      columns[i] = (int) order[i];
      entries += references[columns[i]];
    }
    return 2 * entries < a.nnz() ? null : new HotColumns(a, columns);
  }

  /// Entries of the hot columns; their ids are rows of the panel.
  SpmmPart hot() {
    return hot;
  }

  /// All other entries.
  SpmmPart cold() {
    return cold;
  }

  /// Rows of `X`, by address, for which products hold it.
  MemorySegment panel() {
    return panel;
  }

  /// Off-heap bytes of the panel and of both parts.
  long bytes() {
    return bytes;
  }

  /// Fills the panel with a stripe of the hot rows of `X`, scaled.
  ///
  /// @param from address of the stripe in row 0 of `X`
  /// @param pitch bytes from row to row of `X`
  /// @param width bytes of the stripe, at most [#STRIPE_BYTES]
  /// @return the address of the panel; it has `width` bytes from row to row
  long fill(long from, long pitch, long width, Workers workers) {
    int tasks = (columns.length + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    workers.run(
        tasks,
        (task, worker) -> {
          int end = Math.min(columns.length, (task + 1) * ROWS_PER_TASK);
          for (int i = task * ROWS_PER_TASK; i < end; i++) {
            copy(from + columns[i] * pitch, i * width, width, scales == null ? 1f : scales[i]);
          }
        });
    return panel.address();
  }

  private void copy(long source, long target, long width, float scale) {
    for (long at = 0; at < width; at += Float.BYTES) {
      float value = Memory.ALL.get(FLOAT, Memory.at(source + at));
      panel.set(FLOAT, target + at, value * scale);
    }
  }

  private static SpmmPart part(CsrMatrix a, int[] rank, boolean hot, Arena arena) {
    MemorySegment pointers = arena.allocate((a.rows() + 1) * Long.BYTES, Long.BYTES);
    long count = 0;
    for (long i = 0; i < a.rows(); i++) {
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1); e++) {
        count += rank[a.column(e)] >= 0 == hot ? 1 : 0;
      }
      pointers.setAtIndex(ValueLayout.JAVA_LONG, i + 1, count);
    }
    MemorySegment ids = arena.allocate(count * Integer.BYTES, DenseMatrix.ALIGNMENT);
    boolean weighted = a.values() != null || (!hot && a.columnScale() != null);
    MemorySegment weights =
        weighted ? arena.allocate(count * Float.BYTES, DenseMatrix.ALIGNMENT) : null;
    MemorySegment scale = hot ? null : a.columnScale();
    long next = 0;
    for (long e = 0; e < a.nnz(); e++) {
      int column = a.column(e);
      if (rank[column] >= 0 == hot) {
        ids.set(INT, next * Integer.BYTES, hot ? rank[column] : column);
        if (weights != null) {
          float c = scale == null ? 1f : scale.get(FLOAT, (long) column * Float.BYTES);
          weights.set(FLOAT, next * Float.BYTES, a.value(e) * c);
        }
        next++;
      }
    }
    CsrMatrix part =
        CsrMatrix.wrap(a.rows(), a.cols(), pointers, ids, null).withScales(a.rowScale(), null);
    return new SpmmPart(part, weights);
  }
}
