package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The parts of a subgraph together are the subgraph, as far as its loss depends on it.
class SubgraphPartsTest {
  private static final int N = 150;
  private static final int STEPS = 6;
  private static final int LAYERS = 3;

  private final CsrMatrix a = SmallGraph.random(N, 700, 4, false, true);
  private final int[] training = IntStream.range(0, N).filter(v -> v % 4 == 1).toArray();

  private static Stream<Sampler> samplers() {
    return Stream.of(
        Sampler.saintNode(LAYERS, 40),
        Sampler.saintEdge(LAYERS, 30),
        Sampler.saintWalk(LAYERS, 20, 2),
        Sampler.saintWalk(LAYERS, 10, 4).withOccurrences(5));
  }

  private List<SampledBatch> sample(Sampler sampler, int first, int stride, int count) {
    try (Workers workers = new Workers(2)) {
      return new BulkSampler(sampler, AdjacencyRows.whole(a), training, 9, workers)
          .sample(Arena.ofAuto(), 4, first, stride, Collections.nCopies(count, new int[0]));
    }
  }

  private static Sampler parts(Sampler whole, int parts) {
    return whole.ofSharedStep(whole.usualBatchSize(), parts);
  }

  /// What a network without weights makes of the vertices' numbers: exact, but for the order in
  /// which a row is added up.
  private static double[] outputs(SampledBatch batch) {
    double[] h = IntStream.of(batch.inputs()).mapToDouble(v -> 1 + v % 7).toArray();
    for (SampledBlock block : batch.blocks()) {
      assertThat(h).hasSize(block.sources().length);
      assertThat(block.matrix().validate()).isNull();
      float[][] dense = block.matrix().toDense();
      double[] next = new double[dense.length];
      for (int i = 0; i < next.length; i++) {
        for (int j = 0; j < h.length; j++) {
          next[i] += dense[i][j] * h[j];
        }
      }
      h = next;
    }
    return h;
  }

  @ParameterizedTest
  @MethodSource("samplers")
  void partsHaveTheLossOfTheSubgraph(Sampler whole) {
    List<SampledBatch> subgraphs = sample(whole, 0, 1, STEPS);
    for (int parts : new int[] {1, 2, 5, 40}) {
      List<SampledBatch> divided = sample(parts(whole, parts), 0, 1, STEPS * parts);
      for (int s = 0; s < STEPS; s++) {
        TreeMap<Integer, double[]> expected = new TreeMap<>();
        double[] output = outputs(subgraphs.get(s));
        int[] seeds = subgraphs.get(s).seeds();
        for (int i = 0; i < seeds.length; i++) {
          float weight = subgraphs.get(s).lossWeights()[i];
          if (weight > 0) {
            expected.put(seeds[i], new double[] {weight, output[i]});
          }
        }
        List<Integer> found = new ArrayList<>();
        List<SampledBatch> ofStep = divided.subList(s * parts, (s + 1) * parts);
        for (SampledBatch part : ofStep) {
          assertThat(part.number()).isEqualTo(s);
          assertThat(part.blocks()).hasSize(LAYERS);
          double[] outputs = outputs(part);
          for (int i = 0; i < part.seeds().length; i++) {
            found.add(part.seeds()[i]);
            double[] inWhole = Objects.requireNonNull(expected.get(part.seeds()[i]));
            assertThat((double) part.lossWeights()[i]).isEqualTo(inWhole[0]);
            assertThat(outputs[i]).isCloseTo(inWhole[1], within(1e-12 * inWhole[1]));
          }
        }
        assertThat(found).containsExactlyElementsOf(expected.keySet());
        int[] sizes = ofStep.stream().mapToInt(part -> part.seeds().length).toArray();
        assertThat(Arrays.stream(sizes).max().orElseThrow())
            .isLessThanOrEqualTo(Arrays.stream(sizes).min().orElseThrow() + 1);
      }
    }
  }

  /// A rank draws every second part, two steps or half of one at a time.
  @ParameterizedTest
  @MethodSource("samplers")
  void whoDrawsAPartAndWithWhichOthersMakesNoDifference(Sampler whole) {
    List<SampledBatch> all = sample(parts(whole, 4), 0, 1, 8);
    for (int rank = 0; rank < 2; rank++) {
      List<SampledBatch> together = sample(parts(whole, 4), rank, 2, 4);
      for (int b = 0; b < 4; b++) {
        Samples.requireEqual(together.get(b), all.get(2 * b + rank));
        List<SampledBatch> alone = sample(parts(whole, 4), 2 * b + rank, 2, 1);
        Samples.requireEqual(alone.getFirst(), all.get(2 * b + rank));
      }
    }
    assertThat(sample(parts(whole, 4), 3, 4, 0)).isEmpty();
  }
}
