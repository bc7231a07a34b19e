package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// No block is larger than its sampler says before it is drawn.
class SamplingBoundsTest {
  private static final int N = 150;
  private static final int BATCH = 9;

  private static List<Sampler> samplers() {
    List<Sampler> samplers = new ArrayList<>(SmallGraph.samplers());
    for (int parts : new int[] {1, 3}) {
      SmallGraph.samplers().stream()
          .filter(Sampler::drawsSubgraphs)
          .forEach(whole -> samplers.add(whole.ofSharedStep(BATCH, parts)));
    }
    return samplers;
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void noBlockIsLargerThanItsBound(Sampler sampler) {
    CsrMatrix a = SmallGraph.random(N, 900, 4, true, true);
    AdjacencyRows rows = AdjacencyRows.whole(a);
    List<BlockBound> bounds = sampler.blocks(new Degrees(rows.rowLengths(), false), BATCH);
    int[] training = IntStream.range(0, N).toArray();
    EpochBatches epoch = new EpochBatches(training, BATCH, 6, 0);
    try (Workers workers = new Workers(1);
        Arena arena = Arena.ofShared()) {
      List<SampledBatch> drawn =
          new BulkSampler(sampler, rows, training, 6, workers)
              .sample(arena, 0, 0, epoch.batches(0, epoch.count()));
      for (SampledBatch batch : drawn) {
        assertThat(batch.blocks()).hasSameSizeAs(bounds);
        for (int l = 0; l < bounds.size(); l++) {
          SampledBlock block = batch.blocks().get(l);
          assertThat((long) block.destinations()).isLessThanOrEqualTo(bounds.get(l).targets());
          assertThat((long) block.sources().length).isLessThanOrEqualTo(bounds.get(l).sources());
          assertThat(block.matrix().nnz()).isLessThanOrEqualTo(bounds.get(l).entries());
        }
      }
    }
  }

  /// 10 targets with 3 neighbours each, and all of those; degrees are `0..9`, ten vertices of each.
  @Test
  void boundsAreThoseOfSizesAndDegrees() {
    Degrees degrees = new Degrees(IntStream.range(0, 100).map(v -> v % 10).toArray(), false);
    assertThat(Sampler.sage(3, 20).blocks(degrees, 10))
        .containsExactly(new BlockBound(40, 100, 10 * (9 + 8 + 7 + 6)), new BlockBound(10, 40, 30));
    assertThat(Sampler.ladies(5, 90).blocks(degrees, 10))
        .containsExactly(new BlockBound(15, 100, 90 + 40), new BlockBound(10, 15, 50));
    assertThat(Sampler.saintEdge(2, 4).blocks(degrees, 10))
        .containsExactly(new BlockBound(8, 8, 64), new BlockBound(8, 8, 64));
    // A quarter of the eight vertices, their neighbours, and the neighbours of these.
    assertThat(BlockBound.ofPart(degrees, 2, 8, 4))
        .containsExactly(new BlockBound(8, 8, 64), new BlockBound(2, 8, 16));
    assertThat(BlockBound.ofPart(degrees, 3, 80, 80))
        .containsExactly(
            new BlockBound(80, 80, 440), new BlockBound(10, 80, 90), new BlockBound(1, 10, 9));
  }

  @Test
  void degreesAreSummedFromTheLargestOn() {
    int[] ofRows = new Random(2).ints(37, 0, 12).toArray();
    int[] descending = Arrays.stream(ofRows).map(d -> -d).sorted().map(d -> -d).toArray();
    Degrees degrees = new Degrees(ofRows, false);
    for (int rows = 0; rows <= 40; rows++) {
      assertThat(degrees.sumOfLargest(rows)).isEqualTo(Arrays.stream(descending).limit(rows).sum());
    }
    assertThat(degrees.sum()).isEqualTo(Arrays.stream(ofRows).sum());
    assertThat(degrees.largest()).isEqualTo(descending[0]);
    assertThat(new Degrees(new int[0], false).largest()).isZero();
  }

  /// What a walk sampler counts or computes before the run is part of what it keeps.
  @ParameterizedTest
  @CsvSource({"2, false, 12, 4", "3, true, 12, 4", "2, true, 16, 0", "1, true, 16, 0"})
  void probabilitiesOfWalksAreKept(int length, boolean undirected, int ofVertex, int ofEntry) {
    int[] ofRows = IntStream.range(0, 100).map(v -> v % 10).toArray();
    Degrees degrees = new Degrees(ofRows, undirected);
    Sampler walk = Sampler.saintWalk(1, 10, length);
    long kept = walk.memory(degrees, walk.blocks(degrees, 10)).kept();
    assertThat(kept).isEqualTo(100L * ofVertex + 450L * ofEntry);
    Sampler node = Sampler.saintNode(1, 10);
    assertThat(node.memory(degrees, node.blocks(degrees, 10)).kept()).isEqualTo(2 * 100 * 16);
  }
}
