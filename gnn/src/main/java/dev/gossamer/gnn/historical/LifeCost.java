package dev.gossamer.gnn.historical;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.util.ArrayList;
import java.util.List;

/// The expected cost of a maximum age of embeddings, from inclusion probabilities: of the rows that
/// batches read at all layers but the first, some are missed and some are old.
///
/// @param life maximum age of an embedding in batches
/// @param delay its age on arrival
/// @param pushed bytes that all ranks push per epoch
/// @param missed share of the rows that are remote and not cached
/// @param kept share of the rows that are remote and cached
public record LifeCost(int life, int delay, double pushed, double missed, double kept) {
  /// Numbers of a life in [#expected].
  private static final int NUMBERS = 3;

  /// {@return the lives to choose from: those that keep a row for 1, 2, 3, 4, 6, 8, 12, ... batches
  /// after its arrival, up to an epoch}
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

  /// {@return the expected values of a rank per batch: rows read, and for each life the bytes
  /// pushed to it, its missed and its kept reads} To be added up over ranks for [#of]. Bytes are an
  /// upper bound, as inclusion probabilities are.
  ///
  /// A copy is cached if its owner has computed it in one of the batches whose rows have arrived
  /// and not expired; it is sent again when it would have expired.
  ///
  /// @param reads of this rank's batches
  /// @param halos remote vertices that they may read, ascending
  /// @param computed `halos x layers`: probability that a batch of its owner computes each
  /// @param widths of the inputs of the layers but the first
  /// @param settings of the caches
  /// @param wire message format of rows
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
  /// @param sums expected values of all ranks
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

  /// {@return the error of batches as a share of their rows: a missed row counts as 1, an old row
  /// as its relative change} Changes are not squared: rows change together, so that sums over
  /// neighbours do not average them out.
  ///
  /// @param drift how fast embeddings change
  public double error(EmbeddingDrift drift) {
    // Rows are of all ages from the delay to the life.
    double age = ((double) life + delay) / 2;
    return missed + kept * Math.min(1, drift.perBatch() * age);
  }
}
