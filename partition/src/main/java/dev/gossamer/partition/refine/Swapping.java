package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;

/// The last resort of balancing: exchanges a vertex of an overloaded part with a vertex of another
/// part, at any loss, if that decreases the overload. Moves alone get stuck if a part exceeds one
/// cap, and the parts with room for that load are full in another load.
final class Swapping {
  /// Pairs looked at in one run.
  private static final long PAIRS = 5_000_000;

  private final Gains gains;
  private final LevelGraph graph;
  private final PartLoads loads;
  private long pairs;

  Swapping(Gains gains) {
    this.gains = gains;
    graph = gains.graph();
    loads = gains.loads();
  }

  /// @return whether all limits are kept
  boolean run() {
    boolean changed = true;
    while (changed && loads.overload() > 0 && pairs < PAIRS) {
      changed = false;
      for (int v = 0; v < graph.vertices() && pairs < PAIRS; v++) {
        if (loads.overload(gains.part[v]) > 0) {
          changed |= swap(v);
        }
      }
    }
    return loads.overload() == 0;
  }

  /// Swaps with the partner that helps most.
  private boolean swap(int v) {
    int a = gains.part[v];
    int partner = -1;
    double most = 1e-12;
    for (int u = 0; u < graph.vertices(); u++) {
      int b = gains.part[u];
      if (b == a) {
        continue;
      }
      pairs++;
      double relief = relief(v, a, u, b);
      if (relief > most) {
        most = relief;
        partner = u;
      }
    }
    if (partner < 0) {
      return false;
    }
    int b = gains.part[partner];
    gains.apply(v, b);
    gains.apply(partner, a);
    return true;
  }

  private double relief(int v, int a, int u, int b) {
    double before = loads.overload(a) + loads.overload(b);
    loads.move(graph, v, a, b);
    loads.move(graph, u, b, a);
    double after = loads.overload(a) + loads.overload(b);
    loads.move(graph, u, a, b);
    loads.move(graph, v, b, a);
    return before - after;
  }
}
