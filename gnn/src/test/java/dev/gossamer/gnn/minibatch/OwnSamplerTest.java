package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.Sampling;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.blocks.WholeNeighbourhoods;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A sampler is one file: this one lives outside of the package of samplers and trains as those do.
class OwnSamplerTest {
  private static final int N = 61;

  /// Takes every neighbour, with the weights of `Â`.
  private record EveryNeighbour(int layers) implements Sampler {
    @Override
    public String name() {
      return "every-neighbour";
    }

    @Override
    public List<Integer> sizes() {
      return List.of();
    }

    @Override
    public List<BlockBound> blocks(Degrees degrees, int batchSize) {
      return BlockBound.ofLayers(
          degrees,
          batchSize,
          Collections.nCopies(layers, Integer.MAX_VALUE),
          (rows, s) -> degrees.sumOfLargest(rows));
    }

    @Override
    public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
      long bytes = blocks.stream().mapToLong(BlockBound::weightedBytes).sum();
      long entries = blocks.stream().mapToLong(BlockBound::entries).max().orElse(0);
      return new SamplingMemory(
          WholeNeighbourhoods.bytes(degrees.vertices(), entries, true), 0, bytes, 0);
    }

    @Override
    public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
      WholeNeighbourhoods whole = new WholeNeighbourhoods(a);
      return (arena, epoch, numbers, batches, boundary) -> {
        List<SampledBatch> drawn = new ArrayList<>();
        for (int b = 0; b < batches.size(); b++) {
          int[] seeds = batches.get(b);
          List<SampledBlock> blocks = new ArrayList<>();
          int[] targets = seeds;
          for (int l = 0; l < layers; l++) {
            blocks.addFirst(whole.block(arena, targets));
            targets = blocks.getFirst().sources();
          }
          float[] weights = new float[seeds.length];
          Arrays.fill(weights, 1f / seeds.length);
          drawn.add(new SampledBatch(numbers.of(b), seeds, weights, blocks));
        }
        return drawn;
      };
    }

    @Override
    public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
      double[] all = new double[a.vertices()];
      Arrays.fill(all, 1);
      return all;
    }
  }

  /// All neighbours under GCN's weights are what LADIES takes if it may take every vertex, in
  /// another order: sums of at most `N` terms of about 1 differ by their rounding, and Adam passes
  /// relative errors on over the nine steps.
  @Test
  void aSamplerFromOutsideTrainsAsThoseHereDo() {
    List<Double> expected = losses(Sampler.ladies(N, N));
    List<Double> found = losses(new EveryNeighbour(2));
    assertThat(found).hasSameSizeAs(expected);
    for (int epoch = 0; epoch < found.size(); epoch++) {
      assertThat(found.get(epoch))
          .isCloseTo(expected.get(epoch), within(9.0 * 64 * N * Math.ulp(1f)));
    }
  }

  private static List<Double> losses(Sampler sampler) {
    List<Double> losses = new ArrayList<>();
    MinibatchSettings settings = MinibatchSettings.of(sampler).withBatchSize(7).withBulk(2);
    try (GraphData dataset = SmallGraphs.of(N, 9, false, false, 5);
        Workers workers = new Workers(1)) {
      NetworkSettings network =
          MinibatchTrainerTest.settings(new Gcn(), 2, 0, 0, Normalisation.SYMMETRIC);
      try (MinibatchTrainer trainer = OneRank.minibatches(dataset, network, settings, 1, workers)) {
        for (int epoch = 0; epoch < 3; epoch++) {
          losses.add(trainer.train(epoch, 0.02));
        }
      }
    }
    return losses;
  }
}
