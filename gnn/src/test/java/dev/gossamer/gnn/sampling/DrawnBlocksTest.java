package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DrawnBlocksTest {
  private static final int N = 1000;
  private static final int BATCH = 120;
  private static final int[] TRAINING = IntStream.range(0, N).filter(v -> v % 3 > 0).toArray();

  private static BatchItems items(int... training) {
    return new BatchItems.OfVertices(training, 5);
  }

  private static List<Sampler> samplers() {
    return SmallGraph.samplers();
  }

  /// Of other epochs than are looked at, with the self loops that are left out there.
  @ParameterizedTest
  @MethodSource("samplers")
  void noBatchIsLargerThanWhatFollowsFromSomeThatAreDrawn(Sampler sampler) {
    try (GraphData data = SmallGraphs.of(N, 9, false, true, 1);
        Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      boolean loops = !sampler.takesMeans();
      Propagation propagation =
          new Propagation(data.adjacency(), false, Normalisation.ROW_MEAN, loops);
      AdjacencyRows rows = AdjacencyRows.whole(propagation.all(arena).forward());
      Degrees degrees = new Degrees(rows.rowLengths(), true);
      DrawnBlocks drawn =
          new DrawnBlocks(propagation, degrees, data.features(), items(TRAINING), 5);
      DrawnBlocks.Sizes sizes = drawn.of(sampler, BATCH);
      assertThat(drawn.of(sampler, BATCH)).isSameAs(sizes);
      assertThat(
              new DrawnBlocks(propagation, degrees, data.features(), items(TRAINING), 5)
                  .of(sampler, BATCH))
          .isEqualTo(sizes);
      CsrMatrix x = ((Features.Sparse) data.features()).x();
      BulkSampler draws = new BulkSampler(sampler, rows, TRAINING, 5, workers);
      for (int epoch = 10; epoch < 60; epoch++) {
        List<int[]> batch = List.of(new EpochBatches(TRAINING, BATCH, 5, epoch).batch(1));
        SampledBatch each = draws.sample(arena, epoch, 1, batch).getFirst();
        for (int l = 0; l < sizes.blocks().size(); l++) {
          SampledBlock block = each.blocks().get(l);
          BlockBound bound = sizes.blocks().get(l);
          assertThat((long) block.destinations()).isLessThanOrEqualTo(bound.targets());
          assertThat((long) block.sources().length).isLessThanOrEqualTo(bound.sources());
          assertThat(block.matrix().nnz()).isLessThanOrEqualTo(bound.entries());
        }
        assertThat(IntStream.of(each.inputs()).mapToLong(x::rowLength).sum())
            .isLessThanOrEqualTo(sizes.inputEntries());
      }
      List<BlockBound> most = sampler.blocks(degrees, BATCH);
      for (int l = 0; l < most.size(); l++) {
        assertThat(sizes.blocks().get(l).sources()).isLessThanOrEqualTo(most.get(l).sources());
        assertThat(sizes.blocks().get(l).entries()).isLessThanOrEqualTo(most.get(l).entries());
      }
    }
  }

  /// Where neighbourhoods meet, the bounds by degrees are far above.
  @ParameterizedTest
  @MethodSource("dense")
  void batchesThatComeUponTheSameVerticesAreSmall(Sampler sampler) {
    CsrMatrix a = SmallGraph.random(N, 40_000, 4, false, false);
    Propagation propagation =
        new Propagation(a.withScales(null, null), false, Normalisation.ROW_MEAN, false);
    Degrees degrees = new Degrees(propagation.rowLengths(), true);
    DrawnBlocks drawn =
        new DrawnBlocks(propagation, degrees, new Features.None(), items(TRAINING), 5);
    BlockBound first = drawn.of(sampler, 40).blocks().getFirst();
    BlockBound most = sampler.blocks(degrees, 40).getFirst();
    assertThat(first.sources() + first.entries())
        .isLessThan((most.sources() + most.entries()) * 9 / 10);
  }

  private static List<Sampler> dense() {
    return List.of(Sampler.sage(4, 4), Sampler.saintNode(2, 40), Sampler.ladies(40, 40));
  }

  @Test
  void withoutTrainingVerticesDegreesAreAllThatIsKnown() {
    CsrMatrix a = SmallGraph.random(N, 900, 4, false, false);
    Propagation propagation =
        new Propagation(a.withScales(null, null), false, Normalisation.ROW_MEAN, false);
    Degrees degrees = new Degrees(propagation.rowLengths(), true);
    Sampler sampler = Sampler.sage(4, 4);
    DrawnBlocks drawn = new DrawnBlocks(propagation, degrees, new Features.None(), items(), 5);
    assertThat(drawn.of(sampler, 40).blocks()).isEqualTo(sampler.blocks(degrees, 40));
  }
}
