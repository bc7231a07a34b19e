package dev.gossamer.minibatch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// Which rank trains on which batch of an epoch, and when. Immutable.
///
/// Batches `s g .. (s + 1) g - 1` make step `s`, for `g` batches a step, whatever the number of
/// ranks `p`; batch `b` is rank `b mod p`'s. A rank goes through its **turns**: in turn `t` it has
/// batch `t p + rank`, or none if there is no such batch any more, while others have their last. So
/// all ranks take part in all turns and steps, and each batch is trained on once.
///
/// @param batches of the epoch
/// @param perStep `g`, a multiple of `p`
record BatchDeal(int batches, int ranks, int rank, int perStep) {
  BatchDeal {
    if (perStep < 1 || perStep % ranks != 0) {
      throw new IllegalArgumentException(
          "batches: %d a step cannot be dealt evenly to %d ranks".formatted(perStep, ranks));
    }
  }

  /// Turns of each rank.
  int turns() {
    return Math.ceilDiv(batches, ranks);
  }

  /// Number of this rank's batch in a turn. There is none if it is not less than [#batches].
  int number(int turn) {
    return turn * ranks + rank;
  }

  boolean hasBatch(int turn) {
    return number(turn) < batches;
  }

  /// Whether a step's gradients are complete after a turn.
  boolean endsStep(int turn) {
    return turn == turns() - 1 || (turn + 1) % (perStep / ranks) == 0;
  }

  /// Whether a turn is the first of its step.
  boolean beginsStep(int turn) {
    return turn % (perStep / ranks) == 0;
  }

  /// Number of the first batch of the step that a turn belongs to.
  int firstOfStep(int turn) {
    return turn * ranks / perStep * perStep;
  }

  /// Number after the last batch of the step that a turn belongs to.
  int endOfStep(int turn) {
    return Math.min(batches, firstOfStep(turn) + perStep);
  }

  /// The vertices of this rank's batches in the turns from `from` to before `to`: its part of a
  /// bulk, empty if it has no batch any more.
  ///
  /// @param batch vertices of a batch, by its number
  List<int[]> vertices(IntFunction<int[]> batch, int from, int to) {
    List<int[]> vertices = new ArrayList<>();
    for (int turn = from; turn < to && hasBatch(turn); turn++) {
      vertices.add(batch.apply(number(turn)));
    }
    return vertices;
  }
}
