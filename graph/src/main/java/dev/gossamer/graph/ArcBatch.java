package dev.gossamer.graph;

/// Some thousand arcs of a stream.
final class ArcBatch {
  private static final int MOST = 1 << 14;

  private final int[] sources = new int[MOST];
  private final int[] targets = new int[MOST];
  private final float[] weights = new float[MOST];
  private int size;

  boolean isFull() {
    return size == MOST;
  }

  void add(int source, int target, float weight) {
    sources[size] = source;
    targets[size] = target;
    weights[size++] = weight;
  }

  int size() {
    return size;
  }

  int source(int i) {
    return sources[i];
  }

  int target(int i) {
    return targets[i];
  }

  float weight(int i) {
    return weights[i];
  }
}
