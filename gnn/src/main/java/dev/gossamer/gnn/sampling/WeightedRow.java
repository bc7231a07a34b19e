package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.io.InvalidInputException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One distribution over vertices and its prefix sums, ready for inverse transform sampling.
final class WeightedRow {
  private int count;
  private int positive;
  private int @Nullable [] vertices;
  private double[] weights = {};
  private double[] prefix = {};

  /// Creates an empty row.
  WeightedRow() {}

  /// Creates a distribution over all vertices.
  ///
  /// @param weights of each, not all 0; borrowed
  WeightedRow(double[] weights) {
    this.weights = weights;
    count = weights.length;
    prefix = new double[count];
    sum();
  }

  /// Returns the squared norm of each column of `Â`.
  static WeightedRow columnNorms(AdjacencyRows a) {
    return new WeightedRow(
        a.columnSums((row, column, coefficient, length) -> coefficient * coefficient));
  }

  /// Returns the same for a sampler that needs a graph with edges.
  ///
  /// @throws InvalidInputException if there are none
  static WeightedRow columnNorms(Sampler sampler, AdjacencyRows a) {
    WeightedRow norms = columnNorms(a);
    requireEdges(sampler, a, norms.positive());
    return norms;
  }

  /// Refuses a graph without edges; a part of a graph may have none.
  ///
  /// @param vertices that have edges
  static void requireEdges(Sampler sampler, AdjacencyRows a, int vertices) {
    if (vertices == 0 && a.hasAll()) {
      throw new InvalidInputException(
          "sampler: %s needs a graph with edges, found %d vertices and no edge; use sage"
              .formatted(sampler.name(), a.vertices()));
    }
  }

  /// Returns the bytes of a row that is filled with up to this number of candidates.
  static long filledBytes(int candidates) {
    return candidates * (Integer.BYTES + 2L * Double.BYTES);
  }

  /// Returns the bytes of a distribution over all vertices and its prefix sums.
  static long bytes(int n) {
    return 2L * n * Double.BYTES;
  }

  /// The weight of an entry of `P`.
  @FunctionalInterface
  interface EntryWeight {
    /// @param vertex column of the entry
    /// @param value of the entry
    double of(int vertex, double value);
  }

  /// Sets the weights to those of a row of `P`.
  void fill(CsrMatrix p, int row, EntryWeight weight) {
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

  /// Returns the number of candidates.
  int count() {
    return count;
  }

  /// Returns the number of candidates that can be drawn.
  int positive() {
    return positive;
  }

  /// Returns the sum of all weights.
  double mass() {
    return count == 0 ? 0 : prefix[count - 1];
  }

  double weight(int candidate) {
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
