package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Fixtures;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.MaskReport;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.pruned.prune.Pruning.Gradual;
import dev.gossamer.pruned.prune.Pruning.Never;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs that remove units, and the models that they leave.
class SmallerNetworkTest {
  @TempDir static Path shared;
  private static Path text = Path.of("");
  private static Path run = Path.of("");

  @TempDir Path folder;

  @BeforeAll
  static void train() throws IOException {
    text = TinyText.write(shared);
    run = Objects.requireNonNull(texts().folder(shared.resolve("runs")).train().plan().folder());
  }

  /// Heads and neurons are 24,576 of 43,936 parameters.
  private static PrunedTraining texts() {
    return TinyText.training(text)
        .sparsity(0.4)
        .pruning(
            PruningSettings.DEFAULT
                .withWhen(new Pruning.OneShot(3))
                .withSparsity(0.4)
                .withCriterion(Criterion.STRUCTURES));
  }

  private static PrunedTraining images(Path folder) {
    Fixtures.mnistLike(folder, 40, 8, 8);
    return PrunedTraining.on(folder)
        .iterations(6)
        .batch(8)
        .microbatch(4)
        .machine(TinyText.MACHINE)
        .pruning(
            PruningSettings.DEFAULT
                .withWhen(new Gradual(1, 5, 2))
                .withSparsity(0.8)
                .withCriterion(Criterion.CHANNELS));
  }

  private static Safetensors.Tensor tensor(Path file, String name) {
    Safetensors.Tensor found = Safetensors.open(Arena.ofAuto(), file).tensors().get(name);
    return Objects.requireNonNull(found);
  }

  @Test
  void theFileOfALanguageModelHasTheSmallerShapes() throws IOException {
    PrunedModel model = PrunedModel.open(run);
    Map<String, Integer> widths = model.architecture().widths();
    int heads = widths.getOrDefault("blocks.0.attention", 0);
    int neurons = widths.getOrDefault("blocks.1.mlp.in", 0);
    assertThat(heads).isEqualTo(1);
    assertThat(neurons).isBetween(1, 127);
    Path file = run.resolve("model.safetensors");
    assertThat(tensor(file, "blocks.0.attention.in.weight").shape()).isEqualTo(List.of(32L, 48L));
    assertThat(tensor(file, "blocks.0.attention.in.bias").shape()).isEqualTo(List.of(48L));
    assertThat(tensor(file, "blocks.0.attention.out.weight").shape()).isEqualTo(List.of(16L, 32L));
    assertThat(tensor(file, "blocks.1.mlp.in.weight").shape())
        .isEqualTo(List.of(32L, (long) neurons));
    assertThat(tensor(file, "blocks.1.mlp.out.weight").shape())
        .isEqualTo(List.of((long) neurons, 32L));
    assertThat(Files.size(file)).isBetween(4 * model.kept(), 4 * model.kept() + 6000);
    assertThat(run.resolve("mask.safetensors")).doesNotExist();
    assertThat(model.sparsity()).isCloseTo(0.4, within(0.01));
    assertThat(model.facts()).containsEntry("criterion", "structures");
    try (Corpus corpus = model.corpus(text)) {
      Score score =
          model.evaluate(corpus, Part.VALIDATION, EvaluationSettings.DEFAULT.withSamples(16));
      assertThat(score.loss())
          .isCloseTo(
              Double.parseDouble(model.facts().getOrDefault("validation_loss", "")), within(1e-5));
    }
    assertThat(model.generate("keep ", GenerationSettings.DEFAULT.withCount(20).withThreads(1)))
        .isNotEmpty();
  }

  @Test
  void whatARunHasRemovedIsReported() {
    MaskReport report = PrunedModel.inspectAt(run);
    MaskReport.Matrix in =
        report.matrices().stream()
            .filter(each -> each.name().equals("blocks.0.attention.in.weight"))
            .findFirst()
            .orElseThrow();
    assertThat(in.cols()).isEqualTo(96);
    assertThat(in.emptyColumns()).isEqualTo(48);
    assertThat(in.survivors()).isEqualTo(32 * 48);
    assertThat(report.removed()).isTrue();
    assertThat(report.indexBytes(IndexKind.INT32)).isZero();
  }

  /// The layout of GPT-2 has one width for all layers.
  @Test
  void whatIsRemovedIsZeroInTheLayoutOfGpt2() {
    PrunedModel model = PrunedModel.open(run);
    Path written = model.writeHuggingFace(folder.resolve("gpt2"));
    Path file = written.resolve("model.safetensors");
    assertThat(tensor(file, "transformer.h.0.attn.c_attn.weight").shape())
        .isEqualTo(List.of(32L, 96L));
    PrunedModel whole = PrunedModel.open(written);
    assertThat(whole.architecture().widths()).isEmpty();
    try (Corpus corpus = model.corpus(text)) {
      assertThat(whole.evaluate(corpus, Part.VALIDATION).loss())
          .isCloseTo(model.evaluate(corpus, Part.VALIDATION).loss(), within(1e-6));
    }
    assertThat(whole.generate("keep ", GenerationSettings.DEFAULT.withCount(20).withThreads(1)))
        .isEqualTo(
            model.generate("keep ", GenerationSettings.DEFAULT.withCount(20).withThreads(1)));
  }

