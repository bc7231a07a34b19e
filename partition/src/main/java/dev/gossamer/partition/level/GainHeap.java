package dev.gossamer.partition.level;

import java.util.Arrays;

/// A binary max-heap of vertices by gain, with updates of gains. Ties go to the smaller id, so that
/// the order depends only on the content.
public final class GainHeap {
  private final int[] position;
  private final long[] gain;
  private int[] heap = new int[64];
  private int size;

  /// Creates an empty heap.
  ///
  /// @param vertices ids are `0..vertices-1`
  public GainHeap(int vertices) {
    position = new int[vertices];
    gain = new long[vertices];
    Arrays.fill(position, -1);
  }

  /// {@return whether the heap is empty}
  public boolean isEmpty() {
    return size == 0;
  }

  /// {@return the vertex of the largest gain}
  public int top() {
    return heap[0];
  }

  /// {@return the largest gain}
  public long topGain() {
    return gain[heap[0]];
  }

  /// {@return the gain that a vertex has, or had when it was last in the heap}
  ///
  /// @param v a vertex
  public long gain(int v) {
    return gain[v];
  }

  /// {@return whether a vertex is in the heap}
  ///
  /// @param v a vertex
  public boolean contains(int v) {
    return position[v] >= 0;
  }

  /// Adds a vertex or changes its gain.
  ///
  /// @param v a vertex
  /// @param g the gain
  public void put(int v, long g) {
    int at = position[v];
    if (at < 0) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
      }
      gain[v] = g;
      place(v, size++);
      up(position[v]);
      return;
    }
    long before = gain[v];
    gain[v] = g;
    if (g > before) {
      up(at);
    } else {
      down(at);
    }
  }

  /// Removes a vertex if it is in the heap.
  ///
  /// @param v a vertex
  public void remove(int v) {
    int at = position[v];
    if (at < 0) {
      return;
    }
    position[v] = -1;
    int last = heap[--size];
    if (last != v) {
      place(last, at);
      up(at);
      down(position[last]);
    }
  }

  /// Removes all vertices.
  public void clear() {
    for (int i = 0; i < size; i++) {
      position[heap[i]] = -1;
    }
    size = 0;
  }

  private boolean above(int u, int v) {
    return gain[u] > gain[v] || (gain[u] == gain[v] && u < v);
  }

  private void up(int at) {
    int v = heap[at];
    while (at > 0 && above(v, heap[(at - 1) / 2])) {
      place(heap[(at - 1) / 2], at);
      at = (at - 1) / 2;
    }
    place(v, at);
  }

  private void down(int at) {
    int v = heap[at];
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && above(heap[child + 1], heap[child])) {
        child++;
      }
      if (!above(heap[child], v)) {
        break;
      }
      place(heap[child], at);
      at = child;
    }
    place(v, at);
  }

  private void place(int v, int at) {
    heap[at] = v;
    position[v] = at;
  }
}
