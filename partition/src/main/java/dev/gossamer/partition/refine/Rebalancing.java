package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import dev.gossamer.partition.refine.Gains.Move;
import dev.gossamer.partition.refine.Gains.Targets;

/// Brings the loads of all parts under their caps, at little loss: vertices leave overloaded parts
/// for any part if that decreases the overload.
///
/// A pass first computes the loss of each vertex of an overloaded part relative to its relief, and
/// adds up the relief by part and loss, in steps of a quarter of an octave. This determines for
/// each part the loss below which the relief suffices; vertices below it then move, unless their
/// loss has grown by more than a step.
///
/// A move may overload its target in another load, if it relieves more than that; every move
/// decreases the overload, so the process ends. Overloads that cannot be balanced (a hub heavier
/// than a cap) remain.
public final class Rebalancing {
  private static final int PASSES = 20;
  private static final int PASSES_FOR_ROOM = 3;
  private static final double MARGIN = 0.5;
  private static final int MOVES_BETWEEN = 32;

  private static final int CLASSES = 256;
  private static final int CLASSES_IN_OCTAVE = 4;

  /// Worths closer to 0 than this are of one class.
  private static final double LEAST_WORTH = 1024;

  /// How much more relief than the overload is asked for, as some moves will not be made.
  private static final double MORE_RELIEF = 1.1;

  private static final short STAYS = -1;

  private final Gains gains;
  private final LevelGraph graph;
  private final PartLoads loads;
  private final Move move;
  private final short[] worthClass;
  private final Runnable between;

  /// Creates the rebalancing of a partition.
  ///
  /// @param gains of moves, with the partition to change
  /// @param between runs repeatedly between moves
  public Rebalancing(Gains gains, Runnable between) {
    this.gains = gains;
    this.between = between;
    graph = gains.graph();
    loads = gains.loads();
    move = new Move(loads.parts());
    worthClass = new short[graph.vertices()];
  }

  /// Brings loads below their caps in a small number of passes over the boundary, so that later
  /// moves have room.
  public void makeRoom() {
    loads.slack(-MARGIN);
    for (int pass = 0; pass < PASSES_FOR_ROOM && loads.overload() > 0; pass++) {
      pass(true);
    }
    loads.slack(0);
  }

  /// Brings loads under their caps, by swaps if moves do not suffice.
  ///
  /// @return whether all caps are kept
  public boolean settle() {
    loads.slack(0);
    if (loads.overload() == 0) {
      return true;
    }
    makeRoom();
    return loads.overload() == 0 || relieve() || new Swapping(gains).run();
  }

  /// Moves vertices as long as that decreases the overload.
  ///
  /// @return whether all caps are kept
  public boolean relieve() {
    for (int pass = 0; pass < PASSES && loads.overload() > 0; pass++) {
      if (pass(false) == 0) {
        break;
      }
    }
    return loads.overload() == 0;
  }

  private int pass(boolean onlyBoundary) {
    int[] least = leastClasses(reliefByClass(onlyBoundary));
    int moves = 0;
    for (int v = 0; v < worthClass.length; v++) {
      int a = gains.part[v];
      if (worthClass[v] == STAYS || worthClass[v] < least[a] || loads.overload(a) == 0) {
        continue;
      }
      look(v);
      if (move.target != a && classOf(move.worth) >= least[a] - 1) {
        gains.apply(v, move.target);
        if (++moves % MOVES_BETWEEN == 0) {
          between.run();
        }
      }
    }
    return moves;
  }

  /// For each part the relief that there is in each class of worth.
  private double[][] reliefByClass(boolean onlyBoundary) {
    double[][] relief = new double[loads.parts()][CLASSES];
    for (int v = 0; v < worthClass.length; v++) {
      worthClass[v] = STAYS;
      int a = gains.part[v];
      if (loads.overload(a) > 0 && (!onlyBoundary || gains.isBoundary(v))) {
        look(v);
        if (move.target != a) {
          worthClass[v] = classOf(move.worth);
          relief[a][worthClass[v]] += move.relief;
        }
      }
    }
    return relief;
  }

  /// For each part the class from which on there is relief enough.
  private int[] leastClasses(double[][] relief) {
    int[] least = new int[relief.length];
    for (int p = 0; p < least.length; p++) {
      double missing = MORE_RELIEF * loads.overload(p);
      least[p] = CLASSES - 1;
      missing -= relief[p][least[p]];
      while (least[p] > 0 && missing > 0) {
        missing -= relief[p][--least[p]];
      }
    }
    return least;
  }

  /// The better, the higher.
  private static short classOf(double worth) {
    double octaves = Math.log1p(Math.abs(worth) / LEAST_WORTH) / Math.log(2);
    double steps = Math.min(CLASSES / 2 - 1, CLASSES_IN_OCTAVE * octaves);
    return (short) (worth >= 0 ? CLASSES / 2 + steps : CLASSES / 2 - 1 - steps);
  }

  private void look(int v) {
    gains.best(v, Targets.RELIEVING, move);
  }
}
