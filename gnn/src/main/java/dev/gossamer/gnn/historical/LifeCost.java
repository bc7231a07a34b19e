package dev.gossamer.gnn.historical;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.util.ArrayList;
import java.util.List;

/// What it costs to keep embeddings for a number of batches, as inclusion probabilities have it: of
/// the rows that batches read at the layers but the first, some are missed and some are old.
///
/// @param life how many batches old an embedding may be
/// @param delay how old it is when it arrives
/// @param pushed bytes that all ranks push per epoch
/// @param missed share of the rows that are remote and not there
/// @param kept share of the rows that are remote and there
public record LifeCost(int life, int delay, double pushed, double missed, double kept) {
  /// Numbers of a life in [#expected].
  private static final int NUMBERS = 3;

  /// {@return the lives to choose from: those in which a row stays after its arrival for 1, 2, 3,
  /// 4, 6, 8, 12, ... batches, up to an epoch}
  ///
  /// @param delay batches between a push and its arrival
  /// @param turns batches of each rank per epoch
  static int[] lives(int delay, int turns) {
    List<Integer> lives = new ArrayList<>();
    for (int k = 1; k <= Math.max(2, turns); k += Math.max(1, Integer.highestOneBit(k) / 2)) {
      lives.add((int) Math.min(Integer.MAX_VALUE, delay - 1L + k));
    }
    return lives.stream().mapToInt(Integer::intValue).toArray();
  }

  /// {@return what a rank expects: rows that a batch of its reads, and for each life the bytes that
  /// are pushed to it, and its missed and kept reads, per batch} To be added up over ranks for
  /// [#of]. Bytes are an upper bound, as inclusion probabilities are.
  ///
  /// A copy is there if its owner has computed it in one of the batches whose rows have come and
  /// live, and is sent again when it would have died.
  ///
  /// @param reads of this rank's batches
  /// @param halos remote vertices that they may read, ascending
  /// @param computed `halos x layers`: how probable it is that a batch of its owner computes each
  /// @param widths of the inputs of the layers but the first
  /// @param settings of the caches
  /// @param wire what rows are on the way
  public static double[] expected(
      HaloReads reads,
      int[] halos,
      DenseMatrix computed,
      List<Integer> widths,
      HistoricalSettings settings,
      RowFormat wire) {
    int[] lives = lives(settings.delay(), reads.turns());
    double[] sums = new double[1 + NUMBERS * lives.length];
    for (int e = 0; e < widths.size(); e++) {
      double[] perBatch = reads.perBatch(e + 1);
      for (double each : perBatch) {
        sums[0] += each;
      }
      long bytes = Integer.BYTES + wire.bytes(1, widths.get(e));
      for (int i = 0; i < lives.length; i++) {
        double least = HistoricalEmbeddings.leastReads(lives[i]);
        int[] kept = reads.worthKeeping(halos, perBatch, least, settings.lines());
        int next = 0;
        int alive = lives[i] - settings.delay() + 1;
        int at = 1 + NUMBERS * i;
        for (int h = 0; h < halos.length; h++) {
          double read = perBatch[halos[h]];
          double made = computed.get(h, e);
          boolean asked = next < kept.length && kept[next] == halos[h];
          next += asked ? 1 : 0;
          double there = asked ? 1 - Math.pow(1 - made, alive) : 0;
          sums[at] += asked ? bytes * Math.min(made, 1.0 / alive) : 0;
          sums[at + 1] += read * (1 - there);
          sums[at + 2] += read * there;
        }
      }
    }
    return sums;
  }

  /// {@return the cost of each life}
  ///
  /// @param sums what all ranks expect
  /// @param delay batches between a push and its arrival
  /// @param turns batches of each rank per epoch
  public static List<LifeCost> of(double[] sums, int delay, int turns) {
    int[] lives = lives(delay, turns);
    double reads = Math.max(sums[0], Double.MIN_NORMAL);
    List<LifeCost> costs = new ArrayList<>();
    for (int i = 0; i < lives.length; i++) {
      int at = 1 + NUMBERS * i;
      costs.add(
          new LifeCost(
              lives[i], delay, turns * sums[at], sums[at + 1] / reads, sums[at + 2] / reads));
    }
    return costs;
  }

  /// {@return how far batches are off, as a share of their rows: a row that is missed counts as
  /// one, an old one as what it has moved of what rows differ by} Moving is not squared: rows move
  /// all together, so that sums over neighbours do not average it out.
  ///
  /// @param drift how fast embeddings move
  public double error(EmbeddingDrift drift) {
    // Rows are of all ages from the delay to the life.
    double age = ((double) life + delay) / 2;
    return missed + kept * Math.min(1, drift.perBatch() * age);
  }
}
