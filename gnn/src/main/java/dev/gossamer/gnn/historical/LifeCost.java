package dev.gossamer.gnn.historical;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.Figures;
import dev.gossamer.run.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/// The expected cost of a maximum age of embeddings, from inclusion probabilities: of the rows that
/// batches read at all layers but the first, some are missed and some are old.
///
/// @param life maximum age of an embedding in batches
/// @param delay its age on arrival
/// @param pushed bytes that all ranks push per epoch
/// @param missed share of the rows that are remote and not cached
/// @param kept share of the rows that are remote and cached
public record LifeCost(int life, int delay, double pushed, double missed, double kept) {
  /// What a rank expects of a life: bytes that it pushes and reads of remote rows, per batch.
  private static final class Expected {
    private final int life;
    private double pushed;
    private double missed;
    private double kept;

    Expected(int life) {
      this.life = life;
    }

    /// {@return the cost over all ranks, once the figures are reduced}
    Supplier<LifeCost> cost(Figures all, Figures.Figure rows, int delay, int turns) {
      Figures.Figure allPushed = all.sum(pushed);
      Figures.Figure allMissed = all.sum(missed);
      Figures.Figure allKept = all.sum(kept);
      return () -> {
        double read = Math.max(rows.value(), Double.MIN_NORMAL);
        return new LifeCost(
            life,
            delay,
            turns * allPushed.value(),
            allMissed.value() / read,
            allKept.value() / read);
      };
    }
  }

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

  /// Returns the cost of each life, over the batches of all ranks. Collective.
  ///
  /// A copy is cached if its owner has computed it in one of the batches whose rows have arrived
  /// and not expired; it is sent again when it would have expired. Bytes are an upper bound, as
  /// inclusion probabilities are.
  ///
  /// @param reads of this rank's batches
  /// @param halos remote vertices that they may read, ascending
  /// @param computed `halos x layers`: probability that a batch of its owner computes each
  /// @param widths of the inputs of the layers but the first
  /// @param settings of the caches
  /// @param wire message format of rows
  /// @param team all ranks
  /// @return the costs, by ascending life
  public static List<LifeCost> of(
      HaloReads reads,
      int[] halos,
      DenseMatrix computed,
      List<Integer> widths,
      HistoricalSettings settings,
      RowFormat wire,
      Team team) {
    int delay = settings.delay();
    int turns = reads.turns();
    List<Expected> lives = IntStream.of(lives(delay, turns)).mapToObj(Expected::new).toList();
    double rows = 0;
    for (int e = 0; e < widths.size(); e++) {
      double[] perBatch = reads.perBatch(e + 1);
      for (double each : perBatch) {
        rows += each;
      }
      long bytes = Integer.BYTES + wire.bytes(1, widths.get(e));
      for (Expected of : lives) {
        double least = HistoricalEmbeddings.leastReads(of.life);
        int[] kept = reads.worthKeeping(halos, perBatch, least, settings.lines());
        int next = 0;
        int alive = of.life - delay + 1;
        for (int h = 0; h < halos.length; h++) {
          double read = perBatch[halos[h]];
          double made = computed.get(h, e);
          boolean asked = next < kept.length && kept[next] == halos[h];
          next += asked ? 1 : 0;
          double there = asked ? 1 - Math.pow(1 - made, alive) : 0;
          of.pushed += asked ? bytes * Math.min(made, 1.0 / alive) : 0;
          of.missed += read * (1 - there);
          of.kept += read * there;
        }
      }
    }
    Figures all = new Figures();
    Figures.Figure allRows = all.sum(rows);
    List<Supplier<LifeCost>> costs =
        lives.stream().map(of -> of.cost(all, allRows, delay, turns)).toList();
    all.reduce(team);
    return costs.stream().map(Supplier::get).toList();
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
