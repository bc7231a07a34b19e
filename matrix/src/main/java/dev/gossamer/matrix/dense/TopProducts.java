package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The rows of a matrix that have the largest dot products with other rows, or the highest of other
/// scores: nearest neighbours by inner product, exact. Rows are multiplied in blocks ([Matmul]),
/// and each row keeps its best in a heap.
///
/// Cost: `2 q n f` operations for `q` rows among `n`; memory: [#bytes].
public final class TopProducts {
  /// Rows whose best are found at a time.
  private static final int QUERIES = 256;

  /// Rows that they are multiplied by at a time, at most.
  public static final int BLOCK = 4096;

  private TopProducts() {}

  /// Tells which pairs count.
  @FunctionalInterface
  public interface Admission {
    /// {@return whether a row may be among the best of another}
    ///
    /// @param query row of the first matrix
    /// @param row of the second
    boolean admits(int query, int row);
  }

  /// The scores of the rows of a matrix with those of another.
  public interface Scores {
    /// {@return rows whose best are wanted}
    int queries();

    /// {@return rows that they are found among}
    int candidates();

    /// Computes the scores of a block.
    ///
    /// @param query first of the rows whose best are wanted
    /// @param row first of those that they are found among
    /// @param block one row and one column for each of these, at most [#BLOCK] columns, overwritten
    void compute(int query, int row, DenseMatrix block);
  }

  /// Dot products as scores.
  ///
  /// @param x `q x f`
  /// @param y `n x f`
  /// @param matmul multiplies
  /// @param workers threads that share the work
  public record Products(DenseMatrix x, DenseMatrix y, Matmul matmul, Workers workers)
      implements Scores {
    @Override
    public int queries() {
      return Math.toIntExact(x.rows());
    }

    @Override
    public int candidates() {
      return Math.toIntExact(y.rows());
    }

    @Override
    public void compute(int query, int row, DenseMatrix block) {
      matmul.multiplyTransposed(
          x.rows(query, query + block.rows()),
          y.rows(row, row + block.cols()),
          block,
          workers,
          RowEpilogue.NONE);
    }
  }

  /// The best rows of one.
  ///
  /// @param rows the best first, of equal ones the lower number
  /// @param products with each
  @SuppressWarnings("ArrayRecordComponent")
  public record Best(int[] rows, float[] products) {}

  /// {@return bytes that the search takes besides its result}
  ///
  /// @param width of the rows
  public static long bytes(int width) {
    return (long) QUERIES * (BLOCK + width) * Float.BYTES;
  }

  /// Finds the best rows for each row of another matrix.
  ///
  /// @param scores of all pairs
  /// @param count most rows for each
  /// @param admission which pairs count; asked only of pairs whose score is high enough
  /// @param w threads that share the work
  /// @return the best of each row whose best are wanted, fewer than `count` if fewer count; the
  ///   same for any number of threads
  public static Best[] of(Scores scores, int count, Admission admission, Workers w) {
    int queries = scores.queries();
    int candidates = scores.candidates();
    Best[] best = new Best[queries];
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix products = DenseMatrix.allocate(arena, QUERIES, BLOCK);
      for (int from = 0; from < queries; from += QUERIES) {
        int first = from;
        int some = Math.min(QUERIES, queries - from);
        Heap[] heaps = new Heap[some];
        Arrays.setAll(heaps, _ -> new Heap(Math.min(count, candidates)));
        for (int begin = 0; begin < candidates; begin += BLOCK) {
          int left = begin;
          int block = Math.min(BLOCK, candidates - begin);
          DenseMatrix part = products.reshaped(some, block);
          scores.compute(first, left, part);
          w.run(
              some,
              (q, _) -> {
                MemorySegment row = part.data();
                long at = part.offset(q);
                for (int j = 0; j < block; j++) {
                  float product = row.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * j);
                  if (heaps[q].wants(product) && admission.admits(first + q, left + j)) {
                    heaps[q].add(left + j, product);
                  }
                }
              });
        }
        for (int q = 0; q < some; q++) {
          best[first + q] = heaps[q].best();
        }
      }
    }
    return best;
  }

  /// The best so far, the worst of them on top. Rows come in ascending order, so that of equal
  /// products the earlier row stays.
  private static final class Heap {
    private final int[] rows;
    private final float[] products;
    private int size;

    private Heap(int most) {
      rows = new int[most];
      products = new float[most];
    }

    boolean wants(float product) {
      return size < rows.length ? rows.length > 0 : product > products[0];
    }

    void add(int row, float product) {
      if (size < rows.length) {
        rows[size] = row;
        products[size] = product;
        up(size++);
        return;
      }
      rows[0] = row;
      products[0] = product;
      down();
    }

    /// Whether the row at `i` is to leave before that at `j`.
    private boolean worse(int i, int j) {
      return products[i] != products[j] ? products[i] < products[j] : rows[i] > rows[j];
    }

    private void swap(int i, int j) {
      int row = rows[i];
      rows[i] = rows[j];
      rows[j] = row;
      float product = products[i];
      products[i] = products[j];
      products[j] = product;
    }

    private void up(int from) {
      int i = from;
      while (i > 0 && worse(i, (i - 1) / 2)) {
        swap(i, (i - 1) / 2);
        i = (i - 1) / 2;
      }
    }

    private void down() {
      int i = 0;
      while (true) {
        int child = 2 * i + 1;
        if (child + 1 < size && worse(child + 1, child)) {
          child++;
        }
        if (child >= size || !worse(child, i)) {
          return;
        }
        swap(i, child);
        i = child;
      }
    }

    /// The best first; empties the heap.
    Best best() {
      int[] sorted = new int[size];
      float[] values = new float[size];
      while (size > 0) {
        size--;
        sorted[size] = rows[0];
        values[size] = products[0];
        rows[0] = rows[size];
        products[0] = products[size];
        down();
      }
      return new Best(sorted, values);
    }
  }
}
