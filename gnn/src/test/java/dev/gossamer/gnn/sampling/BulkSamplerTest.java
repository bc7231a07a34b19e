package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.PartitionedAdjacencyTest;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BulkSamplerTest {
  private static final int N = 200;

  private final CsrMatrix a = SmallGraph.random(N, 1500, 3, true, true);
  private final int[] training = IntStream.range(0, N).filter(v -> v % 2 == 0).toArray();

  private static List<Sampler> samplers() {
    return SmallGraph.samplers();
  }

  private List<SampledBatch> sample(Sampler sampler, int threads, int k) {
    try (Workers workers = new Workers(threads)) {
      BulkSampler bulk = new BulkSampler(sampler, AdjacencyRows.whole(a), training, 9, workers);
      EpochBatches batches = new EpochBatches(training, 16, 9, 4);
      List<SampledBatch> all = new ArrayList<>();
      for (int from = 0; from < batches.count(); from += k) {
        int to = Math.min(batches.count(), from + k);
        all.addAll(bulk.sample(Arena.ofAuto(), 4, from, batches.batches(from, to)));
      }
      return all;
    }
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void neitherThreadsNorTheBulkChangeASample(Sampler sampler) {
    List<SampledBatch> one = sample(sampler, 1, 1);
    assertThat(one).hasSize(7);
    for (List<SampledBatch> other :
        List.of(sample(sampler, 3, 1), sample(sampler, 1, 3), sample(sampler, 3, 7))) {
      assertThat(other).hasSameSizeAs(one);
      for (int b = 0; b < one.size(); b++) {
        Samples.requireEqual(other.get(b), one.get(b));
      }
    }
    assertThat(one.get(0).inputs()).isNotEqualTo(one.get(1).inputs());
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void blocksFitTogetherAndIntoTheGraph(Sampler sampler) {
    EpochBatches batches = new EpochBatches(training, 16, 9, 4);
    float[][] dense = a.toDense();
    for (SampledBatch batch : sample(sampler, 2, 3)) {
      int[] destinations = batch.seeds();
      if (!sampler.drawsSubgraphs()) {
        assertThat(destinations).isEqualTo(batches.batch(batch.number()));
      }
      assertThat(batch.blocks()).hasSize(2);
      for (SampledBlock block : batch.blocks().reversed()) {
        assertThat(block.destinations()).isEqualTo(destinations.length);
        assertThat(block.sources()).doesNotHaveDuplicates().startsWith(destinations);
        assertThat(block.matrix().cols()).isEqualTo(block.sources().length);
        assertThat(block.matrix().validate()).isNull();
        for (int i = 0; i < destinations.length; i++) {
          int[] columns = block.matrix().rowColumns(i);
          int[] vertices = Arrays.stream(columns).map(c -> block.sources()[c]).toArray();
          assertThat(vertices).isSorted().doesNotHaveDuplicates();
          for (int u : vertices) {
            assertThat(dense[destinations[i]][u]).isPositive();
          }
        }
        destinations = block.sources();
      }
    }
  }

  /// Of a part of the graph that has no edges, samplers that draw by edges draw nothing; a graph
  /// without edges is refused.
  @ParameterizedTest
  @MethodSource("samplers")
  void aPartOfTheGraphMayHaveNoEdges(Sampler sampler) {
    CsrMatrix graph =
        SmallGraph.undirected(5, new int[][] {{0, 1}, {1, 2}}, Normalisation.NONE, false);
    CsrMatrix rows = PartitionedAdjacencyTest.block(graph, RowDistribution.ofCounts(3, 2), 1);
    AdjacencyRows part = AdjacencyRows.own(3, rows);
    try (Workers workers = new Workers(1)) {
      int[] seeds = {3, 4};
      SampledBatch batch =
          new BulkSampler(sampler, part, seeds, 1, workers)
              .sample(Arena.ofAuto(), 0, 0, List.of(seeds))
              .getFirst();
      assertThat(Arrays.stream(batch.seeds()).boxed().toList()).isSubsetOf(3, 4);
      assertThat(batch.blocks().getFirst().matrix().nnz()).isZero();
      assertThat(Arrays.stream(sampler.inputProbabilities(part, seeds, 2)).boxed().toList())
          .allSatisfy(p -> assertThat(p).isBetween(0.0, 1.0));
    }
  }

  /// More batches than go through a layer together.
  @ParameterizedTest
  @MethodSource("samplers")
  void aBulkOfSeveralGroupsIsTheSameBatches(Sampler sampler) {
    EpochBatches batches = new EpochBatches(training, 3, 9, 4);
    assertThat(batches.count()).isGreaterThan(2 * LayerSampling.groupSize(1));
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk = new BulkSampler(sampler, AdjacencyRows.whole(a), training, 9, workers);
      List<SampledBatch> all =
          bulk.sample(Arena.ofAuto(), 4, 0, batches.batches(0, batches.count()));
      for (int b = 0; b < batches.count(); b++) {
        List<int[]> one = batches.batches(b, b + 1);
        Samples.requireEqual(all.get(b), bulk.sample(Arena.ofAuto(), 4, b, one).getFirst());
      }
    }
  }

  @Test
  void sageTakesAsManyNeighboursAsThereAre() {
    for (SampledBatch batch : sample(Sampler.sage(5, 3), 2, 3)) {
      for (int l = 0; l < 2; l++) {
        SampledBlock block = batch.blocks().get(l);
        MemorySegment scales = Objects.requireNonNull(block.matrix().rowScale());
        for (int i = 0; i < block.destinations(); i++) {
          long degree = a.rowLength(block.sources()[i]);
          long taken = Math.min(degree, l == 0 ? 3 : 5);
          assertThat(block.matrix().rowLength(i)).isEqualTo(taken);
          assertThat(scales.getAtIndex(ValueLayout.JAVA_FLOAT, i))
              .isEqualTo(taken == 0 ? 0f : 1f / taken);
        }
      }
    }
  }

  @Test
  void ladiesTakesEveryEntryInItsOwnColumnsAndThoseThatItDrew() {
    for (SampledBatch batch : sample(Sampler.ladies(20, 30), 1, 7)) {
      SampledBlock block = batch.blocks().getLast();
      TreeSet<Integer> columns = new TreeSet<>();
      Arrays.stream(block.sources()).forEach(columns::add);
      assertThat(columns).hasSize(block.destinations() + 20);
      for (int i = 0; i < block.destinations(); i++) {
        int[] expected =
            Arrays.stream(a.rowColumns(batch.seeds()[i])).filter(columns::contains).toArray();
        int[] found =
            Arrays.stream(block.matrix().rowColumns(i)).map(c -> block.sources()[c]).toArray();
        assertThat(found).isEqualTo(expected);
      }
    }
  }

  @Test
  void aSizeThatCoversTheNeighbourhoodGivesTheWholeRows() {
    for (Sampler sampler : List.of(Sampler.ladies(N, N), Sampler.fastGcn(N, N))) {
      float[][] dense = a.toDense();
      for (SampledBatch batch : sample(sampler, 1, 2)) {
        SampledBlock block = batch.blocks().getLast();
        float[][] found = block.matrix().toDense();
        for (int i = 0; i < block.destinations(); i++) {
          float[] row = new float[N];
          for (int j = 0; j < block.sources().length; j++) {
            row[block.sources()[j]] = found[i][j];
          }
          assertThat(row).containsExactly(dense[batch.seeds()[i]]);
        }
      }
    }
  }

  @Test
  void sageDrawsNeighboursUniformly() {
    int v = IntStream.range(0, N).filter(u -> a.rowLength(u) == 8).findFirst().orElseThrow();
    Map<Integer, Double> expected = new HashMap<>();
    Arrays.stream(a.rowColumns(v)).forEach(u -> expected.put(u, 1.0 / 8));
    Map<Integer, Integer> counts = new HashMap<>();
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk =
          new BulkSampler(Sampler.sage(1), AdjacencyRows.whole(a), training, 2, workers);
      for (SampledBatch batch :
          bulk.sample(Arena.ofAuto(), 0, 5, Collections.nCopies(8000, new int[] {v}))) {
        SampledBlock block = batch.blocks().getFirst();
        counts.merge(block.sources()[block.matrix().column(0)], 1, Integer::sum);
      }
    }
    ChiSquare.requireDrawnFrom(expected, counts);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDirectedGraphIsSampledByItsRows(boolean weighted) {
    CsrMatrix directed = SmallGraph.random(N, 900, 5, true, weighted);
    float[][] dense = directed.toDense();
    try (Workers workers = new Workers(2)) {
      for (Sampler sampler : samplers()) {
        BulkSampler bulk =
            new BulkSampler(sampler, AdjacencyRows.whole(directed), training, 1, workers);
        SampledBlock block =
            bulk.sample(Arena.ofAuto(), 0, 0, List.of(new int[] {4, 0, 9}))
                .getFirst()
                .blocks()
                .getLast();
        assertThat(block.matrix().nnz()).isPositive();
        for (int i = 0; i < block.destinations(); i++) {
          for (int column : block.matrix().rowColumns(i)) {
            assertThat(dense[block.sources()[i]][block.sources()[column]]).isPositive();
          }
        }
      }
    }
  }

  /// What the matrices take, which is most of the estimate here, is below it; and the estimate is
  /// not out of proportion where degrees do not vary.
  @ParameterizedTest
  @MethodSource("samplers")
  void bytesAreEstimatedBeforehand(Sampler sampler) {
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk = new BulkSampler(sampler, AdjacencyRows.whole(a), training, 9, workers);
      long taken = 0;
      for (SampledBatch batch : sample(sampler, 1, 7)) {
        for (SampledBlock block : new DistinctBlocks(batch).blocks()) {
          CsrMatrix m = block.matrix();
          taken += CsrMatrix.bytes(m.rows(), m.nnz(), m.values() != null);
          taken += 4L * (m.rows() + (m.columnScale() == null ? 1L : 2L) * block.sources().length);
        }
      }
      assertThat(bulk.bytes(7, 16)).isGreaterThan(taken);
      assertThat(bulk.bytes(7, 16) - bulk.bytes(0, 16)).isLessThan(30 * taken);
    }
  }

  /// The blocks of a batch, each once.
  private record DistinctBlocks(SampledBatch batch) {
    List<SampledBlock> blocks() {
      return batch.blocks().stream().distinct().toList();
    }
  }

  @Test
  void aGraphWithoutEdges() {
    CsrMatrix none = CsrMatrix.of(Arena.ofAuto(), 5, new long[6], new int[0], null);
    int[] all = {0, 1, 2, 3, 4};
    try (Workers workers = new Workers(1)) {
      AdjacencyRows rows = AdjacencyRows.whole(none);
      for (Sampler sampler :
          List.of(Sampler.sage(3, 2), Sampler.ladies(3, 2), Sampler.saintWalk(2, 2, 2))) {
        SampledBatch batch =
            new BulkSampler(sampler, rows, all, 1, workers)
                .sample(Arena.ofAuto(), 0, 0, List.of(new int[] {3, 1}))
                .getFirst();
        assertThat(batch.inputs()).isEqualTo(batch.seeds()).isNotEmpty();
        assertThat(batch.blocks().getFirst().matrix().nnz()).isZero();
      }
      for (Sampler sampler : List.of(Sampler.fastGcn(3), Sampler.saintEdge(1, 3))) {
        assertThatThrownBy(() -> new BulkSampler(sampler, rows, all, 1, workers))
            .isInstanceOf(InvalidInputException.class)
            .hasMessageEndingWith(
                "needs a graph with edges, found 5 vertices and no edge; use sage");
      }
      assertThat(
              new BulkSampler(Sampler.sage(3), rows, all, 1, workers)
                  .sample(Arena.ofAuto(), 0, 0, List.of()))
          .isEmpty();
    }
  }

  @Test
  void sizesAreAtLeastOne() {
    assertThatThrownBy(() -> Sampler.sage(15, 0))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("fanouts: expected at least 1, found 0");
    assertThatThrownBy(Sampler::ladies)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("layerSizes: expected a number for each layer, found none");
    assertThatThrownBy(() ->
            AdjacencyRows.whole(
                CsrMatrix.of(Arena.ofAuto(), 2, new long[] {0, 1}, new int[1], null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a square matrix with canonical rows");
  }
}
