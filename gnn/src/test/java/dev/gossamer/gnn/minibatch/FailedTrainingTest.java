package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.block.BatchDeal;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.Sampling;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.NumericFault;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What a training that fails leaves behind, neither memory nor threads, and what it knows of where
/// its numbers went wrong.
class FailedTrainingTest {
  private static final int N = 61;
  private static final NetworkSettings NETWORK =
      MinibatchTrainerTest.settings(new Sage(), 2, 0, 0, Normalisation.ROW_MEAN);

  /// Draws as many bulks as it may, and remembers their memory.
  private record Limited(int bulks, List<Arena> arenas, CountDownLatch may) implements Sampler {
    private static final Sampler DRAWS = Sampler.sage(3, 2);

    Limited(int bulks) {
      this(bulks, new CopyOnWriteArrayList<>(), new CountDownLatch(0));
    }

    @Override
    public String name() {
      return "limited";
    }

    @Override
    public List<Integer> sizes() {
      return DRAWS.sizes();
    }

    @Override
    public boolean takesMeans() {
      return true;
    }

    @Override
    public List<BlockBound> blocks(Degrees degrees, int batchSize) {
      return DRAWS.blocks(degrees, batchSize);
    }

    @Override
    public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
      return DRAWS.memory(degrees, blocks);
    }

    @Override
    public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
      if (bulks == 0) {
        throw new IllegalStateException("no bulks");
      }
      Sampling draws = DRAWS.sampling(a, training, seed, workers);
      return (arena, epoch, numbers, batches, boundary) -> {
        arenas.add(arena);
        if (arenas.size() > bulks) {
          throw new IllegalStateException("no more bulks");
        }
        if (arenas.size() > 1) {
          await(may);
        }
        return draws.sample(arena, epoch, numbers, batches, boundary);
      };
    }

    @Override
    public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
      return DRAWS.inputProbabilities(a, training, batchSize);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MinibatchTrainer trainer(
      GraphData dataset, Sampler sampler, Overlap overlap, Workers workers) {
    MinibatchSettings settings =
        MinibatchSettings.of(sampler).withBatchSize(5).withBulk(1).withOverlap(overlap);
    return OneRank.minibatches(dataset, NETWORK, settings, 1, workers);
  }

  /// Weights of a layer whose products overflow, or that have overflown.
  @ParameterizedTest
  @CsvSource({
    "3e38, 0, 1, false",
    "3e38, 0, 1, true",
    "3e38, 1, 2, false",
    "3e38, 1, 2, true",
    "NaN, 0, 1, true",
    "Infinity, 1, 2, true",
    "-Infinity, 1, 2, false"
  })
  void theLayerIsKnownInWhichNumbersCeaseToBeFinite(
      float weight, int spoiled, int layer, boolean whole) {
    try (GraphData dataset = SmallGraphs.of(N, 9, false, false, 5);
        Workers workers = new Workers(1);
        EpochTrainer trainer =
            whole
                ? OneRank.fullGraph(dataset, NETWORK, 1, workers)
                : trainer(dataset, Sampler.sage(3, 2), Overlap.OFF, workers)) {
      assertThat(trainer.train(0, 0.1)).isFinite();
      assertThat(trainer.fault()).isNull();
      trainer.state().weight("layers." + spoiled + ".self_weight").fill(weight);
      // The steps of the epoch spoil all weights, which is not what began it.
      assertThat(trainer.train(1, 0.1)).isNotFinite();
      assertThat(trainer.fault()).isEqualTo(new NumericFault(layer, !Float.isFinite(weight)));
    }
  }

  @ParameterizedTest
  @EnumSource(Overlap.class)
  void aBulkThatCannotBeDrawnIsFreed(Overlap overlap) {
    Limited sampler = new Limited(2);
    try (GraphData dataset = SmallGraphs.of(N, 9, false, false, 5);
        Workers workers = new Workers(1)) {
      try (MinibatchTrainer trainer = trainer(dataset, sampler, overlap, workers)) {
        assertThatIllegalStateException()
            .isThrownBy(() -> trainer.train(0, 0.1))
            .withMessage("no more bulks");
      }
    }
    assertThat(sampler.arenas()).hasSize(3).noneMatch(arena -> arena.scope().isAlive());
  }

  @Test
  void aBulkThatIsBeingDrawnIsFreedWhenItIsThere() throws InterruptedException {
    Limited sampler = new Limited(9, new CopyOnWriteArrayList<>(), new CountDownLatch(1));
    int[] vertices = {0, 1, 2, 3};
    CsrMatrix a = CsrMatrix.of(Arena.ofAuto(), 4, new long[] {0, 1, 2, 3, 4}, vertices, null);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Workers workers = new Workers(1)) {
      BulkSampler draws = new BulkSampler(sampler, AdjacencyRows.whole(a), vertices, 1, workers);
      try (BulkStream stream =
          new BulkStream(
              draws,
              number -> new int[] {number},
              BatchDeal.shared(4, 1, 1, 0, 1),
              1,
              0,
              thread,
              new LongAdder())) {
        assertThat(stream.next()).isNotNull();
      }
      sampler.may().countDown();
      thread.shutdown();
      assertThat(thread.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(sampler.arenas()).hasSize(2).noneMatch(arena -> arena.scope().isAlive());
  }

  @Test
  void aTrainerThatCannotBeMadeLeavesNoThread() throws InterruptedException {
    try (GraphData dataset = SmallGraphs.of(N, 9, false, false, 5);
        Workers workers = new Workers(3)) {
      Set<Thread> before = Thread.getAllStackTraces().keySet();
      assertThatIllegalStateException()
          .isThrownBy(() -> trainer(dataset, new Limited(0), Overlap.ON, workers))
          .withMessage("no bulks");
      List<Thread> left =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> !before.contains(thread) && thread.getName().contains("worker"))
              .toList();
      // What was closed ends a moment later.
      for (Thread thread : left) {
        assertThat(thread.join(Duration.ofMinutes(2))).as(thread.getName()).isTrue();
      }
    }
  }
}
