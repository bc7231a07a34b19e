package dev.gossamer.gnn.sampling.blocks;

import java.util.Arrays;

/// The numbers that the vertices of one batch have in its block, for one thread and one batch after
/// another. What column extraction multiplies by in MBS (section 4.2.3) without its `k n` rows:
/// memory is `n` numbers a thread, and starting a batch costs nothing.
public final class Relabelling {
  /// The number of a vertex plus [#base]; whatever is less belongs to an earlier batch.
  private final int[] marks;

  private int base = 1;
  private int count;
  private int firstCount;
  private int[] vertices = {};

  Relabelling(int n) {
    marks = new int[n];
  }

  /// {@return bytes of one, before it exists}
  ///
  /// @param n vertices of the graph
  public static long bytes(int n) {
    return 2L * n * Integer.BYTES;
  }

  /// Removes all numbers, and numbers some distinct vertices from 0.
  void begin(int[] first) {
    base += count;
    count = 0;
    if (base > Integer.MAX_VALUE - marks.length) {
      Arrays.fill(marks, 0);
      base = 1;
    }
    for (int v : first) {
      numberOf(v);
    }
    firstCount = first.length;
  }

  /// Returns the number of a vertex, or a negative number if it has none.
  int find(int v) {
    return marks[v] - base;
  }

  /// Returns the number of a vertex, assigning the next one if it had none.
  int numberOf(int v) {
    int number = marks[v] - base;
    if (number < 0) {
      number = count;
      if (count == vertices.length) {
        vertices = Arrays.copyOf(vertices, Math.min(marks.length, 2 * count + 1024));
      }
      vertices[count++] = v;
      marks[v] = base + number;
    }
    return number;
  }

  /// Returns the number of numbered vertices.
  int count() {
    return count;
  }

  /// Returns the vertex with a number.
  int vertex(int number) {
    return vertices[number];
  }

  /// Returns how many vertices [#begin] numbered.
  int firstCount() {
    return firstCount;
  }

  /// Returns a copy of the vertices in the order of their numbers.
  int[] vertices() {
    return Arrays.copyOf(vertices, count);
  }
}
