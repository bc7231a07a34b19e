package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Sparse times sparse: `C = A B` for a fixed right operand and any number of left ones.
///
/// Row by row (F. Gustavson, *Two fast algorithms for sparse matrices*, ACM TOMS 4, 1978): row `i`
/// of `C` is the sum of the rows of `B` at the entries of row `i` of `A`, in their order. The
/// accumulator depends on the number of terms: a sorted list, a hash table, or a dense row with a
/// bitmap (see `SpgemmRow`).
///
/// Rows of `C` have ascending columns without duplicates, even if rows of `A` or `B` do not; a sum
/// that is 0 is stored. With `A = diag(r) S diag(c)`, the scales `c` and those of `B`'s rows are
/// multiplied into the values; `r` and the scales of `B`'s columns become those of `C`, which
/// borrows them.
///
/// If every row of `A` has exactly one entry, rows of `B` are copied; if both are patterns, so is
/// `C`. Otherwise `C` has values: the number of paths if both are patterns.
///
/// Rows are divided into tasks of about equal work that depend only on the operands, and each row
/// is summed by one thread, so `C` is bit-identical for any number of threads. Cost: one pass over
/// the rows of `B` that are read; during the product, twice the memory of `C`. A dense row takes `4
/// cols` bytes per thread, which are kept; it is used for rows of more than `cols / 64` terms. Not
/// thread-safe.
public final class Spgemm {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Terms of a task, at least, unless it is the last.
  private static final long TASK_TERMS = 1 << 15;

  private final CsrMatrix b;
  private final boolean canonical;
  private SpgemmRow[] accumulators = {};
  private SpgemmRow.Output[] outputs = {};

  /// Prepares products with `B`.
  ///
  /// @param b the right operand, borrowed; its entries must not change while this object is used
  /// @throws IllegalArgumentException if row pointers descend or column ids are out of range, which
  ///   products do not check
  public Spgemm(CsrMatrix b) {
    String fault = b.validate();
    if (fault != null) {
      throw new IllegalArgumentException("spgemm: b is %s; %s".formatted(b, fault));
    }
    this.b = b;
    canonical = b.isCanonical();
  }

  /// {@return `B`}
  public CsrMatrix matrix() {
    return b;
  }

