package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.Operation;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.pruned.PlannedRun.Compute;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.pruned.corpus.Fixtures;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.FlatSpeed;
import dev.gossamer.pruned.pipeline.GridPlan;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning.EarlyBird;
import dev.gossamer.pruned.prune.Pruning.Never;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrunedPlanTest {
  private static final long ROOMY = 1L << 40;

  @TempDir Path folder;

  /// Ranks of one node, as threads, of a machine that nothing is measured of.
  static RankPlace place(int ranks, long memory) {
    return new RankPlace(ranks, 1, ranks, 1, false, memory, new FlatSpeed(1e12, 1e-6, 1e-9));
  }

  private static PrunedTraining large() {
    return PrunedTraining.onJdkText()
        .model("gpt-2.7b")
        .prune(EarlyBird.DEFAULT)
        .sparsity(0.9)
        .batch(64)
        .microbatch(1)
        .machine(PrunedMachineSettings.DEFAULT.withTaken(0L))
        .automaticStages();
  }

  private static List<PlannedRun> of(PrunedPlan plan, Compute compute) {
    return plan.runs().stream().filter(run -> run.compute() == compute).toList();
  }

  @Test
  void aPlanOfDataHasTheirSizes() throws IOException {
    Path text = TinyText.write(folder);
    PrunedPlan plan =
        PrunedTraining.on(text)
            .model("gpt-tiny")
            .tokens(new Tokens.Bytes())
            .plan(List.of(place(1, ROOMY)));
    assertThat(plan.data()).startsWith("words.txt");
    assertThat(plan.network().output().channels()).isEqualTo(256);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> PrunedTraining.on(Path.of("nowhere")).plan(List.of(place(1, ROOMY))))
        .withMessageContaining("nowhere");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> PrunedTraining.on(text).model("vgg-mnist").plan(List.of(place(1, ROOMY))))
        .withMessageStartingWith("model: vgg-mnist is for images");
  }

  /// What is read is gone when ranks take their memory: the larger of the two counts.
  @Test
  void openingDataCountsWhereRanksTakeLess() {
    List<StagePart> stages = large().plan(List.of(place(1, ROOMY))).runs().getFirst().stages();
    PruningChoice never =
        PruningSettings.DEFAULT
            .withWhen(new Never())
            .over(10, stages.getFirst().network(), StorageSettings.DEFAULT);
    long ranks = needed(stages, never, CorpusMemory.NONE);
    assertThat(needed(stages, never, new CorpusMemory(100, 100 + ranks))).isEqualTo(100 + ranks);
    assertThat(needed(stages, never, new CorpusMemory(100, 150 + ranks))).isEqualTo(150 + ranks);
  }

  private static long needed(List<StagePart> stages, PruningChoice pruning, CorpusMemory process) {
    return GridPlan.largest(stages, new GridPlan.Demand(pruning, List.of(0.0), 1, process)).bytes();
  }

  /// `20 phi` unpruned, `2 phi + 22 f phi` with dense products and `phi / 32 + 22 f phi` with
  /// sparse ones (SAMO, section III-D); no memory is taken, and no text is read.
  @Test
  void everyGridIsPlannedWithEachKindOfProducts() {
    PrunedPlan plan = large().plan(List.of(place(1, ROOMY), place(4, ROOMY)));
    assertThat(plan.data()).isNull();
    assertThat(plan.sparsity()).isEqualTo(0.9);
    double phi = plan.network().parameters();
    assertThat(phi).isBetween(2.5e9, 2.9e9);
    double[] states = {20, 2 + 2.2, 1 / 32.0 + 2.2};
    Compute[] computes = {Compute.DENSE, Compute.COMPRESSED, Compute.SPARSE};
    for (int i = 0; i < computes.length; i++) {
      List<PlannedRun> runs = of(plan, computes[i]);
      assertThat(runs)
          .extracting(run -> run.place().ranks() + ": " + run.grid())
          .containsExactlyInAnyOrder("1: 1x1", "4: 1x4", "4: 2x2", "4: 4x1");
      assertThat(runs.getFirst().stateBytes().last() / phi)
          .isBetween(0.999 * states[i], 1.001 * states[i]);
    }
    assertThat(plan.runs()).hasSize(12).allMatch(PlannedRun::fits);
    assertThat(plan.runs()).isSortedAccordingTo((a, b) -> Double.compare(a.seconds(), b.seconds()));
    PlannedRun best = plan.runs().getFirst();
    assertThat(best.compute()).isEqualTo(Compute.SPARSE);
    assertThat(best.grid().toString()).isEqualTo("1x4");
  }

  /// What has a state of 20 bytes a parameter fits once pruned; activations are its larger part.
  @Test
  void whatDoesNotFitComesLast() {
    PrunedPlan plan = large().plan(List.of(place(16, 32L << 30)));
    PlannedRun last =
        of(plan, Compute.SPARSE).stream()
            .filter(run -> run.grid().inter() == 1)
            .findFirst()
            .orElseThrow();
    assertThat(last.fits()).isFalse();
    assertThat(last.fitsInTheEnd()).isTrue();
    assertThat(last.isMostlyActivations()).isTrue();
    // Of 36 blocks the input alone: 2048 tokens of 2560 channels, 20 MiB.
    assertThat(last.checkpointedBytes()).isLessThan(last.activationBytes() / 4);
    PrunedPlan again =
        large()
            .batches(
                BatchSettings.DEFAULT
                    .withBatch(64)
                    .withMicrobatch(1)
                    .withCheckpointActivations(true))
            .stages(1)
            .plan(List.of(place(16, 32L << 30)));
    assertThat(again.runs())
        .allMatch(run -> run.grid().inter() == 1)
        .noneMatch(PlannedRun::isMostlyActivations)
        .allMatch(run -> run.activationBytes() == last.checkpointedBytes());
    List<Boolean> fits = plan.runs().stream().map(PlannedRun::fits).toList();
    assertThat(fits.lastIndexOf(true)).isLessThan(fits.indexOf(false));
  }

  /// The text that a rank learns from is read for its tokens; what else is set is what is planned.
  @Test
  void settingsNarrowThePlan() throws IOException {
    PrunedTraining tiny = TinyText.training(TinyText.write(folder)).automaticStages();
    List<RankPlace> two = List.of(place(2, ROOMY));
    assertThat(tiny.prune(new Never()).plan(two).runs())
        .hasSize(2)
        .allMatch(run -> run.compute() == Compute.DENSE);
    StorageSettings storage = StorageSettings.DEFAULT;
    assertThat(tiny.storage(storage.withProducts(Products.SPARSE)).plan(two).runs())
        .hasSize(2)
        .allMatch(run -> run.compute() == Compute.SPARSE);
    assertThat(of(tiny.storage(storage.withIndex(IndexKind.BITMAP)).plan(two), Compute.COMPRESSED))
        .hasSize(2);
    // Where nothing travels, and with fewer microbatches than stages, a run would be refused.
    assertThat(tiny.storage(storage.withActivations(NumberFormat.BF16)).plan(two).runs())
        .allMatch(run -> run.grid().inter() == 2);
    assertThat(
            tiny.batches(BatchSettings.DEFAULT.withBatch(8).withMicrobatch(2).withInFlight(1))
                .plan(two)
                .runs())
        .allMatch(run -> run.grid().inter() == 1);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> tiny.plan(List.of(place(5, ROOMY))))
        .withMessageContaining("ranks: expected stages x replicas that share batch 8");
  }

  @Test
  void unitsThatCanBeRemovedAreAWayOfTheirOwn() throws IOException {
    PrunedTraining tiny = TinyText.training(TinyText.write(folder)).sparsity(0.4);
    PrunedPlan plan =
        tiny.pruning(PruningSettings.DEFAULT.withSparsity(0.4)).plan(List.of(place(1, ROOMY)));
    assertThat(plan.runs())
        .extracting(PlannedRun::compute)
        .containsExactlyInAnyOrder(
            Compute.DENSE, Compute.COMPRESSED, Compute.SPARSE, Compute.SMALLER);
    assertThat(of(plan, Compute.SMALLER).getFirst().exact()).isFalse();
    assertThat(of(plan, Compute.SPARSE).getFirst().exact()).isTrue();
    PruningSettings units = PruningSettings.DEFAULT.withCriterion(Criterion.NEURONS);
    assertThat(tiny.pruning(units.withSparsity(0.2)).plan(List.of(place(1, ROOMY))).runs())
        .extracting(PlannedRun::compute)
        .containsExactlyInAnyOrder(Compute.DENSE, Compute.SMALLER);
  }

  /// Statistics of batch normalisation are summed over replicas, too.
  @Test
  void aRunAsItIsSetIsPlannedAndSendsWhatThePlanSays() {
    Fixtures.mnistLike(folder, 20, 8, 8);
    List<IterationRecord> records = new ArrayList<>();
    PrunedTraining images =
        PrunedTraining.on(folder)
            .iterations(1)
            .batch(4)
            .microbatch(2)
            .ranks(2)
            .machine(TinyText.MACHINE)
            .prune(new Never())
            .onIteration(records::add);
    PlannedRun planned = images.planAsSet(place(2, ROOMY)).runs().getFirst();
    assertThat(records).isEmpty();
    assertThat(planned.grid().toString()).isEqualTo("1x2");
    images.train();
    assertThat(records.getFirst().result().sent().all().bytes(Operation.ALL_REDUCE)).isPositive();
    assertThat(planned.last().traffic().mostSent())
        .isEqualTo(records.getFirst().result().sent().all().totalBytes());
    assertThat(planned.last().traffic().messages())
        .isEqualTo(2 * records.getFirst().result().sent().all().totalMessages());
  }
}
