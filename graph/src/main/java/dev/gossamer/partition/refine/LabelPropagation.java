package dev.gossamer.partition.refine;

import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.Philox;
import dev.gossamer.partition.refine.Gains.Move;
import dev.gossamer.partition.refine.Gains.Targets;
import java.util.Arrays;

/// Rounds in which each vertex makes the move that gains most, if it gains.
///
/// A chunk of vertices looks for moves at once against the state before the chunk, by as many
/// threads as there are; then the moves are looked at again and made in the order of ids, each with
/// its gain at that moment. So the result does not depend on the number of threads.
public final class LabelPropagation {
  private static final int STREAM = 0x4c505246;
  private static final int BLOCK = 256;
  private static final int BLOCKS_AT_ONCE = 8;
  private static final int LEAST_MOVES_BETWEEN = 4;

  private final Gains gains;
  private final Workers workers;
  private final Philox random;
  private final Move[] moves;
  private final int movesBetween;
  private int applied;
  private final int[] wanted = new int[BLOCK * BLOCKS_AT_ONCE];

  public LabelPropagation(Gains gains, long seed, Workers workers) {
    this.gains = gains;
    this.workers = workers;
    random = Philox.keyed(seed, STREAM, gains.graph().vertices());
    movesBetween = Math.max(LEAST_MOVES_BETWEEN, gains.loads().parts() / 16);
    moves = new Move[workers.threads()];
    Arrays.setAll(moves, i -> new Move(gains.loads().parts()));
  }

  /// One round over all vertices.
  ///
  /// @param between runs before each chunk and every few moves: what it costs must be `O(k)`
  /// @return what the moves gained
  public long round(int round, Runnable between) {
    int n = gains.graph().vertices();
    int blocks = Math.ceilDiv(n, BLOCK);
    int[] order = random.order(blocks, round);
    long gained = 0;
    for (int first = 0; first < blocks; first += BLOCKS_AT_ONCE) {
      between.run();
      int from = first;
      int count = Math.min(BLOCKS_AT_ONCE, blocks - first);
      workers.run(
          count,
          (task, worker) -> {
            int begin = order[from + task] * BLOCK;
            for (int v = begin; v < Math.min(n, begin + BLOCK); v++) {
              gains.best(v, Targets.FEASIBLE, moves[worker]);
              wanted[task * BLOCK + v - begin] =
                  moves[worker].gain > 0 ? moves[worker].target : gains.part[v];
            }
          });
      for (int i = 0; i < count; i++) {
        gained += carryOut(order[first + i] * BLOCK, i * BLOCK, between);
      }
    }
    return gained;
  }

  private long carryOut(int begin, int at, Runnable between) {
    long gained = 0;
    int end = Math.min(gains.graph().vertices(), begin + BLOCK);
    Move move = moves[0];
    for (int v = begin; v < end; v++) {
      if (wanted[at + v - begin] == gains.part[v]) {
        continue;
      }
      gains.best(v, Targets.FEASIBLE, move);
      if (move.target != gains.part[v] && move.gain > 0) {
        gained += move.gain;
        gains.apply(v, move.target);
        if (++applied % movesBetween == 0) {
          between.run();
        }
      }
    }
    return gained;
  }
}
