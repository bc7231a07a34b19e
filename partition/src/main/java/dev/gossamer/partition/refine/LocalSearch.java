package dev.gossamer.partition.refine;

import dev.gossamer.matrix.random.Philox;
import dev.gossamer.partition.level.GainHeap;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.refine.Gains.Move;
import dev.gossamer.partition.refine.Gains.Targets;
import java.util.Arrays;

/// Localised k-way search (Sanders and Schulz 2011; Fiduccia and Mattheyses 1982): from each
/// boundary vertex in turn, makes the best moves of it and its surroundings, even at a loss, and
/// reverts moves after the best state. A vertex moves at most once per pass.
///
/// For graphs of bounded degree: after a move, the gains of all neighbours are recomputed.
public final class LocalSearch {
  private static final int STREAM = 0x4c534348;

  private final Gains gains;
  private final LevelGraph graph;
  private final Move move;
  private final GainHeap heap;
  private final boolean[] touched;
  private final Philox random;
  private final int patience;
  private int[] moved = new int[256];
  private int[] from = new int[256];

  /// Creates passes over the boundary of a partition.
  ///
  /// @param gains of moves, with the partition to change
  /// @param patience number of moves without a new best state after which a search ends
  /// @param seed of all draws
  public LocalSearch(Gains gains, int patience, long seed) {
    this.gains = gains;
    this.patience = patience;
    graph = gains.graph();
    move = new Move(gains.loads().parts());
    heap = new GainHeap(graph.vertices());
    touched = new boolean[graph.vertices()];
    random = Philox.keyed(seed, STREAM, graph.vertices());
  }

  /// Runs one pass.
  ///
  /// @param number of the pass, which determines its random order
  /// @return its gain
  public long pass(int number) {
    Arrays.fill(touched, false);
    int[] boundary = boundary(number);
    long gained = 0;
    for (int v : boundary) {
      if (!touched[v]) {
        gained += search(v);
      }
    }
    return gained;
  }

  private int[] boundary(int pass) {
    int[] found = new int[1024];
    int count = 0;
    for (int v = 0; v < graph.vertices(); v++) {
      if (gains.isBoundary(v)) {
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        int j = random.below(count + 1, v, pass);
        found[count] = found[j];
        found[j] = v;
        count++;
      }
    }
    return Arrays.copyOf(found, count);
  }

  private long search(int seed) {
    heap.clear();
    consider(seed);
    int count = 0;
    int bestCount = 0;
    long sum = 0;
    long best = 0;
    while (!heap.isEmpty() && count - bestCount < patience) {
      int v = heap.top();
      long promised = heap.topGain();
      gains.best(v, Targets.FEASIBLE, move);
      if (move.target == gains.part[v]) {
        heap.remove(v);
        continue;
      }
      if (move.gain < promised) {
        heap.put(v, move.gain);
        continue;
      }
      heap.remove(v);
      record(count++, v);
      sum += move.gain;
      gains.apply(v, move.target);
      touched[v] = true;
      if (sum > best) {
        best = sum;
        bestCount = count;
      }
      for (long e = graph.start(v); e < graph.start(v + 1); e++) {
        consider(graph.neighbour(e));
      }
    }
    for (int i = count - 1; i >= bestCount; i--) {
      gains.apply(moved[i], from[i]);
    }
    return best;
  }

  private void consider(int v) {
    if (touched[v]) {
      return;
    }
    gains.best(v, Targets.FEASIBLE, move);
    if (move.target != gains.part[v]) {
      heap.put(v, move.gain);
    } else {
      heap.remove(v);
    }
  }

  private void record(int at, int v) {
    if (at == moved.length) {
      moved = Arrays.copyOf(moved, 2 * at);
      from = Arrays.copyOf(from, 2 * at);
    }
    moved[at] = v;
    from[at] = gains.part[v];
  }
}
