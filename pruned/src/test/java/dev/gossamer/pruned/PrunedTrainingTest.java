package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.MpiProgram;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Fixtures;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.RankGrid;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning.ByMask;
import dev.gossamer.pruned.prune.Pruning.EarlyBird;
import dev.gossamer.pruned.prune.Pruning.Gradual;
import dev.gossamer.pruned.prune.Pruning.Never;
import dev.gossamer.pruned.prune.Pruning.OneShot;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.RunMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrunedTrainingTest {
  private static final BatchSettings SMALL = BatchSettings.DEFAULT.withBatch(8).withMicrobatch(2);

  private static final PrunedMachineSettings MACHINE = TinyText.MACHINE;

  private static final RankPlace PLACE = PrunedPlanTest.place(1, 1L << 34);

  @TempDir static Path shared;
  static Path text = Path.of("");

  @TempDir Path folder;

  @BeforeAll
  static void write() throws IOException {
    text = TinyText.write(shared);
  }

  private static PrunedTraining training() {
    return TinyText.training(text);
  }

  private static void assertSame(PrunedModel one, PrunedModel other) throws IOException {
    Path folder = Files.createTempDirectory(shared, "same");
    assertThat(one.write(folder.resolve("one")))
        .hasSameBinaryContentAs(other.write(folder.resolve("other")));
  }

  @Test
  void aModelIsTrainedAndPrunedWithoutLeavingFiles() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    List<Integer> iterations = new ArrayList<>();
    PrunedResult run = training().onIteration(record -> iterations.add(record.number())).train();
    PrunedModel model = Objects.requireNonNull(run.model());
    assertThat(iterations).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(model.kept())
        .isEqualTo(model.parameters() - Math.round(0.9 * (double) model.parameters()));
    assertThat(model.sparsity()).isCloseTo(0.9, within(1e-4));
    assertThat(model.facts())
        .containsEntry("data", "words.txt")
        .containsEntry("prune", "one-shot")
        .containsEntry("pruned_before_iteration", "4")
        .containsEntry("kept", Long.toString(model.kept()));
    RunSummary summary = Objects.requireNonNull(run.summary());
    assertThat(summary.ticket()).isEqualTo(new RunSummary.Ticket(4, false));
    assertThat(run.plan().folder()).isNull();
    assertThat(empty).isEmptyDirectory();
  }

  /// The plan in the folder has the memory of all ranks, and the planned seconds of the last
  /// iterations.
  @Test
  void theFolderHasWhatWasPlannedAndWhatWasMeasured() {
    RankPlace place = PrunedPlanTest.place(2, 1L << 34);
    PrunedTraining two = training().ranks(2).stages(2);
    List<RunMetrics.Step> steps = new ArrayList<>();
    List<RunPlan> plans = new ArrayList<>();
    PrunedResult run =
        two.folder(folder)
            .planned(place)
            .onPlan(plans::add)
            .onIteration(record -> steps.add(record.step(plans.getFirst().network().parameters())))
            .train();
    RunFolder written = new RunFolder(Objects.requireNonNull(run.plan().folder()));
    RunEstimate estimate = RunEstimate.read(written.plan());
    assertThat(estimate).isEqualTo(plans.getFirst().estimate());
    assertThat(estimate.epochSeconds())
        .isEqualTo(two.planAsSet(place).runs().getFirst().last().seconds().byPhase());
    assertThat(estimate.memory().bytes()).isEqualTo(2 * run.plan().rank().memory().bytes());
    List<RunMetrics.Step> lines = RunMetrics.read(written.metrics()).steps();
    assertThat(lines).hasSameSizeAs(steps);
    for (int i = 0; i < steps.size(); i++) {
      assertThat(steps.get(i).scores()).isEqualTo(lines.get(i).scores());
      assertThat(steps.get(i).phases()).isEqualTo(lines.get(i).phases());
      assertThat(steps.get(i).number("sparsity")).isEqualTo(lines.get(i).number("sparsity"));
      assertThat(steps.get(i).numbers().keySet()).isEqualTo(lines.get(i).numbers().keySet());
    }
  }

  @Test
  void aTrainingIsImmutable() throws IOException {
    PrunedTraining base = training();
    PrunedModel before = base.run();
    base.seed(7).sparsity(0.5).iterations(2);
    assertSame(base.run(), before);
    assertThat(base.seed(7).run().facts()).containsEntry("seed", "7");
  }

  @Tag("slow")
  @Test
  void aStoppedRunIsResumedToTheSameBits() throws IOException {
    PrunedModel whole = training().ranks(2).stages(2).run();
    PrunedTraining stopping =
        training()
            .ranks(2)
            .stages(2)
            .iterations(
                IterationSettings.DEFAULT
                    .withIterations(6)
                    .withEvaluateSamples(16)
                    .withCheckpointEvery(100));
    int[] done = {0};
    PrunedResult part =
        stopping
            .folder(folder)
            .onIteration(record -> done[0] = record.number())
            .stopWhen(() -> done[0] >= 3)
            .train();
    assertThat(part.result().interrupted()).isTrue();
    assertThat(part.result().iterations()).isBetween(4, 5);
    assertThat(part.model()).isNull();
    Path run = Objects.requireNonNull(part.plan().folder());
    assertThat(run.resolve("model.safetensors")).doesNotExist();
    assertSame(training().ranks(2).stages(2).resume(run).run(), whole);
    assertThat(Files.readAllLines(run.resolve("metrics.jsonl"))).hasSize(6);
    assertSame(PrunedModel.open(run), whole);
    assertThatExceptionOfType(TrainingFailedException.class)
        .isThrownBy(() -> training().stopWhen(() -> true).run())
        .withMessage("stopped after iteration 1 of 6");
  }

  @Test
  void aRunLeavesItsFolder() {
    PrunedResult run = training().folder(folder.resolve("runs")).trace(2).train();
    Path path = Objects.requireNonNull(run.plan().folder());
    assertThat(path).hasParent(folder.resolve("runs"));
    assertThat(
            Stream.of(
                "metrics.jsonl",
                "plan.json",
                "traffic.json",
                "trace.json",
                "tokens.json",
                "checkpoint/manifest.json",
                "model.safetensors",
                "model-compressed.safetensors",
                "mask.safetensors"))
        .allSatisfy(name -> assertThat(path.resolve(name)).isNotEmptyFile());
  }

  @Test
  void anOpenCorpusSaysHowMuchANetworkSees() {
    try (Corpus corpus = Corpora.open(text, new Tokens.Bytes(), 12, ReadingProgress.SILENT)) {
      PrunedTraining training =
          PrunedTraining.on(corpus)
              .model("gpt-tiny")
              .iterations(2)
              .batch(4)
              .prune(new Never())
              .machine(MACHINE);
      PrunedModel model = training.run();
      assertThat(model.architecture().description()).containsEntry("length", "12");
      assertThat(model.kept()).isEqualTo(model.parameters());
      assertThat(model.evaluate(corpus, Part.TEST).loss()).isBetween(1.0, 6.0);
      assertThatExceptionOfType(InvalidSettingException.class)
          .isThrownBy(() -> training.model(ModelSettings.named("gpt-tiny").withLength(16)).run())
          .withMessage("length: expected 12, the tokens of a window of words.txt, found 16");
      assertThat(training.planAsSet(PLACE).network().output().channels()).isEqualTo(256);
    }
  }

  @Test
  void aMaskPrunesAnotherRun() throws IOException {
    PrunedModel first = training().prune(new OneShot(0)).run();
    Path mask = first.write(folder, ModelFormat.MASK);
    PrunedModel second = training().prune(new ByMask(mask)).run();
    assertThat(second.mask()).isEqualTo(first.mask());
    assertThat(second.facts()).containsEntry("prune", "mask").doesNotContainKey("criterion");
    // What is planned is what the mask leaves, whatever the settings say of another share.
    PrunedTraining half = training().prune(new OneShot(0)).sparsity(0.5);
    Path halfMask = half.run().write(folder.resolve("half"), ModelFormat.MASK);
    assertThat(training().prune(new ByMask(halfMask)).planAsSet(PLACE).sparsity())
        .isCloseTo(0.5, within(1e-3));
    assertThat(stateOf(training().prune(new ByMask(halfMask))))
        .isCloseTo(stateOf(half), within(64L));
  }

  /// Bytes of the state that a run is estimated to take.
  private static long stateOf(PrunedTraining training) {
    return training.train().plan().rank().memory().items().getFirst().bytes();
  }

  @Test
  void theFewestStagesThatFitAreTaken() {
    PrunedTraining two = training().ranks(2).automaticStages().machine(MACHINE);
    RunPlan plan = two.train().plan();
    assertThat(plan.grid().inter()).isEqualTo(1);
    List<RunPlan> plans = new ArrayList<>();
    lessThan(plan, two).onPlan(plans::add).train();
    assertThat(plans.getFirst().grid().inter()).isEqualTo(2);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> two.machine(MACHINE.withMemoryPerRank(1000L)).run())
        .withMessageStartingWith("stages auto: no grid of 2 ranks stays within 1000 B per rank");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> training().memory(1000).folder(folder.resolve("none")).run())
        .withMessageStartingWith("memory: a rank needs ")
        .withMessageContaining("use a larger stages, a smaller microbatch");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  /// The same with less memory than a plan needs.
  private static PrunedTraining lessThan(RunPlan plan, PrunedTraining training) {
    long bytes = plan.rank().memory().bytes();
    return training.machine(MACHINE.withMemoryPerRank(bytes - 1));
  }

  /// With the survivors the network fits one stage: the ranks become replicas.
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(Products.class)
  void aPrunedNetworkGoesOnWithFewerStagesAsIfItWereResumedThere(Products products)
      throws IOException {
    PrunedTraining two =
        training()
            .ranks(2)
            .machine(MACHINE)
            .storage(StorageSettings.DEFAULT.withProducts(products));
    Map<Integer, RunPlan> moves = new HashMap<>();
    PrunedResult moved =
        lessThan(two.stages(1).train().plan(), two.automaticStages())
            .folder(folder.resolve("moved"))
            .onGrid(moves::put)
            .train();
    assertThat(moves).containsOnlyKeys(3);
    assertThat(moved.plan().grid()).isEqualTo(new RankGrid(1, 2));
    assertThat(moved.result().records())
        .extracting(record -> record.grid().inter())
        .containsExactly(2, 2, 2, 1, 1, 1);
    int[] done = {0};
    PrunedResult stopped =
        two.stages(2)
            .folder(folder.resolve("stopped"))
            .onIteration(record -> done[0] = record.number())
            .stopWhen(() -> done[0] >= 2)
            .train();
    Path run = Objects.requireNonNull(stopped.plan().folder());
    assertSame(Objects.requireNonNull(moved.model()), two.stages(1).resume(run).run());
  }

  @Tag("endurance")
  @ParameterizedTest
  @ValueSource(strings = {MpiProgram.OPEN_MPI, MpiProgram.MPICH})
  void processesGoOnWithFewerStagesAsThreadsDo(String launcher)
      throws IOException, InterruptedException {
    PrunedTraining two = training().ranks(2).machine(MACHINE);
    long bytes = two.stages(1).train().plan().rank().memory().bytes() - 1;
    PrunedResult threads = two.automaticStages().machine(MACHINE.withMemoryPerRank(bytes)).train();
    Path file = folder.resolve("processes.safetensors");
    MpiProgram.Outcome outcome =
        MpiProgram.run(
            folder,
            launcher,
            2,
            MpiFewerStages.class,
            text.toString(),
            Long.toString(bytes),
            file.toString());
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("stages: [2, 2, 2, 1, 1, 1]");
    assertThat(file)
        .hasSameBinaryContentAs(
            Objects.requireNonNull(threads.model()).write(folder.resolve("threads.safetensors")));
  }

  /// A run that was killed after its network had been pruned needs what the survivors need.
  @Test
  void aResumedRunTakesTheStagesOfItsSurvivors() {
    PrunedTraining two = training().ranks(2).machine(MACHINE);
    PrunedTraining small = lessThan(two.stages(1).train().plan(), two.automaticStages());
    int[] done = {0};
    PrunedResult stopped =
        small
            .folder(folder)
            .onIteration(record -> done[0] = record.number())
            .stopWhen(() -> done[0] >= 4)
            .train();
    assertThat(stopped.result().interrupted()).isTrue();
    List<RunPlan> plans = new ArrayList<>();
    small.resume(Objects.requireNonNull(stopped.plan().folder())).onPlan(plans::add).run();
    assertThat(plans.getFirst().grid().inter()).isEqualTo(1);
  }

  static List<Arguments> wrongSettings() {
    return List.of(
        wrong(t -> t.iterations(0), "iterations: expected at least 1, found 0"),
        wrong(t -> t.sparsity(1), "sparsity: expected more than 0 and less than 1, found 1.0"),
        wrong(t -> t.batch(0), "batch: expected at least 1, found 0"),
        wrong(t -> t.batch(7), "batch: expected a multiple of 1 replicas x 2 samples"),
        wrong(t -> t.model("gpt-5"), "model: expected one of gpt-tiny, gpt-small"),
        wrong(t -> t.model("vgg-mnist"), "model: vgg-mnist is for images, but words.txt has text"),
        wrong(t -> t.model(ModelSettings.named("gpt-tiny").withHeads(3)), "model, layers, width"),
        wrong(t -> t.ranks(0), "ranks: expected at least 1, found 0"),
        wrong(t -> t.ranks(3).stages(2), "stages: expected a divisor of 3 ranks, found 2"),
        wrong(t -> t.ranks(8).stages(8), "stages: expected 1..4, as the network has 4 blocks"),
        wrong(
            t -> t.ranks(2).stages(2).batches(SMALL.withInFlight(1)),
            "inFlight: expected at least 2, one microbatch for each stage, found 1"),
        wrong(t -> t.batches(SMALL.withBucketBytes(3)), "bucketBytes: expected at least 4 bytes"),
        wrong(t -> t.batches(SMALL.withClip(-1)), "clip: expected 0 or more, found -1.0"),
        wrong(t -> t.learningRate(-1), "learningRate, warmup, minLearningRate: learning rate: "),
        wrong(
            t -> t.optimizer(OptimizerSettings.DEFAULT.withWarmup(9)),
            "learningRate, warmup, minLearningRate: "),
        wrong(
            t -> t.optimizer(OptimizerSettings.DEFAULT.withMomentum(1.0)),
            "momentum: expected at least 0 and less"),
        wrong(
            t -> t.optimizer(OptimizerSettings.DEFAULT.withMomentum(0.5)),
            "momentum: expected none with optimizer adamw, which has its own, found 0.5"),
        wrong(
            t -> t.optimizer(OptimizerSettings.DEFAULT.withWeightDecay(-1.0)),
            "weightDecay: expected 0 or more"),
        wrong(
            t -> t.prune(EarlyBird.DEFAULT.withMaskWindow(1)),
            "maskWindow: expected at least 2, found 1"),
        wrong(
            t -> t.prune(EarlyBird.DEFAULT.withMaskDistance(0)),
            "maskDistance: expected more than 0 and at most 1, a fraction of the survivors, found 0.0"),
        wrong(
            t -> t.prune(EarlyBird.DEFAULT.withPruneUntil(6)),
            "pruneUntil: expected less than iterations 6, or the run ends before it is pruned"),
        wrong(
            t -> t.prune(Gradual.DEFAULT.withPruneUntil(1000)),
            "pruneUntil: expected less than iterations 6, or the run ends before it is pruned"),
        wrong(
            t -> t.prune(Gradual.DEFAULT.withPruneAt(7).withPruneUntil(8)),
            "pruneAt: expected less than iterations 6, or the run ends before it is pruned"),
        wrong(
            t -> t.prune(new OneShot(6)),
            "pruneAt: expected less than iterations 6, or the run ends before it is pruned, found 6"),
        wrong(
            t -> t.model(ModelSettings.named("gpt-tiny").withTiedHead(true)).ranks(2).stages(2),
            "stages: expected 1, as the head of gpt-tiny is its embedding, found 2"),
        wrong(
            t -> t.prune(Gradual.DEFAULT.withPruneAt(5)),
            "pruneUntil: expected more than pruneAt 5, found 3"),
        wrong(t -> t.prune(new OneShot(-1)), "pruneAt: expected at least 0, found -1"),
        wrong(
            t -> t.pruning(PruningSettings.DEFAULT.withCriterion(Criterion.CHANNELS)),
            "criterion channels: expected convolutions with batch normalisation, found none"),
        wrong(t -> t.sparsity(0.999999), "sparsity 0.999999 of "),
        wrong(t -> t.trace(-1), "trace: expected at least 0 iterations, found -1"),
        wrong(t -> t.trace(1), "trace: expected a run with a folder, found one without"),
        wrong(t -> t.threads(0), "threads: expected at least 1, found 0"));
  }

  /// What a network of images would ignore.
  @Test
  void settingsOfTextsAreRefusedForImages() throws IOException {
    Path images = Files.createDirectory(folder.resolve("images"));
    Fixtures.mnistLike(images, 40);
    PrunedTraining training = PrunedTraining.on(images).iterations(1).machine(MACHINE);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> training.tokens(new Tokens.Bytes()).run())
        .withMessage("tokens: expected none for the images of images, found bytes");
    ModelSettings model = ModelSettings.DEFAULT;
    Map<String, ModelSettings> ignored =
        Map.of(
            "layers", model.withLayers(3),
            "width", model.withWidth(3),
            "heads", model.withHeads(3),
            "length", model.withLength(3),
            "dropout", model.withDropout(0.5f),
            "tiedHead", model.withTiedHead(true));
    ignored.forEach((component, settings) -> {
      String message = component + ": expected none with vgg-mnist, which is not made of";
      assertThatExceptionOfType(InvalidSettingException.class)
          .isThrownBy(() -> training.model(settings).run())
          .withMessageStartingWith(message);
      assertThatExceptionOfType(InvalidSettingException.class)
          .isThrownBy(() -> training.model(settings.withModel("vgg-mnist")).planAsSet(PLACE))
          .withMessageStartingWith(message);
    });
  }

  @Test
  void productsWithNonzerosAloneHaveNoIndex() {
    StorageSettings sparse = StorageSettings.DEFAULT.withProducts(Products.SPARSE);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> sparse.withIndex(IndexKind.BITMAP))
        .withMessage("index: expected none with products sparse, found bitmap");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> sparse.withDownCast(DownCast.WHOLE))
        .withMessage("downCast: expected none with products sparse, found whole");
  }

  /// Steps that are further apart than the first and the last one is to be become one, at the end.
  @ParameterizedTest
  @CsvSource({"6, 20, 4", "6, 2, 3", "3, 20, 2"})
  void gradualPruningGetsThere(int iterations, int every, int ticket) {
    PrunedResult run =
        training().iterations(iterations).prune(Gradual.DEFAULT.withMaskEvery(every)).train();
    RunSummary summary = Objects.requireNonNull(run.summary());
    assertThat(summary.ticket()).isEqualTo(new RunSummary.Ticket(ticket, false));
    assertThat(summary.sparsity()).isCloseTo(0.9, within(1e-4));
  }

  private static Arguments wrong(UnaryOperator<PrunedTraining> change, String message) {
    return Arguments.of(change, message);
  }

  @ParameterizedTest
  @MethodSource("wrongSettings")
  void wrongSettingsNameTheirComponents(UnaryOperator<PrunedTraining> change, String message) {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> change.apply(training()).run())
        .withMessageStartingWith(message);
  }

  @Test
  void dataThatAreNotThereAreRefused() {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedTraining.on(folder.resolve("nothing")).run())
        .withMessageContaining("nothing: expected a text, or a folder of texts or images");
  }

  @Test
  void settingsAreThoseThatAreAskedFor() {
    PrunedTraining training =
        training()
            .precision(NumberFormat.BF16)
            .ranks(2)
            .batches(SMALL.withCheckpointActivations(true))
            .optimizer(OptimizerSettings.DEFAULT.withOptimizer(OptimizerSettings.Kind.SGD));
    RunPlan[] plan = new RunPlan[1];
    training.onPlan(p -> plan[0] = p).train();
    assertThat(Optional.ofNullable(plan[0]))
        .hasValueSatisfying(p -> {
          assertThat(p.state().format()).isEqualTo(NumberFormat.BF16);
          assertThat(p.state().rule().slots()).isEqualTo(1);
          assertThat(p.grid().data()).isEqualTo(2);
          assertThat(p.settings().batches().checkpointActivations()).isTrue();
          assertThat(p.operations()).isEqualTo(4 * 8 * p.architecture().operations());
        });
  }
}
