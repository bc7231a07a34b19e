package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;

/// A partition of one level under an objective: computes gains of moves, and moves vertices.
///
/// [#best] may be called from many threads at once (each with its own [Move]) while no thread calls
/// [#apply].
public abstract sealed class Gains permits CutGains, VolumeGains {
  /// The targets that [#best] considers.
  public enum Targets {
    /// Adjacent parts with room.
    FEASIBLE,
    /// Any part that decreases the overload, adjacent or not.
    RELIEVING,
  }

  /// The result of [#best], with scratch memory for one thread.
  public static final class Move {
    int target;
    long gain;
    double worth;

    /// The maximum decrease of the overload from leaving its part.
    double relief;

    final long[] byPart;
    final Sums sums = new Sums();

    /// Creates an empty move.
    ///
    /// @param parts `k`
    public Move(int parts) {
      byPart = new long[parts];
    }
  }

  /// Sums over a vertex and its neighbours that do not depend on the target.
  static final class Sums {
    long leave;

    /// Sizes of neighbours with short rows, and the same times their send prices.
    long sizes;

    long prices;

    /// Parts in `N(v)` and the sum of their receive prices.
    int parts;

    long receive;

    void clear() {
      leave = 0;
      sizes = 0;
      prices = 0;
      parts = 0;
      receive = 0;
    }
  }

  final LevelGraph graph;
  final int[] part;
  final PartLoads loads;

  Gains(LevelGraph graph, int[] part, PartLoads loads) {
    this.graph = graph;
    this.part = part;
    this.loads = loads;
    loads.reset(graph, part);
  }

  /// {@return the level}
  public final LevelGraph graph() {
    return graph;
  }

  /// {@return the loads of the parts, updated as vertices move}
  public final PartLoads loads() {
    return loads;
  }

  /// {@return the current part of each vertex; read-only}
  public final int[] parts() {
    return part;
  }

  /// Finds the best move of a vertex: `move.target` (its own part if there is none) and the gain,
  /// the decrease of the objective. [Targets#RELIEVING] minimises the loss relative to the relief.
  ///
  /// @param v a vertex
  /// @param targets parts to consider
  /// @param move overwritten by the result
  public abstract void best(int v, Targets targets, Move move);

  /// Moves a vertex.
  ///
  /// @param v a vertex
  /// @param to its new part
  public final void apply(int v, int to) {
    int from = part[v];
    moved(v, from, to);
    loads.move(graph, v, from, to);
    part[v] = to;
  }

  /// Called before `part[v]` changes.
  abstract void moved(int v, int from, int to);

  /// Returns whether a neighbour is in another part.
  boolean isBoundary(int v) {
    long end = graph.start(v + 1);
    for (long e = graph.start(v); e < end; e++) {
      if (part[graph.neighbour(e)] != part[v]) {
        return true;
      }
    }
    return false;
  }

  /// Starts the search for the best move of a vertex.
  final void begin(int v, Targets targets, Move move) {
    move.target = part[v];
    move.gain = Long.MIN_VALUE;
    move.worth = Double.NEGATIVE_INFINITY;
    move.relief = targets == Targets.RELIEVING ? loads.leaving(graph, v, part[v]) : 0;
  }

  /// Considers a move: `move` keeps the best one so far.
  final void offer(int v, int b, long gain, Targets targets, Move move) {
    switch (targets) {
      case FEASIBLE -> {
        if (gain >= move.gain && loads.fits(graph, v, b)) {
          keepBetter(v, b, gain, move);
        }
      }
      case RELIEVING -> {
        if (worth(gain, move.relief) <= move.worth) {
          return;
        }
        double relief = move.relief - loads.joining(graph, v, b);
        double worth = worth(gain, relief);
        if (relief > 1e-12 && worth > move.worth) {
          move.target = b;
          move.gain = gain;
          move.worth = worth;
        }
      }
    }
  }

  /// Loss for relief; a move without loss is worth its relief times its gain.
  private static double worth(long gain, double relief) {
    return gain >= 0 ? (gain + 1) * relief : gain / relief;
  }

  private void keepBetter(int v, int b, long gain, Move move) {
    if (gain > move.gain
        || move.target == part[v]
        || loads.fullness(b) < loads.fullness(move.target)) {
      move.target = b;
      move.gain = gain;
    }
  }
}
