package dev.gossamer.gnn.block;

import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/// Which rank trains on which batch of an epoch, and when. Immutable.
///
/// Each rank runs **turns**: in turn `t` it has batch `t p + rank` of `p` ranks. A step is `g / p`
/// turns of every rank and consists of the `g` batches of those turns. An epoch is divided evenly
/// into steps and a step into batches, so that all ranks have the same number of turns and no step
/// is a small remainder. A rank has no batch in a turn only if there are fewer items than batches.
///
/// The **items** of a batch are its weight: its training vertices or edges, or 1 for a subgraph.
public final class BatchDeal {
  private final int rank;
  private final int turnsOfStep;
  private final int turns;
  private final long[] itemsOfRank;
  private final boolean shared;

  /// @param itemsOfRank items of each rank's own, or of all in each place if they are shared
  private BatchDeal(long[] itemsOfRank, boolean shared, long stepSize, int rank, int perStep) {
    int ranks = itemsOfRank.length;
    if (perStep < 1 || perStep % ranks != 0) {
      throw new IllegalArgumentException(
          "batches: %d per step cannot be divided evenly among %d ranks".formatted(perStep, ranks));
    }
    this.itemsOfRank = itemsOfRank;
    this.shared = shared;
    this.rank = rank;
    turnsOfStep = perStep / ranks;
    long steps = Math.ceilDiv(items(), stepSize);
    if (!shared) {
      // No batch gets larger than an even share of a step, however the items are spread over ranks.
      long most = Arrays.stream(itemsOfRank).max().orElse(0);
      long ofRank = Math.ceilDiv(stepSize, (long) perStep) * turnsOfStep;
      steps = Math.max(steps, Math.ceilDiv(most, ofRank));
    }
    turns = Math.toIntExact(steps * turnsOfStep);
  }

  /// Deals batches that all ranks share: batches `s g .. (s + 1) g - 1` make step `s`. The items of
  /// a step depend neither on `g` nor on the number of ranks.
  ///
  /// @param items of all batches together
  /// @param stepSize items of a step, at most
  /// @param ranks how many there are
  /// @param rank number of the rank
  /// @param perStep `g`, a multiple of the ranks
  /// @return the deal
  public static BatchDeal shared(long items, long stepSize, int ranks, int rank, int perStep) {
    long[] itemsOfRank = new long[ranks];
    Arrays.fill(itemsOfRank, items);
    return new BatchDeal(itemsOfRank, true, stepSize, rank, perStep);
  }

  /// Gives each rank its own batches.
  ///
  /// @param itemsOfRank items of each rank's batches
  /// @param stepSize items of a step, at most
  /// @param rank number of the rank
  /// @param perStep `g`, a multiple of the ranks
  /// @return the deal
  public static BatchDeal own(long[] itemsOfRank, long stepSize, int rank, int perStep) {
    return new BatchDeal(itemsOfRank.clone(), false, stepSize, rank, perStep);
  }

  /// {@return how many ranks there are}
  public int ranks() {
    return itemsOfRank.length;
  }

  /// {@return this rank's number}
  public int rank() {
    return rank;
  }

  /// {@return steps of the epoch}
  public int steps() {
    return turns / turnsOfStep;
  }

  /// {@return turns of each rank}
  public int turns() {
    return turns;
  }

  /// {@return number of this rank's batch in a turn, if there is one ([#hasBatch])}
  ///
  /// @param turn from 0 on
  public int number(int turn) {
    return turn * ranks() + rank;
  }

  /// {@return whether this rank has a batch in a turn}
  ///
  /// @param turn from 0 on
  public boolean hasBatch(int turn) {
    return items(rank, turn) > 0;
  }

  /// {@return the number of batches that are cut together: those of all ranks, or this rank's own}
  public int cutTogether() {
    return shared ? Math.multiplyExact(turns, ranks()) : turns;
  }

  /// Items of the batch of a rank in a turn; 0 if it has none.
  private long items(int ofRank, int turn) {
    long n = itemsOfRank[ofRank];
    int place = place(ofRank, turn);
    return EpochBatches.begin(n, cutTogether(), place + 1L)
        - EpochBatches.begin(n, cutTogether(), place);
  }

  /// How many batches are before that of a rank in a turn, among those it is cut with.
  private int place(int ofRank, int turn) {
    return shared ? turn * ranks() + ofRank : turn;
  }

  /// {@return items of all batches of the epoch}
  public long items() {
    return shared ? itemsOfRank[0] : Arrays.stream(itemsOfRank).sum();
  }

  /// {@return items of all batches of the step that a turn belongs to}
  ///
  /// @param turn from 0 on
  public long itemsOfStep(int turn) {
    int first = turn / turnsOfStep * turnsOfStep;
    long sum = 0;
    for (int t = first; t < first + turnsOfStep; t++) {
      for (int r = 0; r < ranks(); r++) {
        sum += items(r, t);
      }
    }
    return sum;
  }

  /// {@return whether a step's gradients are complete after a turn}
  ///
  /// @param turn from 0 on
  public boolean endsStep(int turn) {
    return (turn + 1) % turnsOfStep == 0;
  }

  /// {@return whether a turn is the first of its step}
  ///
  /// @param turn from 0 on
  public boolean beginsStep(int turn) {
    return turn % turnsOfStep == 0;
  }

  /// {@return the vertices of this rank's batches in turns `from` to `to - 1`: its part of a bulk}
  /// Batches that it does not have are empty, or missing at the end.
  ///
  /// @param batch vertices of a batch, by its index among those it is cut with ([#cutTogether])
  /// @param from the first turn
  /// @param to turn after the last
  public List<int[]> vertices(IntFunction<int[]> batch, int from, int to) {
    int end = to;
    while (end > from && !hasBatch(end - 1)) {
      end--;
    }
    List<int[]> vertices = new ArrayList<>();
    for (int turn = from; turn < end; turn++) {
      vertices.add(batch.apply(place(rank, turn)));
    }
    return vertices;
  }
}
