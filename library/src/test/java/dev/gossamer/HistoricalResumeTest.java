package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.Metric;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs with historical embeddings that are killed while they write a checkpoint. What a process
/// leaves then is put together from copies of an undisturbed run's folder.
class HistoricalResumeTest {
  private static final int EPOCHS = 4;

  private static final LearningSettings LEARNING =
      new LearningSettings(
          LossSettings.DEFAULT,
          new OptimizerRule.Adam(0),
          Decayed.ALL,
          0.01,
          new Schedule.Constant(),
          new LearningSettings.Pace(EPOCHS, Metric.ACCURACY, 0, 1, 1));

  /// A resumed run writes its last checkpoint only: each takes the disk a while.
  private static final LearningSettings LEARNING_ON =
      LEARNING.withPace(new LearningSettings.Pace(EPOCHS, Metric.ACCURACY, 0, 1, EPOCHS));

  @TempDir Path temporary;

  /// @param turns batches of each rank per epoch
  record Way(LayerKind model, MinibatchSettings minibatches, int turns) {}

  /// Four ranks with 12 to 15 training vertices each.
  static Stream<Way> ways() {
    HistoricalSettings cached = new HistoricalSettings(1000, 9, 1000, 2, OnMiss.DROP);
    HistoricalSettings fetching = new HistoricalSettings(1000, 9, 1000, 1, OnMiss.FETCH);
    MinibatchSettings sage = MinibatchSettings.of(Sampler.sage(3, 3));
    MinibatchSettings ladies = MinibatchSettings.of(Sampler.ladies(20, 30));
    return Stream.of(
        new Way(
            new Sage(), sage.withBatchSize(15).withWire(RowFormat.BF16).withOwnBatches(cached), 4),
        new Way(new Gcn(), ladies.withBatchSize(24).withReplication(2).withOwnBatches(fetching), 3),
        // One batch an epoch: rows arrive in the next epoch, and in that after the next.
        new Way(
            new Gat(2, GraphAttention.Variant.MB, 0.2),
            sage.withBatchSize(100).withOwnBatches(cached),
            1));
  }

  private static RankSettings ranks(int replication) {
    return RankSettings.DEFAULT
        .withCount(4)
        .withStrategy(
            new ExchangeStrategy(ExchangeStrategy.Kind.SPARSITY_AWARE, replication, true));
  }

  /// Copies a folder.
  private Path copy(Path from, String name) {
    Path to = temporary.resolve(name);
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return to;
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("ways")
  void runThatIsKilledWhileItWritesACheckpointResumesToTheSameBits(Way way) throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(150, 1)) {
      GraphTraining training =
          ExampleGraphs.training(dataset)
              .layers(way.model(), 8)
              .threads(1)
              .ranks(ranks(way.minibatches().replication()))
              .minibatches(way.minibatches())
              .learning(LEARNING);
      AtomicReference<RunFolder> folder = new AtomicReference<>();
      TrainingResult whole =
          training
              .output(RunOutput.in(temporary).withPrepared((made, _) -> folder.set(made)))
              // It hears of an epoch before the epoch's checkpoint is written.
              .onEpoch(record ->
                  copy(Objects.requireNonNull(folder.get()).path(), "before-" + record.epoch()))
              .train();
      assertIsCached(whole, way.turns());

      Path none = copy(temporary.resolve("before-1"), "none");
      leave(none, "before-2", "epoch-000001.rank-00[012].*");
      assertResumes(training, none, 0, whole.model());
      Path some = copy(temporary.resolve("before-3"), "some");
      leave(some, "before-4", "epoch-000003.*[01].safetensors");
      assertResumes(training, some, 2, whole.model());
      Path both = copy(temporary.resolve("before-4"), "both");
      leave(both, "before-2", "epoch-000001.*");
      assertResumes(training, both, 3, whole.model());
    }
  }

  /// Adds files of another checkpoint, and one that is half-written.
  private void leave(Path run, String other, String names) throws IOException {
    Path to = Files.createDirectories(run.resolve("checkpoint"));
    try (Stream<Path> all = Files.list(temporary.resolve(other).resolve("checkpoint"))) {
      for (Path each : all.toList()) {
        if (each.getFileName().toString().matches(names)) {
          Files.copy(each, to.resolve(each.getFileName().toString()));
        }
      }
    }
    Files.writeString(to.resolve(".epoch-000002.rank-003.safetensors.tmp-00c0ffee"), "half");
  }

  private static void assertIsCached(TrainingResult result, int turns) {
    assertThat(result.facts()).isInstanceOf(TrainingFacts.Sampled.class);
    if (result.facts() instanceof TrainingFacts.Sampled sampled) {
      assertThat(Objects.requireNonNull(sampled.historical()).hitRates().get(1)).isPositive();
      assertThat(sampled.batches().most()).isEqualTo(turns);
    }
  }

  private static void assertResumes(GraphTraining training, Path run, int done, GraphModel whole)
      throws IOException {
    TrainingResult resumed = training.learning(LEARNING_ON).resume(run).train();
    assertThat(resumed.records()).hasSize(EPOCHS - done);
    assertThat(resumed.model().weights().mismatch(whole.weights())).isEqualTo(-1);
    assertThat(Files.readAllLines(run.resolve("metrics.jsonl"))).hasSize(EPOCHS);
    try (Stream<Path> files = Files.list(run.resolve("checkpoint"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.of(
                      Stream.of("manifest.json"),
                      files(EPOCHS),
                      // The checkpoint that it began with.
                      done == 0 ? Stream.<String>of() : Stream.of("earlier.json"),
                      done == 0 ? Stream.<String>of() : files(done))
                  .flatMap(names -> names)
                  .toList());
    }
  }

  private static Stream<String> files(int epochs) {
    String name = "epoch-%06d".formatted(epochs);
    return Stream.concat(
        Stream.of(name + ".safetensors"),
        IntStream.range(0, 4).mapToObj(rank -> "%s.rank-%03d.safetensors".formatted(name, rank)));
  }
}