  @Test
  void otherFormsAreRefused() {
    PrunedModel model = PrunedModel.open(run);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> model.write(folder.resolve("m"), ModelFormat.MASK))
        .withMessageEndingWith("found one whose pruned units were removed; write it as dense");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedModel.maskAt(run))
        .withMessageEndingWith("pruned units were removed, which has no mask to compare");
  }

  /// The smaller network is trained on, and may be pruned by elements then.
  @Test
  void aSmallerNetworkIsFineTuned() {
    PrunedModel start = PrunedModel.open(run);
    PrunedTraining training =
        TinyText.training(text)
            .model(ModelSettings.DEFAULT)
            .from(start)
            .iterations(IterationSettings.DEFAULT.withIterations(2).withEvaluateSamples(16));
    PrunedModel same = training.prune(new Never()).run();
    assertThat(same.architecture()).isEqualTo(start.architecture());
    assertThat(same.kept()).isEqualTo(start.kept());
    PrunedModel pruned = training.prune(new Pruning.OneShot(0)).sparsity(0.5).run();
    assertThat(pruned.architecture()).isEqualTo(start.architecture());
    assertThat(pruned.kept()).isEqualTo(start.kept() - Math.round(0.5 * (double) start.kept()));
    assertThat(PrunedModel.maskAt(pruned.write(folder.resolve("pruned"))).count())
        .isEqualTo(pruned.kept());
  }

  @Test
  void aTicketWithAllUnitsIsNone() {
    PruningSettings all =
        PruningSettings.DEFAULT
            .withWhen(Pruning.EarlyBird.DEFAULT.withPruneUntil(3))
            .withSparsity(1e-9)
            .withCriterion(Criterion.STRUCTURES);
    PrunedResult done = texts().sparsity(1e-9).pruning(all).train();
    assertThat(Objects.requireNonNull(done.summary()).ticket()).isNull();
    assertThat(Objects.requireNonNull(done.model()).architecture().widths()).isEmpty();
  }

  @Tag("slow")
  @Test
  void channelsAreRemovedStepByStep() throws IOException {
    Path data = Files.createDirectory(folder.resolve("images"));
    PrunedResult done = images(data).folder(folder.resolve("runs")).train();
    RunSummary summary = Objects.requireNonNull(done.summary());
    PrunedModel model = Objects.requireNonNull(done.model());
    assertThat(summary.sparsity()).isCloseTo(0.8, within(0.02)).isEqualTo(model.sparsity());
    assertThat(summary.state().allocated())
        .isLessThanOrEqualTo(summary.state().formula())
        .isCloseTo(16 * summary.kept(), within(summary.kept()));
    PrunedModel again = PrunedModel.open(Objects.requireNonNull(done.plan().folder()));
    assertThat(again.architecture()).isEqualTo(model.architecture());
    try (Corpus corpus = again.corpus(data)) {
      assertThat(again.evaluate(corpus, Part.VALIDATION).loss())
          .isEqualTo(model.evaluate(corpus, Part.VALIDATION).loss());
    }
    assertThat(again.facts())
        .containsEntry("validation_loss", model.facts().get("validation_loss"));
  }

  /// Stages are cut anew when channels have gone, and where the run is resumed.
  @Tag("slow")
  @Test
  void stagesOfASmallerNetworkAreResumedToTheSameBits() throws IOException {
    PrunedTraining training =
        images(Files.createDirectory(folder.resolve("images"))).ranks(2).stages(2);
    PrunedModel whole = training.run();
    int[] done = {0};
    PrunedResult part =
        training
            .folder(folder.resolve("runs"))
            .onIteration(record -> done[0] = record.number())
            .stopWhen(() -> done[0] >= 3)
            .train();
    assertThat(part.result().interrupted()).isTrue();
    PrunedModel resumed = training.resume(Objects.requireNonNull(part.plan().folder())).run();
    assertThat(resumed.architecture()).isEqualTo(whole.architecture());
    assertThat(resumed.write(folder.resolve("resumed")))
        .hasSameBinaryContentAs(whole.write(folder.resolve("whole")));
    // Replicas sum statistics of batch normalisation in another order, and prune as far.
    RunSummary replicas = Objects.requireNonNull(training.stages(1).train().summary());
    assertThat(replicas.sparsity()).isCloseTo(0.8, within(0.02));
  }

  /// With fewer units the network fits one stage, and goes on there: to the bits of a run that is
  /// resumed there.
  @Test
  void aSmallerNetworkGoesOnWithFewerStages() throws IOException {
    PrunedMachineSettings machine = TinyText.MACHINE;
    PrunedTraining two = texts().ranks(2).machine(machine);
    long one = two.stages(1).train().plan().rank().memory().bytes();
    PrunedResult moved = two.automaticStages().machine(machine.withMemoryPerRank(one - 1)).train();
    assertThat(moved.result().records())
        .extracting(record -> record.grid().inter())
        .containsExactly(2, 2, 2, 1, 1, 1);
    int[] done = {0};
    PrunedResult stopped =
        two.stages(2)
            .folder(folder)
            .onIteration(record -> done[0] = record.number())
            .stopWhen(() -> done[0] >= 2)
            .train();
    PrunedModel resumed =
        two.stages(1).resume(Objects.requireNonNull(stopped.plan().folder())).run();
    assertThat(resumed.write(folder.resolve("resumed")))
        .hasSameBinaryContentAs(
            Objects.requireNonNull(moved.model()).write(folder.resolve("moved")));
  }

  @Test
  void aPlanHasTheStateOfTheSmallerNetwork() {
    PlannedRun planned = texts().planAsSet(PrunedPlanTest.place(1, 16L << 30)).runs().getFirst();
    PrunedModel model = PrunedModel.open(run);
    assertThat(planned.compute()).isEqualTo(PlannedRun.Compute.SMALLER);
    assertThat(planned.stateBytes().last()).isEqualTo(16 * model.kept());
    assertThat(planned.last().memory().bytes())
        .isLessThan(planned.unpruned().memory().bytes() - 16 * (model.parameters() - model.kept()));
    assertThat(planned.last().traffic().bytes()).isZero();
  }
}
