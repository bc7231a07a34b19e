package dev.gossamer.partition.refine;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.partition.level.Chunks;
import dev.gossamer.partition.refine.Gains.Move;
import dev.gossamer.partition.refine.Gains.Targets;
import java.util.Arrays;

/// Rounds in which each vertex makes the move with the largest positive gain.
///
/// The vertices of a chunk search moves in parallel; then the moves are evaluated again and made
/// sequentially ([Chunks]).
public final class LabelPropagation {
  private static final int STREAM = 0x4c505246;
  private static final int BLOCKS_AT_ONCE = 8;
  private static final int LEAST_MOVES_BETWEEN = 4;

  private final Gains gains;
  private final Chunks chunks;
  private final Philox random;
  private final Move[] moves;
  private final int movesBetween;
  private int applied;
  private long gained;
  private final int[] wanted;

  /// Creates rounds over the vertices of a level.
  ///
  /// @param gains of moves, with the partition to change
  /// @param seed of all draws
  /// @param workers threads to use
  public LabelPropagation(Gains gains, long seed, Workers workers) {
    this.gains = gains;
    chunks = new Chunks(gains.graph().vertices(), BLOCKS_AT_ONCE, workers);
    wanted = new int[chunks.slots()];
    random = Philox.keyed(seed, STREAM, gains.graph().vertices());
    movesBetween = Math.max(LEAST_MOVES_BETWEEN, gains.loads().parts() / 16);
    moves = new Move[workers.threads()];
    Arrays.setAll(moves, i -> new Move(gains.loads().parts()));
  }

  /// Runs one round over all vertices.
  ///
  /// @param round number of the round, which determines its random order
  /// @param between runs before each chunk and between moves; its cost must be `O(k)`
  /// @return the gain of the moves
  public long round(int round, Runnable between) {
    gained = 0;
    chunks.round(
        random.order(chunks.blocks(), round),
        between,
        (v, slot, worker) -> look(v, slot, moves[worker]),
        (v, slot) -> carryOut(v, wanted[slot], between));
    return gained;
  }

  private void look(int v, int slot, Move move) {
    gains.best(v, Targets.FEASIBLE, move);
    wanted[slot] = move.gain > 0 ? move.target : gains.part[v];
  }

  private void carryOut(int v, int target, Runnable between) {
    if (target == gains.part[v]) {
      return;
    }
    Move move = moves[0];
    gains.best(v, Targets.FEASIBLE, move);
    if (move.target != gains.part[v] && move.gain > 0) {
      gained += move.gain;
      gains.apply(v, move.target);
      if (++applied % movesBetween == 0) {
        between.run();
      }
    }
  }
}
