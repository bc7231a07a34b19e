package dev.gossamer.partition.level;

import dev.gossamer.base.Workers;

/// Rounds in which vertices decide and then move: the vertices of a chunk decide in parallel, based
/// on the state before the chunk; then the decisions are executed sequentially. So the result of a
/// round does not depend on the number of threads.
///
/// A chunk consists of blocks of consecutive vertices, in a given order.
public final class Chunks {
  /// Number of vertices of a block.
  public static final int BLOCK = 256;

  private final int vertices;
  private final int blocksAtOnce;
  private final Workers workers;

  /// Divides the vertices of a level into chunks.
  ///
  /// @param vertices number of vertices of the level
  /// @param blocksAtOnce number of blocks of a chunk
  /// @param workers threads to use
  public Chunks(int vertices, int blocksAtOnce, Workers workers) {
    this.vertices = vertices;
    this.blocksAtOnce = blocksAtOnce;
    this.workers = workers;
  }

  /// The decision of a vertex.
  @FunctionalInterface
  public interface Decision {
    /// Decides about a vertex, and stores the decision in its slot.
    ///
    /// @param v a vertex
    /// @param slot of the vertex in its chunk
    /// @param worker number of the calling thread
    void of(int v, int slot, int worker);
  }

  /// The execution of a vertex's decision.
  @FunctionalInterface
  public interface Execution {
    /// Executes the decision about a vertex.
    ///
    /// @param v a vertex
    /// @param slot of the vertex in its chunk
    void of(int v, int slot);
  }

  /// {@return the maximum number of vertices of a chunk, an upper bound of slots}
  public int slots() {
    return blocksAtOnce * BLOCK;
  }

  /// {@return the number of blocks}
  public int blocks() {
    return Math.ceilDiv(vertices, BLOCK);
  }

  /// Runs one round.
  ///
  /// @param order of the blocks
  /// @param between runs before each chunk
  /// @param decision called for each vertex of a chunk, in parallel
  /// @param execution called for each vertex of a chunk, in order
  public void round(int[] order, Runnable between, Decision decision, Execution execution) {
    for (int first = 0; first < order.length; first += blocksAtOnce) {
      between.run();
      int from = first;
      int count = Math.min(blocksAtOnce, order.length - first);
      workers.run(
          count,
          (task, worker) -> {
            int begin = order[from + task] * BLOCK;
            for (int v = begin; v < end(begin); v++) {
              decision.of(v, task * BLOCK + v - begin, worker);
            }
          });
      for (int i = 0; i < count; i++) {
        int begin = order[first + i] * BLOCK;
        for (int v = begin; v < end(begin); v++) {
          execution.of(v, i * BLOCK + v - begin);
        }
      }
    }
  }

  private int end(int begin) {
    return Math.min(vertices, begin + BLOCK);
  }
}
