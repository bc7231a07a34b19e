package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One distribution over vertices and its prefix sums, ready for inverse transform sampling.
public final class WeightedRow {
  private int count;
  private int positive;
  private int @Nullable [] vertices;
  private double[] weights = {};
  private double[] prefix = {};

  /// A row to be filled.
  public WeightedRow() {}

  /// Creates a distribution over all vertices.
  ///
  /// @param weights of each, not all 0; borrowed
  public WeightedRow(double[] weights) {
    this.weights = weights;
    count = weights.length;
    prefix = new double[count];
    sum();
  }

  /// {@return the squared norm of each column of `Â`}
  ///
  /// @param a rows of `Â`
  public static WeightedRow columnNorms(AdjacencyRows a) {
    return new WeightedRow(
        a.columnSums((row, column, coefficient, length) -> coefficient * coefficient));
  }

  /// Returns the same for a sampler that needs a graph with edges.
  ///
  /// @param sampler its name
  /// @param a rows of `Â`
  /// @return the squared norms
  /// @throws InvalidInputException if there are none
  public static WeightedRow columnNorms(String sampler, AdjacencyRows a) {
    WeightedRow norms = columnNorms(a);
    requireEdges(sampler, a, norms.positive());
    return norms;
  }

  /// Refuses a graph without edges; a part of a graph may have none.
  ///
  /// @param sampler its name
  /// @param a rows of `Â`
  /// @param vertices that have edges
  /// @throws InvalidInputException if there are none
  public static void requireEdges(String sampler, AdjacencyRows a, int vertices) {
    if (vertices == 0 && a.hasAll()) {
      throw new InvalidInputException(
          "sampler: %s needs a graph with edges, found %d vertices and no edge; use sage"
              .formatted(sampler, a.vertices()));
    }
  }

  /// {@return bytes of a row that is filled}
  ///
  /// @param candidates its largest number of candidates
  public static long filledBytes(int candidates) {
    return candidates * (Integer.BYTES + 2L * Double.BYTES);
  }

  /// {@return bytes of a distribution over all vertices and its prefix sums}
  ///
  /// @param n vertices
  public static long bytes(int n) {
    return 2L * n * Double.BYTES;
  }

  /// The weight of an entry of `P`.
  @FunctionalInterface
  public interface EntryWeight {
    /// {@return the weight of an entry}
    ///
    /// @param vertex column of the entry
    /// @param value of the entry
    double of(int vertex, double value);
  }

  /// Becomes the weights of a row of `P`.
  ///
  /// @param p the product
  /// @param row of it
  /// @param weight of each entry
  public void fill(CsrMatrix p, int row, EntryWeight weight) {
    long begin = p.rowPointer(row);
    count = Math.toIntExact(p.rowLength(row));
    int[] columns = room(count, p.cols());
    for (int k = 0; k < count; k++) {
      columns[k] = p.column(begin + k);
      weights[k] = weight.of(columns[k], p.value(begin + k));
    }
    sum();
  }

  /// Sets the candidates to those of another row that are not taken, with their positions as
  /// vertices.
  void fillWithout(WeightedRow row, long[] taken) {
    int[] kept = room(row.count, row.count);
    count = 0;
    for (int k = 0; k < row.count; k++) {
      if ((taken[k >>> 6] >>> k & 1) == 0 && row.weights[k] > 0) {
        kept[count] = k;
        weights[count++] = row.weights[k];
      }
    }
    sum();
  }

  /// Makes room for candidates that are to be filled in: a row is filled again and again, and
  /// arrays of this size would pile up faster than they are collected.
  ///
  /// @param most candidates that there will ever be
  /// @return the vertices
  private int[] room(int candidates, int most) {
    int[] columns = vertices == null ? new int[0] : vertices;
    if (columns.length < candidates) {
      int capacity = Math.max(candidates, Math.min(most, candidates + candidates / 2));
      columns = new int[capacity];
      weights = new double[capacity];
      prefix = new double[capacity];
      vertices = columns;
    }
    return columns;
  }

  private void sum() {
    double sum = 0;
    positive = 0;
    for (int k = 0; k < count; k++) {
      sum += weights[k];
      prefix[k] = sum;
      positive += weights[k] > 0 ? 1 : 0;
    }
  }

  /// {@return number of candidates}
  public int count() {
    return count;
  }

  /// {@return number of candidates that can be drawn}
  public int positive() {
    return positive;
  }

  /// {@return sum of all weights}
  public double mass() {
    return count == 0 ? 0 : prefix[count - 1];
  }

  /// {@return weight of a candidate}
  ///
  /// @param candidate 0-based
  public double weight(int candidate) {
    return weights[candidate];
  }

  int vertex(int candidate) {
    return vertices == null ? candidate : vertices[candidate];
  }

  /// Returns the candidate whose part of `[0, mass)` contains `x`; never one of weight 0.
  int find(double x) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (prefix[middle] > x) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// Returns all candidates that can be drawn, ascending.
  int[] all() {
    int[] all = new int[positive];
    int size = 0;
    for (int k = 0; k < count; k++) {
      if (weights[k] > 0) {
        all[size++] = k;
      }
    }
    return Arrays.copyOf(all, size);
  }
}
