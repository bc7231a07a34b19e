package dev.gossamer.partition.level;

import dev.gossamer.base.Workers;

/// Rounds in which vertices decide and then move: a chunk of them decides at once, against the
/// state before the chunk, by as many threads as there are; then the decisions are carried out one
/// after another. So the result of a round does not depend on the number of threads.
///
/// A chunk is some blocks of consecutive vertices, which come in a given order.
public final class Chunks {
  /// Vertices of a block.
  public static final int BLOCK = 256;

  private final int vertices;
  private final int blocksAtOnce;
  private final Workers workers;

  /// Chunks of the vertices of a level.
  ///
  /// @param vertices of the level
  /// @param blocksAtOnce blocks of a chunk
  /// @param workers threads to use
  public Chunks(int vertices, int blocksAtOnce, Workers workers) {
    this.vertices = vertices;
    this.blocksAtOnce = blocksAtOnce;
    this.workers = workers;
  }

  /// What a vertex decides.
  @FunctionalInterface
  public interface Decision {
    /// Decides about a vertex, and keeps the decision in its slot.
    ///
    /// @param v a vertex
    /// @param slot of the vertex in its chunk
    /// @param worker thread that asks
    void of(int v, int slot, int worker);
  }

  /// What becomes of the decision of a vertex.
  @FunctionalInterface
  public interface Execution {
    /// Carries out what was decided about a vertex.
    ///
    /// @param v a vertex
    /// @param slot of the vertex in its chunk
    void of(int v, int slot);
  }

  /// {@return vertices of a chunk, at most: slots are less}
  public int slots() {
    return blocksAtOnce * BLOCK;
  }

  /// {@return number of blocks}
  public int blocks() {
    return Math.ceilDiv(vertices, BLOCK);
  }

  /// One round.
  ///
  /// @param order of the blocks
  /// @param between runs before each chunk
  /// @param decision asked for each vertex of a chunk, in parallel
  /// @param execution told each vertex of a chunk, in order
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
