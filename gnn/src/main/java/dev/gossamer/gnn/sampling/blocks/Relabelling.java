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

  /// Forgets all numbers, and numbers some distinct vertices from 0 on.
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

  /// The number of a vertex, or less than 0 if it has none.
  int find(int v) {
    return marks[v] - base;
  }

  /// The number of a vertex; the next one if it had none.
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

  /// How many vertices have a number.
  int count() {
    return count;
  }

  /// The vertex that has a number.
  int vertex(int number) {
    return vertices[number];
  }

  /// How many vertices had a number from the beginning.
  int firstCount() {
    return firstCount;
  }

  /// The vertices in the order of their numbers, as a copy.
  int[] vertices() {
    return Arrays.copyOf(vertices, count);
  }
}
