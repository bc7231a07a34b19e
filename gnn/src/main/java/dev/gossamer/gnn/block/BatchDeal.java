package dev.gossamer.gnn.block;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/// Which rank trains on which batch of an epoch, and when. Immutable.
///
/// A rank goes through its **turns**: in turn `t` it has batch `t p + rank` of `p` ranks, or none
/// if it has no batch any more, while others have their last. So all ranks take part in all turns
/// and steps, and each batch is trained on once. A step is `g / p` turns of every rank.
///
/// A batch has **items**: what it is the more important the more it has of, its training vertices,
/// or 1 for a subgraph.
public final class BatchDeal {
  private final int rank;
  private final int batchSize;
  private final int turnsOfStep;
  private final long[] itemsOfRank;
  private final boolean shared;

  /// @param itemsOfRank items of each rank's own, or of all in each place if they are shared
  private BatchDeal(long[] itemsOfRank, boolean shared, int batchSize, int rank, int perStep) {
    int ranks = itemsOfRank.length;
    if (perStep < 1 || perStep % ranks != 0) {
      throw new IllegalArgumentException(
          "batches: %d a step cannot be dealt evenly to %d ranks".formatted(perStep, ranks));
    }
    this.itemsOfRank = itemsOfRank;
    this.shared = shared;
    this.batchSize = batchSize;
    this.rank = rank;
    turnsOfStep = perStep / ranks;
  }

  /// Batches of all, dealt in turn: `s g .. (s + 1) g - 1` make step `s` whatever the number of
  /// ranks.
  ///
  /// @param items of all batches together; all but the last have `batchSize` of them
  /// @param batchSize items of a batch
  /// @param ranks how many there are
  /// @param rank number of the rank
  /// @param perStep `g`, a multiple of the ranks
  /// @return the deal
  public static BatchDeal shared(long items, int batchSize, int ranks, int rank, int perStep) {
    long[] itemsOfRank = new long[ranks];
    Arrays.fill(itemsOfRank, items);
    return new BatchDeal(itemsOfRank, true, batchSize, rank, perStep);
  }

  /// Each rank has batches of its own.
  ///
  /// @param itemsOfRank items of each rank's batches; all but the last have `batchSize` of them
  /// @param batchSize items of a batch
  /// @param rank number of the rank
  /// @param perStep `g`, a multiple of the ranks
  /// @return the deal
  public static BatchDeal own(long[] itemsOfRank, int batchSize, int rank, int perStep) {
    return new BatchDeal(itemsOfRank.clone(), false, batchSize, rank, perStep);
  }

  /// {@return how many ranks there are}
  public int ranks() {
    return itemsOfRank.length;
  }

  /// {@return this rank's number}
  public int rank() {
    return rank;
  }

  /// {@return turns of each rank}
  public int turns() {
    long most = Arrays.stream(itemsOfRank).max().orElse(0);
    return Math.toIntExact(Math.ceilDiv(most, (long) batchSize * (shared ? ranks() : 1)));
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

  /// Items of the batch of a rank in a turn; 0 if it has none.
  private long items(int ofRank, int turn) {
    long before = (long) batchSize * place(ofRank, turn);
    return Math.clamp(itemsOfRank[ofRank] - before, 0, batchSize);
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
    for (int t = first; t < Math.min(turns(), first + turnsOfStep); t++) {
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
    return turn == turns() - 1 || (turn + 1) % turnsOfStep == 0;
  }

  /// {@return whether a turn is the first of its step}
  ///
  /// @param turn from 0 on
  public boolean beginsStep(int turn) {
    return turn % turnsOfStep == 0;
  }

  /// {@return the vertices of this rank's batches in the turns from `from` to before `to`: its part
  /// of a bulk, empty if it has no batch any more}
  ///
  /// @param batch vertices of a batch, by its place among those it is cut with
  /// @param from the first turn
  /// @param to turn after the last
  public List<int[]> vertices(IntFunction<int[]> batch, int from, int to) {
    List<int[]> vertices = new ArrayList<>();
    for (int turn = from; turn < to && hasBatch(turn); turn++) {
      vertices.add(batch.apply(place(rank, turn)));
    }
    return vertices;
  }
}