  /// Computes `C = A B`.
  ///
  /// @param arena shared, owner of `C`
  /// @param a `rows x b.rows`
  /// @param workers threads that share the work
  /// @return `rows x b.cols`
  /// @throws IllegalArgumentException if the shapes do not fit, a column of `a` is out of range, or
  ///   `a` has more rows than an array has elements
  public CsrMatrix multiply(Arena arena, CsrMatrix a, Workers workers) {
    if (a.cols() != b.rows() || a.rows() >= Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "spgemm: a is %s but b is %s; a needs %d columns and fewer than 2^31 rows"
              .formatted(a, b, b.rows()));
    }
    long[] terms = terms(a);
    CsrMatrix c = canonical && singles(a) ? copied(arena, a, terms, workers) : null;
    if (c == null) {
      c = summed(arena, a, terms, workers);
    }
    return c.withScales(a.rowScale(), b.columnScale());
  }

  /// Terms of the rows of `C` before each row, and of all at the end.
  private long[] terms(CsrMatrix a) {
    int rows = (int) a.rows();
    long[] terms = new long[rows + 1];
    for (int i = 0; i < rows; i++) {
      long sum = terms[i];
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
        int j = a.column(e);
        if (j < 0 || j >= b.rows()) {
          throw new IllegalArgumentException(
              "spgemm: a is %s; column id %d: expected 0..%d, found %d"
                  .formatted(a, e, b.rows() - 1, j));
        }
        sum += b.rowLength(j);
      }
      terms[i + 1] = sum;
    }
    return terms;
  }

  private static boolean singles(CsrMatrix a) {
    boolean singles = a.nnz() == a.rows();
    for (long i = 0; i < a.rows() && singles; i++) {
      singles = a.rowPointer(i) == i;
    }
    return singles;
  }

  /// First rows of the tasks, and the number of rows at the end.
  private static int[] cut(long[] terms) {
    int rows = terms.length - 1;
    int[] starts = new int[rows + 1];
    int tasks = 0;
    for (int i = 0; i < rows; i++) {
      // A row without terms costs something too.
      long work = terms[i + 1] - terms[starts[tasks]] + 8L * (i + 1 - starts[tasks]);
      if (work >= TASK_TERMS || i == rows - 1) {
        starts[++tasks] = i + 1;
      }
    }
    return Arrays.copyOf(starts, tasks + 1);
  }

  private CsrMatrix copied(Arena arena, CsrMatrix a, long[] terms, Workers workers) {
    int rows = (int) a.rows();
    boolean valued = b.values() != null || weighted(a);
    CsrMatrix c = allocated(arena, rows, terms, valued);
    int[] starts = cut(terms);
    workers.run(
        starts.length - 1,
        (task, worker) -> {
          for (int i = starts[task]; i < starts[task + 1]; i++) {
            int j = a.column(i);
            MemorySegment.copy(
                b.columns(),
                b.rowPointer(j) * Integer.BYTES,
                c.columns(),
                terms[i] * Integer.BYTES,
                b.rowLength(j) * Integer.BYTES);
            if (c.values() != null) {
              float weight = weight(a, i);
              for (long k = 0; k < b.rowLength(j); k++) {
                float value = weight * b.value(b.rowPointer(j) + k);
                c.values().set(FLOAT, (terms[i] + k) * Float.BYTES, value);
              }
            }
          }
        });
    return c;
  }

  private CsrMatrix summed(Arena arena, CsrMatrix a, long[] terms, Workers workers) {
    int rows = (int) a.rows();
    int[] starts = cut(terms);
    int tasks = starts.length - 1;
    SpgemmRow[] sums = accumulators(workers.threads());
    SpgemmRow.Output[] results = outputs(tasks);
    long[] pointers = new long[rows + 1];
    workers.run(
        tasks,
        (task, worker) -> {
          SpgemmRow.Output output = results[task].cleared();
          for (int i = starts[task]; i < starts[task + 1]; i++) {
            sums[worker].begin(terms[i + 1] - terms[i], output);
            for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
              sums[worker].add(a.column(e), weight(a, e));
            }
            pointers[i + 1] = sums[worker].end(output);
          }
        },
        b.columns(),
        b.values());
    for (int i = 0; i < rows; i++) {
      pointers[i + 1] += pointers[i];
    }
    CsrMatrix c = allocated(arena, rows, pointers, true);
    workers.run(tasks, (task, worker) -> results[task].copyTo(c, pointers[starts[task]]));
    return c;
  }

  private CsrMatrix allocated(Arena arena, int rows, long[] pointers, boolean valued) {
    long nnz = pointers[rows];
    MemorySegment rowPointers = arena.allocate((rows + 1L) * Long.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(pointers, 0, rowPointers, LONG, 0, rows + 1);
    MemorySegment columns = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment values = valued ? arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT) : null;
    return CsrMatrix.wrap(rows, b.cols(), rowPointers, columns, values);
  }

  /// Kept from one product to the next: arrays of this size would pile up faster than they are
  /// collected.
  private SpgemmRow.Output[] outputs(int tasks) {
    int made = outputs.length;
    if (made < tasks) {
      outputs = Arrays.copyOf(outputs, tasks);
      for (int t = made; t < tasks; t++) {
        outputs[t] = new SpgemmRow.Output();
      }
    }
    return outputs;
  }

  private SpgemmRow[] accumulators(int threads) {
    int made = accumulators.length;
    if (made < threads) {
      accumulators = Arrays.copyOf(accumulators, threads);
      for (int t = made; t < threads; t++) {
        accumulators[t] = new SpgemmRow(b);
      }
    }
    return accumulators;
  }

  private boolean weighted(CsrMatrix a) {
    return a.values() != null || a.columnScale() != null || b.rowScale() != null;
  }

  /// What an entry of `A` multiplies a row of `B` by.
  private float weight(CsrMatrix a, long entry) {
    int j = a.column(entry);
    return a.value(entry) * scale(a.columnScale(), j) * scale(b.rowScale(), j);
  }

  private static float scale(@Nullable MemorySegment scales, long index) {
    return scales == null ? 1f : scales.get(FLOAT, index * Float.BYTES);
  }
}
