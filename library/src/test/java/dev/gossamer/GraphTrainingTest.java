package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Metric;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GraphTrainingTest {
  @TempDir Path temporary;

  private static GraphTraining small(Dataset dataset) {
    return ExampleGraphs.training(dataset).gcn(6).threads(1).epochs(4);
  }

  private static InferenceSettings inference() {
    return InferenceSettings.DEFAULT.withMachine(ExampleGraphs.MACHINE);
  }

  private byte[] bytes(GraphModel model, String name) throws IOException {
    Path file = temporary.resolve(name);
    model.write(file);
    return Files.readAllBytes(file);
  }

  private static Path onlyChild(Path folder) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children.reduce((_, _) -> Path.of("several")).orElseThrow();
    }
  }

  @Test
  void readmeExampleLearnsAndPredictsAnotherGraph() {
    Path file = temporary.resolve("model.safetensors");
    try (Dataset dataset = ExampleGraphs.dense(300, 1);
        Dataset other = ExampleGraphs.dense(210, 2)) {
      GraphModel model =
          ExampleGraphs.training(dataset).gcn(64).epochs(40).learningRate(0.01).threads(1).run();
      model.write(file);
      Predictions p = GraphModel.open(file).predict(other, inference());
      assertThat(p.vertices()).isEqualTo(210);
      assertThat(model.evaluate(other, inference()).test().accuracy()).isGreaterThan(0.6);
    }
  }

  @Test
  void methodsLeaveTheTrainingAsItWas() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphTraining one = small(dataset);
      assertThat(one.epochs(2)).isNotSameAs(one);
      assertThat(one.train().end().epochs()).isEqualTo(4);
      assertThat(one.epochs(2).train().end().epochs()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void sameSeedGivesSameBytes(int ranks) throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      GraphTraining training = small(dataset).ranks(ranks);
      assertThat(bytes(training.run(), "a")).isEqualTo(bytes(training.threads(4).run(), "b"));
      assertThat(bytes(training.seed(1).run(), "c")).isNotEqualTo(bytes(training.run(), "d"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aLossThatIsNotFiniteEndsTheTrainingWithTheEpoch(int ranks) {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphTraining training = small(dataset).ranks(ranks).learningRate(Float.MAX_VALUE);
      assertThatThrownBy(training::run)
          .isInstanceOf(TrainingFailedException.class)
          .hasMessageMatching(
              "epoch \\d: the loss is (NaN|Infinity), and the step before has left weights of layer \\d that are not finite; lower the learning rate");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void stepTakesOneBatchPerRankUnlessToldOtherwise(int ranks) {
    try (Dataset dataset = ExampleGraphs.dense(120, 1)) {
      GraphTraining training =
          small(dataset)
              .sage(6)
              .minibatches(MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(8))
              .ranks(ranks);
      TrainingFacts facts = training.train().facts();
      assertThat(facts).isInstanceOf(TrainingFacts.Sampled.class);
      if (facts instanceof TrainingFacts.Sampled sampled) {
        assertThat(sampled.settings().batching().stepBatches()).isEqualTo(ranks);
        assertThat(sampled.ranks()).isEqualTo(ranks);
      }
    }
  }

  @Test
  void stepThatRanksCannotShareIsRefused() {
    try (Dataset dataset = ExampleGraphs.dense(120, 1)) {
      GraphTraining training =
          small(dataset)
              .sage(6)
              .minibatches(MinibatchSettings.of(Sampler.sage(3, 3)).withStepBatches(3))
              .ranks(2);
      assertThatThrownBy(training::run)
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("stepBatches: expected a multiple of the 2 ranks, found 3");
      MinibatchSettings replicated = MinibatchSettings.of(Sampler.sage(3, 3)).withReplication(2);
      refused(
          small(dataset).minibatches(replicated).ranks(4)::run,
          "replication: expected that of the ranks, 1, for minibatches too, found 2");
    }
  }

  @Test
  void splitIsDrawnAndTheListenerHearsOfIt() {
    List<SplitProportions> heard = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void splitDrawn(SplitProportions split) {
            heard.add(split);
          }
        };
    SplitProportions wanted = new SplitProportions("40/20/40", 3);
    try (Dataset dataset = ExampleGraphs.labelled(200, 1);
        Dataset split = ExampleGraphs.dense(200, 1)) {
      TrainingResult result = small(dataset).split(wanted).listener(listener).train();
      assertThat(heard).containsExactly(wanted);
      assertThat(result.evaluation().test().count()).isBetween(50L, 110L);
      assertThat(dataset.hasSplit()).isFalse();
      assertThat(result.model().evaluate(dataset.withSplit(wanted), inference()).test().count())
          .isEqualTo(result.evaluation().test().count());
      small(split).listener(listener).run();
      assertThat(heard).hasSize(1);
    }
  }

  @Test
  void settingErrorsNameComponents() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphTraining training = small(dataset);
      refused(() -> training.epochs(0), "epochs: expected at least 1, found 0");
      refused(() -> training.patience(-1), "patience: expected at least 0, found -1");
      refused(
          () -> training.learningRate(0), "learningRate: expected a positive number, found 0.0");
      refused(() -> training.ranks(0), "ranks: expected at least 1, found 0");
      refused(() -> training.threads(0), "threads: expected at least 1, found 0");
      refused(() -> training.memory(-1), "memory: expected at least 0, found -1");
      refused(() -> training.gcn(0).run(), "hidden: expected at least 1, found 0");
      refused(() -> training.dropout(1, 0).run(), "dropout: expected 0 <= rate < 1, found 1.0");
      refused(
          () -> training.ranks(RankSettings.DEFAULT.withPlacement("nowhere")).run(),
          "placement: expected one of ");
      refused(
          () -> training.minibatches(Sampler.sage(3)).run(),
          "sampler: expected one for 2 layers, found one for 1");
      refused(
          () ->
              training
                  .minibatches(
                      MinibatchSettings.of(Sampler.ladies(9, 9)).withTestFanouts(List.of(3, 3)))
                  .run(),
          "testFanouts: takes the mean of what it draws; expected normalisation row-mean, found ");
      refused(
          () -> training.mlp(6).minibatches(Sampler.sage(3, 3)).run(),
          "sampler: model mlp does not look at neighbours; expected none, found sage");
      refused(
          () -> training.minibatches(Sampler.none(2)).run(),
          "sampler: model gcn looks at neighbours; expected a sampler of some, found none");
      MinibatchSettings none = MinibatchSettings.of(Sampler.none(2));
      refused(
          () -> training.sign(6).minibatches(none.withTestFanouts(List.of(3, 3))).run(),
          "testFanouts: model sign does not look at neighbours; leave it out");
      refused(
          () ->
              training
                  .sign(6)
                  .ranks(2)
                  .minibatches(none.withOwnBatches(HistoricalSettings.DEFAULT))
                  .run(),
          "historical: model sign does not look at remote vertices; leave it out");
    }
  }

  @Test
  void featuresOnDifferentScalesAreWarnedOfUnlessTheyAreScaled() {
    List<String> heard = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void warning(String text) {
            heard.add(text);
          }
        };
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      Dataset scaled = ExampleGraphs.onOwnScales(dataset);
      small(dataset).listener(listener).run();
      small(scaled).featureScaling(FeatureScaling.STANDARD).listener(listener).run();
      assertThat(heard).isEmpty();
      small(scaled).listener(listener).run();
      assertThat(heard)
          .singleElement(STRING)
          .matches(
              "features are on different scales: feature 7 is up to 6.\\d+e\\+04, feature 0 up to"
                  + " 0.00\\d+; \\{featureScaling\\} standard brings them to one");
    }
  }

  @Test
  void theMajorityClassIsThatOfTheTrainingVertices() {
    Split[] split = {
      Split.TRAIN, Split.TRAIN, Split.TRAIN, Split.VALIDATION, Split.TEST, Split.TEST, Split.TEST
    };
    try (Dataset dataset =
        Dataset.of(
            GraphData.builder(7)
                .edges(new int[] {0, 1}, new int[] {1, 2})
                .features(new float[] {1, 2, 3, 4, 5, 6, 7}, 1)
                .labels(1, 0, 1, 0, 0, 0, 1)
                .classNames(List.of("no", "yes"))
                .split(split)
                .build())) {
      assertThat(small(dataset).train().majority()).isEqualTo(new MajorityClass("yes", 1 / 3.0));
    }
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(message)
        .hasMessageNotContaining("\n")
        .hasMessageNotContaining("--");
  }

  @Test
  void dataThatNothingCanBeLearnedFromAreRefused() {
    try (Dataset dataset = ExampleGraphs.unlabelled(40, 1);
        Dataset bare = Dataset.of(GraphData.builder(3).name("bare").build())) {
      assertThatThrownBy(small(dataset)::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(
              "example: expected at least 2 classes, found 0; vertexLabels sets");
      assertThatThrownBy(small(bare)::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(
              "bare: expected features to train on, found none; vertexFeatures adds some");
    }
  }

  /// What ranks keep for each other grows with the square of their number.
  @Tag("slow")
  @Test
  void moreRanksThanFitAreRefused() {
    try (Dataset dataset = ExampleGraphs.dense(3000, 1)) {
      GraphTraining training =
          small(dataset).ranks(RankSettings.DEFAULT.withCount(2000).withPlacement("block"));
      assertThatThrownBy(training.memory(12L << 30)::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith("memory: the run needs ");
    }
  }

  @Test
  void memoryLimitRefusesBeforeAnythingIsLeft() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      List<EpochRecord> epochs = new ArrayList<>();
      for (UnaryOperator<GraphTraining> way :
          List.<UnaryOperator<GraphTraining>>of(
              t -> t, t -> t.sage(6).minibatches(Sampler.sage(3, 3)))) {
        GraphTraining training =
            way.apply(small(dataset)).memory(1 << 20).folder(temporary).onEpoch(epochs::add);
        assertThatThrownBy(training::run)
            .isInstanceOf(InvalidInputException.class)
            .hasMessageNotContaining("\n");
      }
      assertThat(epochs).isEmpty();
      assertThat(temporary).isEmptyDirectory();
    }
  }

  /// Every limit down to where nothing fits is kept, and training learns the same.
  @Tag("slow")
  @Test
  void whatMemoryForbidsIsDoneInLess() {
    List<TrainingPlan> plans = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void planned(TrainingPlan plan) {
            plans.add(plan);
          }
        };
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      GraphTraining training = small(dataset).ranks(4).listener(listener);
      double expected = training.train().evaluation().test().loss();
      long usual = plans.getFirst().shape().memory().bytes();
      for (long limit = usual - 1; ; limit = plans.getLast().shape().memory().bytes() - 1) {
        GraphTraining squeezed = training.memory(limit);
        int done = plans.size();
        try {
          assertThat(squeezed.train().evaluation().test().loss()).isCloseTo(expected, within(1e-4));
        } catch (InvalidInputException e) {
          assertThat(e).hasMessageContaining("may be used");
          break;
        }
        assertThat(plans).hasSize(done + 1);
        assertThat(plans.getLast().way())
            .isInstanceOfSatisfying(
                TrainingPlan.WholeGraph.class,
                whole ->
                    assertThat(whole.squeeze())
                        .isEqualTo(
                            new TrainingPlan.Squeeze(
                                usual, squeezed.settings().machine().memory().getAsLong())));
      }
      assertThat(plans).hasSizeGreaterThan(3);
    }
  }

  @Test
  void stopSignalStopsAndWritesACheckpoint() throws IOException {
    StopSignal stop = new StopSignal();
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      TrainingResult result =
          small(dataset)
              .epochs(100)
              .stopOn(stop)
              .folder(temporary)
              .onEpoch(record -> {
                if (record.epoch() == 3) {
                  stop.request();
                }
              })
              .train();
      assertThat(result.end()).isEqualTo(new TrainingResult.End(3, result.end().bestEpoch(), true));
      assertThat(onlyChild(temporary).resolve("checkpoint")).exists();
      assertThat(onlyChild(temporary).resolve("model.safetensors")).doesNotExist();
      assertThat(small(dataset).stopOn(stop).train().end().epochs()).isZero();
    }
  }

  @Test
  void signalForgetsTrainingsThatHaveEnded() {
    StopSignal stop = new StopSignal();
    List<String> told = new ArrayList<>();
    try (StopSignal.Registration _ = stop.whenRequested(() -> told.add("ended"))) {
      assertThat(told).isEmpty();
    }
    try (StopSignal.Registration _ = stop.whenRequested(() -> told.add("runs"))) {
      stop.request();
    }
    assertThat(told).containsExactly("runs");
  }

  @Test
  void patienceStopsEarly() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      TrainingResult result = small(dataset).epochs(500).patience(3).train();
      assertThat(result.end().epochs()).isEqualTo(result.end().bestEpoch() + 3).isLessThan(500);
      assertThat(result.end().interrupted()).isFalse();
      assertThat(result.records()).hasSize(result.end().epochs());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void folderHasMetricsCheckpointAndModel(int ranks) throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphModel model = small(dataset).ranks(ranks).folder(temporary).run();
      Path folder = onlyChild(temporary);
      assertThat(Files.readAllLines(folder.resolve("metrics.jsonl"))).hasSize(4);
      assertThat(folder.resolve("checkpoint")).isNotEmptyDirectory();
      assertThat(Files.readAllBytes(folder.resolve("model.safetensors")))
          .isEqualTo(bytes(model, "model"));
      assertThat(GraphModel.open(folder).classes()).isEqualTo(ExampleGraphs.CLASSES);
    }
  }

  /// A program that fails in every fourth epoch and is started again.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aRunInANamedFolderIsBegunOrResumed(int ranks) throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      LearningSettings.Pace pace = new LearningSettings.Pace(9, null, 0, 1, 2);
      GraphTraining whole =
          small(dataset).learning(LearningSettings.DEFAULT.withPace(pace)).ranks(ranks);
      Path run = temporary.resolve("runs/named");
      List<RunFolder> begun = new ArrayList<>();
      GraphTraining program =
          whole.output(RunOutput.at(run).withPrepared((folder, _) -> begun.add(folder)));
      int failures = 0;
      TrainingResult ended = null;
      while (ended == null) {
        AtomicInteger epochs = new AtomicInteger();
        try {
          ended =
              program
                  .onEpoch(record -> {
                    if (epochs.incrementAndGet() == 4) {
                      throw new IllegalStateException("a fault in epoch " + record.epoch());
                    }
                  })
                  .train();
        } catch (IllegalStateException | RankFailedException e) {
          failures++;
        }
      }
      // After epochs 2, 4 and 6.
      assertThat(failures).isEqualTo(3);
      assertThat(begun).containsExactly(new RunFolder(run));
      assertThat(ended.records()).hasSize(3);
      assertThat(bytes(ended.model(), "ended")).isEqualTo(bytes(whole.run(), "whole"));
      assertThat(Files.readAllLines(run.resolve("metrics.jsonl"))).hasSize(9);
    }
  }

  /// Not even one that began after the output was made.
  @Test
  void aNewRunDoesNotGoOnWithAnother() throws IOException {
    Path run = temporary.resolve("run");
    List<RunFolder> begun = new ArrayList<>();
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphTraining training =
          small(dataset)
              .epochs(2)
              .output(RunOutput.newAt(run).withPrepared((folder, _) -> begun.add(folder)));
      training.run();
      assertThat(begun).containsExactly(new RunFolder(run));
      assertThatThrownBy(training::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(run + ": expected a folder without a run, found one");
      assertThat(begun).hasSize(1);
      assertThat(Files.readAllLines(run.resolve("metrics.jsonl"))).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void resumedRunIsBitIdentical(int ranks) throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      for (UnaryOperator<GraphTraining> way :
          List.<UnaryOperator<GraphTraining>>of(
              t -> t,
              t -> t.sage(6).minibatches(MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(8)),
              t ->
                  t.sage(6)
                      .minibatches(
                          MinibatchSettings.of(Sampler.sage(3, 3))
                              .withBatchSize(8)
                              .withOwnBatches(HistoricalSettings.DEFAULT)))) {
        GraphTraining whole = way.apply(small(dataset)).epochs(9).ranks(ranks);
        StopSignal stop = new StopSignal();
        AtomicReference<Path> folder = new AtomicReference<>(temporary);
        TrainingResult interrupted =
            whole
                .output(RunOutput.in(temporary).withPrepared((run, _) -> folder.set(run.path())))
                .stopOn(stop)
                .onEpoch(record -> {
                  if (record.epoch() == 4) {
                    stop.request();
                  }
                })
                .train();
        assertThat(interrupted.end().interrupted()).isTrue();
        Path made = Objects.requireNonNull(folder.get());
        TrainingResult resumed = whole.resume(made).train();
        assertThat(resumed.records()).hasSize(5);
        assertThat(bytes(resumed.model(), "resumed")).isEqualTo(bytes(whole.run(), "whole"));
        assertThat(Files.readAllLines(made.resolve("metrics.jsonl"))).hasSize(9);
      }
    }
  }

  /// A run goes on with the data that it began with, to the last label.
  @Test
  void otherDataAreNotResumedOn() throws IOException {
    GraphData data = ExampleGraphs.dense(60, 1).data();
    AtomicReference<Path> folder = new AtomicReference<>(temporary);
    RunOutput output = RunOutput.in(temporary).withPrepared((run, _) -> folder.set(run.path()));
    small(Dataset.of(data)).epochs(3).output(output).run();
    Path run = Objects.requireNonNull(folder.get());
    int[] labels = data.labels().clone();
    labels[0] = labels[1];
    byte[] split = data.split().clone();
    split[0] = split[59];
    GraphData others = ExampleGraphs.dense(60, 2).data();
    Map<String, GraphData> changed =
        Map.of(
            "labels", data.withLabels(labels),
            "split", data.withSplit(split),
            "features", data.withFeatures(others.features()),
            "features, graph", others);
    changed.forEach((parts, other) ->
        assertThatThrownBy(() -> small(Dataset.of(other)).epochs(5).resume(run).run())
            .isInstanceOf(InvalidInputException.class)
            .hasMessage(
                "%s: expected the data that the run was started with, found data that differ in: %s; resume with the original data, or start a new run"
                    .formatted(run.resolve("data.json"), parts)));
    assertThat(small(Dataset.of(data)).epochs(5).resume(run).train().records()).hasSize(2);
  }

  @Test
  void aRunThatSelectsByAnotherScoreSaysSo() {
    Path run = temporary.resolve("run");
    List<String> warnings = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void warning(String text) {
            warnings.add(text);
          }
        };
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphTraining training = small(dataset).epochs(3).listener(listener);
      training.output(RunOutput.at(run)).run();
      TrainingResult resumed = training.selectBy(Metric.LOSS).epochs(5).resume(run).train();
      assertThat(resumed.end().bestEpoch()).isGreaterThanOrEqualTo(3);
      assertThat(warnings)
          .containsExactly(
              "the run has selected weights by accuracy so far, and by loss from here on: those of its checkpoint are the first to compare with");
    }
  }

  @Test
  @SuppressWarnings("NullAway")
  void needsADataSet() {
    assertThatNullPointerException()
        .isThrownBy(() -> GraphTraining.on(null))
        .withMessage("dataset: expected one, found null");
    assertThatNullPointerException().isThrownBy(() -> GraphPartitioning.of((Dataset) null));
  }

  @Test
  void folderWithoutARunIsNotResumed() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      assertThatThrownBy(small(dataset).resume(temporary)::run)
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              temporary
                  + ": expected a run folder with config.yaml or metrics.jsonl, found neither");
    }
  }

  @Test
  void planIsHeardOfBeforeTheFirstEpoch() {
    List<String> heard = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void planned(TrainingPlan plan) {
            heard.add("plan of " + plan.data().name());
          }

          @Override
          public void epoch(EpochRecord record) {
            heard.add("epoch " + record.epoch());
          }
        };
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      small(dataset).epochs(2).ranks(4).listener(listener).run();
    }
    assertThat(heard).containsExactly("plan of example", "epoch 1", "epoch 2");
  }
}
