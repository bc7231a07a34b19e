package dev.gossamer.gnn.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.MpiProgram;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowFormat;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionedFeaturesTest {
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 1", "4, 1", "4, 2", "8, 1", "8, 2"})
  void ranksFetchWhatOneRankHas(int ranks, int replication) {
    for (RankFetches.Case what : RankFetches.cases(replication)) {
      ThreadRanks.run(ranks, world -> RankFetches.requireEqual(world, what));
    }
  }

  @Tag("endurance")
  @ParameterizedTest
  @CsvSource({MpiProgram.OPEN_MPI + ", 4, 4", MpiProgram.MPICH + ", 2, 2"})
  void ranksUnderMpiFetchWhatOneRankHas(String launcher, int ranks, int cases, @TempDir Path folder)
      throws Exception {
    MpiProgram.Outcome outcome = MpiProgram.run(folder, launcher, ranks, MpiFetches.class);
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("equal fetches: " + cases);
  }

  /// Rank 0 of 2 owns rows 0 to 4 of 10 and fetches 9, 2, 7, 8 and 6 again and again.
  ///
  /// @return what it sends and what comes in one fetch
  private static Traffic.Snapshot[] moved(Features x, long cacheBytes, FetchCounts[] counts) {
    return moved(x, RowFormat.FLOAT32, cacheBytes, counts);
  }

  private static Traffic.Snapshot[] moved(
      Features x, RowFormat wire, long cacheBytes, FetchCounts[] counts) {
    RowDistribution d = RowDistribution.even(10, 2);
    Traffic.Snapshot[] moved = new Traffic.Snapshot[2];
    double[] accesses = {9, 9, 9, 9, 9, 1, 4, 8, 2, 0};
    ThreadRanks.run(
        2,
        world -> {
          int rank = world.rank();
          Features own = Rows.block(x, d.begin(rank), d.end(rank));
          try (ProcessGrid grid = new ProcessGrid(world, 1);
              Workers workers = new Workers(1);
              FetchedRows rows = new FetchedRows();
              FeatureSource source =
                  FeatureSource.partitioned(grid, d, own, wire, accesses, cacheBytes, workers)) {
            assertThat(source.counts()).isEqualTo(FetchCounts.NONE);
            Traffic.Snapshot before = world.traffic().snapshot();
            int[] wanted = rank == 0 ? new int[] {9, 2, 7, 8, 6} : new int[0];
            source.fetch(wanted, rows, workers);
            moved[rank] = world.traffic().snapshot().minus(before);
            Rows.requireRows(
                Rows.travelled(x, wire, d.begin(rank), d.end(rank)), wanted, rows.features());
            counts[rank] = source.counts();
          }
        });
    return moved;
  }

  /// A row of 3 features and its number are 16 bytes: 40 have room for two, which are 7 and 6. On
  /// the wire are, to each other rank, 8 bytes for how many rows are wanted, and for each of them 4
  /// for its number and 12 for itself.
  @Test
  void whatTheCacheHasDoesNotTravel() {
    Features x = Rows.dense(10, 3);
    FetchCounts[] counts = new FetchCounts[2];
    Traffic.Snapshot[] without = moved(x, 0, counts);
    assertThat(counts[0].fetched()).isEqualTo(4);
    assertThat(counts[0].hitRate()).isZero();
    assertThat(without[0].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 4 * 4);
    assertThat(without[1].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 4 * 12);
    Traffic.Snapshot[] with = moved(x, 40, counts);
    assertThat(with[0].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 2 * 4);
    assertThat(with[1].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 2 * 12);
    assertThat(with[0].totalBytes()).isEqualTo(8 + 2 * 4);
    assertThat(counts[0].own()).isEqualTo(1);
    assertThat(counts[0].cached()).isEqualTo(2);
    assertThat(counts[0].fetched()).isEqualTo(2);
    assertThat(counts[0].bytes()).isEqualTo(2 * 12);
    assertThat(counts[0].hitRate()).isEqualTo(0.5);
    assertThat(counts[1].rows()).isZero();
    // Vertex 9 has no expected access, so that it comes however large the cache is.
    moved(x, 1 << 20, counts);
    assertThat(counts[0].cached()).isEqualTo(3);
  }

  /// A row of 3 features is 6 bytes in bfloat16, with its number 10: 40 have room for three of the
  /// four that others have and this rank will want, so that one is left to travel, and cached rows
  /// are the bits that travelled once.
  @Test
  void bfloat16RowsTakeHalfTheBytesOnTheWireAndInTheCache() {
    Features x = Rows.dense(10, 3);
    FetchCounts[] counts = new FetchCounts[2];
    Traffic.Snapshot[] without = moved(x, RowFormat.BF16, 0, counts);
    assertThat(counts[0].bytes()).isEqualTo(4 * 6);
    assertThat(without[0].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 4 * 4);
    assertThat(without[1].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 4 * 6);
    Traffic.Snapshot[] with = moved(x, RowFormat.BF16, 40, counts);
    assertThat(counts[0].cached()).isEqualTo(3);
    assertThat(counts[0].bytes()).isEqualTo(6);
    assertThat(with[1].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 6);
  }

  @Test
  void sparseRowsCountWhatTheyAre() {
    Features.Sparse x = Rows.sparse(10, 20, true);
    long entries = 0;
    for (int v = 6; v < 10; v++) {
      entries += x.x().rowLength(v);
    }
    FetchCounts[] counts = new FetchCounts[2];
    Traffic.Snapshot[] without = moved(x, 0, counts);
    assertThat(counts[0].bytes()).isEqualTo(4 * 4 + 8 * entries);
    assertThat(without[1].bytes(Operation.ALL_TO_ALL)).isEqualTo(8 + 4 * 4 + 8 * entries);
    moved(x, 12 + 8 * x.x().rowLength(7), counts);
    assertThat(counts[0].cached()).isEqualTo(1);
    assertThat(counts[0].bytes()).isEqualTo(3 * 4 + 8 * (entries - x.x().rowLength(7)));
    moved(x, RowFormat.BF16, 0, counts);
    assertThat(counts[0].bytes()).isEqualTo(4 * 4 + 8 * entries);
  }

  @Test
  void theSumAndTheDifferenceOfCountsAreInverse() {
    FetchCounts some = new FetchCounts(1, 2, 3, 4, 5);
    FetchCounts more = new FetchCounts(10, 20, 30, 40, 50);
    assertThat(some.plus(more)).isEqualTo(new FetchCounts(11, 22, 33, 44, 55));
    assertThat(some.plus(more).minus(more)).isEqualTo(some);
    assertThat(more.hitRate()).isEqualTo(0.4);
  }

  /// Rank 2 gives up while the others' threads wait for its rows, or for it to ask for some.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRankThatFailsEndsTheFetchesOfTheOthers(boolean ahead) {
    RankFetches.Case what = RankFetches.cases(1).getFirst();
    CountDownLatch begun = new CountDownLatch(2);
    AtomicInteger finished = new AtomicInteger();
    assertThatThrownBy(() ->
            ThreadRanks.run(
                3,
                world -> {
                  try (ProcessGrid grid = new ProcessGrid(world, 1);
                      Workers workers = new Workers(1);
                      FeatureSource source = RankFetches.source(grid, what, workers);
                      FeatureFetch fetch =
                          ahead
                              ? FeatureFetch.ahead(source)
                              : FeatureFetch.inTurn(source, workers)) {
                    if (world.rank() == 2) {
                      begun.await();
                      throw new IllegalStateException("no more rows");
                    }
                    fetch.begin(new int[] {0, 399});
                    begun.countDown();
                    fetch.finish();
                    finished.incrementAndGet();
                  }
                }))
        .isInstanceOf(RankFailedException.class)
        .hasRootCauseMessage("no more rows");
    assertThat(begun.getCount()).isZero();
    assertThat(finished).hasValue(0);
  }

  @Test
  void whatDoesNotFitIsNamed() {
    ThreadRanks.run(
        1,
        world -> {
          try (ProcessGrid grid = new ProcessGrid(world, 1)) {
            assertThatThrownBy(() ->
                    FeatureSource.partitioned(
                        grid, RowDistribution.even(5, 1), Rows.dense(6, 1), RowFormat.FLOAT32))
                .hasMessage(
                    "features: block 0 of 1 has 6 rows; expected 1 blocks, and 5 rows in this one");
            assertThatThrownBy(() ->
                    FeatureSource.partitioned(
                        grid, RowDistribution.even(5, 1), new Features.None(), RowFormat.FLOAT32))
                .hasMessage("features: expected features, found none");
          }
        });
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  try (ProcessGrid grid = new ProcessGrid(world, 1);
                      Workers workers = new Workers(1);
                      FetchedRows rows = new FetchedRows();
                      FeatureSource source =
                          FeatureSource.partitioned(
                              grid,
                              RowDistribution.even(8, 2),
                              Rows.dense(4, 1),
                              RowFormat.FLOAT32)) {
                    source.fetch(new int[] {world.rank() == 0 ? 8 : 1}, rows, workers);
                  }
                }))
        .hasStackTraceContaining("expected a row in 0..7, found 8");
  }
}
