package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.GainHeap;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import dev.gossamer.partition.refine.Gains.Move;
import dev.gossamer.partition.refine.Gains.Targets;

/// Brings the loads of all parts back under their caps, at little loss: vertices leave overloaded
/// parts, the least loss for its relief first, for any part where that lowers the overload in sum.
///
/// A move may overload its target in another load, if it relieves more than that; every move lowers
/// the overload, so this ends. What cannot be balanced (a hub heavier than a cap) stays.
public final class Rebalancing {
  private static final int PASSES = 20;
  private static final double MARGIN = 0.5;

  /// A move is made if it is worse than it looked by no more than this fraction.
  private static final int TOLERANCE = 8;

  private static final int MOVES_BETWEEN = 32;

  private final Gains gains;
  private final LevelGraph graph;
  private final PartLoads loads;
  private final Move move;
  private final GainHeap heap;
  private final Runnable between;

  /// @param between runs now and then
  public Rebalancing(Gains gains, Runnable between) {
    this.gains = gains;
    this.between = between;
    graph = gains.graph();
    loads = gains.loads();
    move = new Move(loads.parts());
    heap = new GainHeap(graph.vertices());
  }

  /// Brings loads under their caps with some room to spare, so that the moves that follow are free.
  public void makeRoom() {
    loads.slack(-MARGIN);
    relieve();
    loads.slack(0);
  }

  /// Brings loads under their caps by all means, if they are not.
  ///
  /// @return whether all caps are kept now
  public boolean settle() {
    loads.slack(0);
    if (loads.overload() == 0) {
      return true;
    }
    makeRoom();
    return loads.overload() == 0 || relieve() || new Swapping(gains).run();
  }

  /// Moves vertices for as long as that lowers the overload.
  ///
  /// @return whether all caps are kept now
  public boolean relieve() {
    for (int pass = 0; pass < PASSES && loads.overload() > 0; pass++) {
      if (pass() == 0) {
        break;
      }
    }
    return loads.overload() == 0;
  }

  private int pass() {
    heap.clear();
    for (int v = 0; v < graph.vertices(); v++) {
      if (loads.overload(gains.part[v]) > 0) {
        look(v);
        if (move.target != gains.part[v]) {
          heap.put(v, key());
        }
      }
    }
    int moves = 0;
    while (!heap.isEmpty()) {
      int v = heap.top();
      long promised = heap.topGain();
      if (loads.overload(gains.part[v]) == 0) {
        heap.remove(v);
        continue;
      }
      look(v);
      if (move.target == gains.part[v]) {
        heap.remove(v);
      } else if (key() < promised - Math.abs(promised) / TOLERANCE) {
        heap.put(v, key());
      } else {
        heap.remove(v);
        gains.apply(v, move.target);
        if (++moves % MOVES_BETWEEN == 0) {
          between.run();
        }
      }
    }
    return moves;
  }

  private void look(int v) {
    gains.best(v, Targets.RELIEVING, move);
  }

  private long key() {
    return (long) (move.worth * 1024);
  }
}
