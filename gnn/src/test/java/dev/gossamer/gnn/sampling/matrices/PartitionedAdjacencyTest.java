package dev.gossamer.gnn.sampling.matrices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.Samples;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import dev.gossamer.gnn.sampling.SmallGraph;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class PartitionedAdjacencyTest {
  private static final int N = 120;
  private static final int BATCHES = 7;

  private final int[] training = IntStream.range(0, N).filter(v -> v % 2 == 1).toArray();

  private List<SampledBatch> sample(Sampler sampler, AdjacencyRows a, int from, int to) {
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk = new BulkSampler(sampler, a, training, 5, workers);
      EpochBatches batches = new EpochBatches(training, 9, 5, 1);
      assertThat(batches.count()).isEqualTo(BATCHES);
      return bulk.sample(Arena.ofAuto(), 1, from, batches.batches(from, to));
    }
  }

  /// Blocks of `n / 2`, `0`, and the rest evenly.
  private static RowDistribution uneven(int blocks) {
    int[] counts = new int[blocks];
    counts[0] = blocks == 1 ? N : N / 2;
    for (int i = blocks == 2 ? 1 : 2, left = N - counts[0]; i < blocks; i++) {
      counts[i] = i == blocks - 1 ? left : left / (blocks - i);
      left -= counts[i];
    }
    return RowDistribution.ofCounts(counts);
  }

  public static CsrMatrix block(CsrMatrix a, RowDistribution distribution, int i) {
    int begin = distribution.begin(i);
    int count = distribution.count(i);
    long from = a.rowPointer(begin);
    long nnz = a.rowPointer(begin + count) - from;
    long[] pointers = new long[count + 1];
    Arrays.setAll(pointers, r -> a.rowPointer(begin + r) - from);
    MemorySegment values = a.values();
    MemorySegment scales = a.rowScale();
    return CsrMatrix.wrap(
            count,
            a.cols(),
            Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, pointers),
            a.columns().asSlice(4 * from, 4 * nnz),
            values == null ? null : values.asSlice(4 * from, 4 * nnz))
        .withScales(
            scales == null ? null : scales.asSlice(4L * begin, 4L * count), a.columnScale());
  }

  /// Whether each has a block of the graph or all of it; what must be counted before is shared out.
  @ParameterizedTest
  @CsvSource({
    "1, 1, true, false", "2, 1, false, false", "3, 1, true, false", "4, 2, true, false",
    "4, 1, false, false", "8, 2, true, false", "3, 1, true, true", "8, 2, false, true"
  })
  void ranksDrawWhatOneRankDraws(int ranks, int replication, boolean weighted, boolean replicated) {
    CsrMatrix directed = SmallGraph.random(N, 700, 8, true, weighted);
    assertDrawnAsByOneRank(directed, SmallGraph.samplers(), ranks, replication, replicated);
    CsrMatrix undirected = SmallGraph.random(N, 700, 8, false, weighted);
    List<Sampler> walks = List.of(Sampler.saintWalk(2, 10, 2), Sampler.saintWalk(2, 10, 1));
    assertDrawnAsByOneRank(undirected, walks, ranks, replication, replicated);
  }

  private void assertDrawnAsByOneRank(
      CsrMatrix a, List<Sampler> samplers, int ranks, int replication, boolean replicated) {
    RowDistribution distribution = uneven(ranks / replication);
    boolean undirected = AdjacencyRows.whole(a).isUndirected();
    for (Sampler sampler : samplers) {
      List<SampledBatch> expected = sample(sampler, AdjacencyRows.whole(a), 0, BATCHES);
      List<List<SampledBatch>> drawn = new ArrayList<>();
      IntStream.range(0, ranks).forEach(rank -> drawn.add(List.of()));
      ThreadRanks.run(
          ranks,
          world -> {
            try (ProcessGrid grid = new ProcessGrid(world, replication)) {
              AdjacencyRows rows =
                  replicated
                      ? AdjacencyRows.replicated(world, a)
                      : AdjacencyRows.partitioned(
                          grid, distribution, block(a, distribution, grid.row()));
              assertThat(rows.isUndirected()).isEqualTo(undirected);
              int rank = world.rank();
              int from = BATCHES * rank / ranks;
              int to = BATCHES * (rank + 1) / ranks;
              drawn.set(rank, sample(sampler, rows, from, to));
            }
          });
      List<SampledBatch> all = drawn.stream().flatMap(List::stream).toList();
      assertThat(all).hasSize(BATCHES);
      for (int b = 0; b < BATCHES; b++) {
        Samples.requireEqual(all.get(b), expected.get(b));
      }
    }
  }

  /// Rank 0 owns vertices 0 to 2 of the paper's example and asks for the rows of 1, 4 and 5: two
  /// numbers go to rank 1, two lengths and the five columns of `4: {1, 3, 5}` and `5: {3, 4}` come,
  /// and each says in 8 bytes how many rows it wants.
  @Test
  void onlyTheRowsThatAreAskedForMove() {
    CsrMatrix a = SmallGraph.ofThePaper();
    RowDistribution distribution = RowDistribution.even(6, 2);
    ThreadRanks.run(
        2,
        world -> {
          try (ProcessGrid grid = new ProcessGrid(world, 1);
              Arena arena = Arena.ofShared()) {
            AdjacencyRows rows =
                AdjacencyRows.partitioned(grid, distribution, block(a, distribution, grid.row()));
            assertThat(rows.rowLengths()).containsExactly(1, 3, 2, 3, 3, 2);
            Traffic.Snapshot before = world.traffic().snapshot();
            int[] wanted = world.rank() == 0 ? new int[] {5, 1, 4, 5} : new int[0];
            SelectedRows selected = rows.select(arena, wanted);
            Traffic.Snapshot moved = world.traffic().snapshot().minus(before);
            int rank = world.rank();
            assertThat(moved.bytes(Operation.ALL_TO_ALL, 1 - rank))
                .isEqualTo(rank == 0 ? 8 + 2 * 4 : 8 + 2 * 4 + 5 * 4);
            if (world.rank() == 0) {
              assertThat(selected.matrix().rows()).isEqualTo(3);
              assertThat(selected.has(0, 3)).isTrue();
              assertThat(selected.has(0, 1)).isFalse();
              assertThat(selected.has(1, 0)).isTrue();
              assertThat(selected.has(2, 1)).isTrue();
              assertThat(selected.end(3) - selected.begin(3)).isEqualTo(2);
            }
          }
        });
  }

  /// Vertex 39 is linked to all others and owned by rank 1. Of its row only what is drawn comes to
  /// rank 0; a row that is no longer than what all who ask draw of it comes once and whole.
  @Test
  void ownersDrawFromLongRows() {
    int n = 40;
    int[][] edges = new int[n - 1][];
    Arrays.setAll(edges, v -> new int[] {v, n - 1});
    CsrMatrix a = SmallGraph.undirected(n, edges, Normalisation.ROW_MEAN, false);
    RowDistribution distribution = RowDistribution.even(n, 2);
    List<int[]> hub = List.of(new int[] {n - 1}, new int[] {n - 1});
    for (int s : new int[] {3, 20}) {
      List<SampledBatch> expected = draw(s, AdjacencyRows.whole(a), hub);
      ThreadRanks.run(
          2,
          world -> {
            try (ProcessGrid grid = new ProcessGrid(world, 1)) {
              AdjacencyRows rows =
                  AdjacencyRows.partitioned(grid, distribution, block(a, distribution, grid.row()));
              List<SampledBatch> drawn = draw(s, rows, world.rank() == 0 ? hub : List.of());
              for (int b = 0; b < drawn.size(); b++) {
                assertThat(drawn.get(b).inputs()).isEqualTo(expected.get(b).inputs());
              }
              long ofRow = s == 3 ? 2 * 3 * 4 : 4 + (n - 1) * 4;
              assertThat(rows.bytesFetched()).isEqualTo(world.rank() == 0 ? ofRow : 0);
            }
          });
    }
  }

  private List<SampledBatch> draw(int s, AdjacencyRows a, List<int[]> batches) {
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk = new BulkSampler(Sampler.sage(s), a, training, 5, workers);
      List<SampledBatch> drawn = bulk.sample(Arena.ofAuto(), 1, 0, batches);
      SamplingSeconds seconds = bulk.seconds();
      assertThat(seconds.sampling() + seconds.extraction() + seconds.communication()).isPositive();
      return drawn;
    }
  }

  @Test
  void aBlockThatDoesNotFitIsNamed() {
    CsrMatrix a = SmallGraph.undirected(6, new int[][] {{0, 1}}, Normalisation.NONE, false);
    ThreadRanks.run(
        1,
        world -> {
          try (ProcessGrid grid = new ProcessGrid(world, 1)) {
            assertThatThrownBy(() -> AdjacencyRows.partitioned(grid, RowDistribution.even(5, 1), a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                    "sampling: the block is 6 x 6 with 2 entries; expected 5 columns and canonical"
                        + " rows");
          }
        });
  }
}
