package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.MpiProgram;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.PipelineRuns.Case;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PipelineTrainingTest {
  /// Never asked to stop.
  private static final int TO_THE_END = Integer.MAX_VALUE;

  /// Gradients differ by the order of a few sums, `1e-6` of themselves at most. Adam makes of a
  /// gradient near zero a step of any sign as long as the rate, so a loss may differ by the rate's
  /// share of a few weights.
  private static final double ROUNDING = 2e-4;

  @TempDir Path folder;
  private Path text = Path.of("");
  private int runs;

  @BeforeEach
  void write() throws IOException {
    text = PipelineRuns.text(folder);
  }

  private Path newFolder() throws IOException {
    return Files.createDirectory(folder.resolve("run" + runs++));
  }

  private List<Double> losses(Case what) throws IOException {
    return losses(what, newFolder(), TO_THE_END);
  }

  /// Losses of the first rank.
  private List<Double> losses(Case what, Path run, int stopAfter) {
    List<Double> losses = new ArrayList<>();
    ThreadRanks.run(
        what.grid().ranks(),
        world -> {
          List<Double> mine = PipelineRuns.losses(world, text, run, what, stopAfter);
          if (world.rank() == 0) {
            losses.addAll(mine);
          }
        });
    return losses;
  }

  private static void assertClose(List<Double> found, List<Double> expected) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(found.get(i)).as("loss %d", i).isCloseTo(expected.get(i), within(ROUNDING));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "1, 4", "2, 1", "2, 2", "4, 1", "4, 2"})
  void everyGridGivesTheLossesOfOneRankPrunedOnTheWay(int inter, int data) throws IOException {
    List<Double> expected = losses(Case.on(1, 1));
    assertThat(expected.get(1)).isLessThan(expected.get(0));
    assertClose(losses(Case.on(inter, data)), expected);
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(names = {"PER_LAYER", "GLOBAL", "BLOCKS", "NEURONS", "STRUCTURES"})
  void whatIsPrunedDoesNotDependOnTheGrid(Criterion criterion) throws IOException {
    List<Double> alone = losses(Case.on(1, 1).with(new Pruning.OneShot(0)).with(criterion));
    List<Double> staged = losses(Case.on(4, 1).with(new Pruning.OneShot(0)).with(criterion));
    // Before the first step all weights are equal bit by bit, so the first loss tells the masks.
    assertThat(staged.getFirst()).isCloseTo(alone.getFirst(), within(1e-6));
    assertClose(staged, alone);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"2, 2, FLOAT32", "4, 2, BF16", "2, 1, FP16"})
  void theSameSeedGivesTheSameBits(int inter, int data, NumberFormat format) throws IOException {
    Case what = Case.on(inter, data).with(format);
    assertThat(losses(what)).isEqualTo(losses(what));
  }

  @Test
  void computingActivationsAgainChangesNoBit() throws IOException {
    Case what = Case.on(2, 2).with(NumberFormat.BF16);
    assertThat(losses(what.withCheckpointing())).isEqualTo(losses(what));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"2, 2, 2", "2, 2, 3", "4, 1, 4"})
  void howManyMicrobatchesAreInFlightChangesNoBit(int inter, int data, int inFlight)
      throws IOException {
    Case what = Case.on(inter, data).with(NumberFormat.BF16);
    assertThat(losses(what.withInFlight(inFlight))).isEqualTo(losses(what));
  }

  @Test
  void theKindOfIndexChangesNoBit() throws IOException {
    assertThat(losses(Case.on(1, 2).with(IndexKind.BITMAP))).isEqualTo(losses(Case.on(1, 2)));
  }

  /// Chosen for each matrix, products of the head and rows of the embedding are sparse here, and
  /// all others dense.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 1, SPARSE", "1, 2, AUTO", "2, 1, SPARSE", "2, 2, SPARSE", "2, 2, AUTO"})
  void allProductsGiveTheLossesOfDenseOnes(int inter, int data, Products products)
      throws IOException {
    Case what = Case.on(inter, data);
    assertClose(losses(what.with(products)), losses(what));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 1, SPARSE", "1, 2, AUTO", "2, 1, SPARSE", "2, 2, SPARSE"})
  void productsByBlocksGiveTheLossesOfDenseOnes(int inter, int data, Products products)
      throws IOException {
    Case what = Case.on(inter, data).with(Criterion.BLOCKS).with(new Pruning.Gradual(1, 4, 1));
    assertClose(losses(what.with(products)), losses(what));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, DENSE, PER_LAYER",
    "1, 1, 4, AUTO, PER_LAYER",
    "2, 2, 4, SPARSE, PER_LAYER",
    "2, 1, 4, SPARSE, BLOCKS"
  })
  void aRunGoesOnToTheSameBits(
      int inter, int data, int stopAfter, Products products, Criterion criterion)
      throws IOException {
    Case what =
        Case.on(inter, data)
            .with(NumberFormat.BF16)
            .with(products)
            .with(criterion)
            .with(new Pruning.EarlyBird(1, 2, 1, PipelineRuns.ITERATIONS));
    List<Double> whole = losses(what);
    Path run = newFolder();
    List<Double> parts = new ArrayList<>(losses(what, run, stopAfter + 1));
    assertThat(parts).hasSizeLessThan(whole.size());
    parts.addAll(losses(what, run, TO_THE_END));
    assertThat(parts).isEqualTo(whole);
    assertThat(Files.readAllLines(run.resolve("metrics.jsonl"))).hasSize(PipelineRuns.ITERATIONS);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 2, HEADS", "2, 1, NEURONS", "2, 2, STRUCTURES"})
  void everyGridGivesTheLossesOfOneRankThatRemovesUnits(int inter, int data, Criterion criterion)
      throws IOException {
    List<Double> expected = losses(Case.on(1, 1).with(criterion));
    List<Double> found = losses(Case.on(inter, data).with(criterion));
    assertClose(found, expected);
    assertThat(losses(Case.on(inter, data).with(criterion))).isEqualTo(found);
    assertThat(losses(Case.on(1, 1)).getLast()).isNotEqualTo(expected.getLast());
  }

  /// Stopped before any unit is removed, between two steps, and behind the last one.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 1, 1, GRADUAL", "1, 2, 3, GRADUAL", "2, 1, 4, GRADUAL", "1, 1, 1, EARLY_BIRD"})
  void aRunThatRemovesUnitsGoesOnToTheSameBits(int inter, int data, int stopAfter, String when)
      throws IOException {
    Pruning pruning =
        when.equals("GRADUAL")
            ? new Pruning.Gradual(1, 4, 1)
            : new Pruning.EarlyBird(1, 2, 1, PipelineRuns.ITERATIONS);
    Case what =
        Case.on(inter, data).with(NumberFormat.BF16).with(Criterion.STRUCTURES).with(pruning);
    List<Double> whole = losses(what);
    Path run = newFolder();
    List<Double> parts = new ArrayList<>(losses(what, run, stopAfter + 1));
    parts.addAll(losses(what, run, TO_THE_END));
    assertThat(parts).isEqualTo(whole);
    List<String> lines = Files.readAllLines(run.resolve("metrics.jsonl"));
    assertThat(lines).hasSize(PipelineRuns.ITERATIONS);
    assertThat(lines.getLast()).containsPattern("\"sparsity\":0\\.(19|20)");
  }

  @Test
  void aRunThatRemovesUnitsGoesOnOnAnotherGrid() throws IOException {
    List<Double> whole = losses(Case.on(1, 1).with(Criterion.STRUCTURES));
    Path run = newFolder();
    List<Double> parts = new ArrayList<>(losses(Case.on(2, 1).with(Criterion.STRUCTURES), run, 4));
    parts.addAll(losses(Case.on(1, 2).with(Criterion.STRUCTURES), run, TO_THE_END));
    assertClose(parts, whole);
  }

  /// What is allocated for the smaller network is what has been estimated.
  @Test
  void theStateOfASmallerNetworkIsThatOfItsSizes() throws IOException {
    StagePart whole = Case.on(1, 1).with(NumberFormat.BF16).parts().getFirst();
    PruningChoice choice =
        new PruningChoice(
            new Pruning.OneShot(0), Criterion.STRUCTURES, 0.2, BlockShape.DEFAULT, null);
    assertThat(choice.sparsities()).containsExactly(0.0, 0.2);
    try (Corpus corpus =
            Corpora.open(text, new Tokens.Bytes(), PipelineRuns.LENGTH, ReadingProgress.SILENT);
        Workers workers = new Workers(1);
        PipelineTrainer trainer =
            PipelineTrainer.open(
                ThreadRanks.alone(),
                whole,
                Beginning.whole(whole, whole.firstValues()),
                corpus,
                RankEnvironment.of(workers))) {
      assertThat(new Pruner(choice, whole.network(), trainer).before(0)).isTrue();
      long left = item(whole.memory(choice, List.of(0.2), 1), "state");
      // Vectors have no 16-bit copy and travel in 16 bits: 18 bytes of 20.
      long vectors = trainer.part().layout().where(entry -> entry.rows() == 1).count();
      assertThat(trainer.state().formulaBytes()).isEqualTo(left);
      assertThat(trainer.state().bytes()).isEqualTo(left - 2 * vectors);
      assertThat(trainer.part().plan().bytes())
          .isEqualTo(item(whole.memory(choice, List.of(0.2), 1), "activations"))
          .isLessThan(whole.plan().bytes());
      MemoryEstimate all = whole.memory(choice, choice.sparsities(), 1);
      assertThat(item(all, "state")).isEqualTo(20 * whole.network().parameters());
      assertThat(item(all, "while it is pruned")).isEqualTo(left);
    }
  }

  private static long item(MemoryEstimate memory, String name) {
    return memory.items().stream()
        .filter(item -> item.name().equals(name))
        .mapToLong(MemoryEstimate.Item::bytes)
        .sum();
  }

  @Test
  void aRunGoesOnOnAnotherGrid() throws IOException {
    List<Double> whole = losses(Case.on(1, 1));
    Path run = newFolder();
    List<Double> parts = new ArrayList<>(losses(Case.on(2, 2), run, 4));
    parts.addAll(losses(Case.on(4, 1), run, TO_THE_END));
    assertClose(parts, whole);
  }

  /// A checkpoint has the survivors in the order of their positions, whatever products read.
  @Test
  void aRunGoesOnWithOtherProducts() throws IOException {
    List<Double> whole = losses(Case.on(1, 1));
    Path run = newFolder();
    List<Double> parts = new ArrayList<>(losses(Case.on(1, 1).with(Products.SPARSE), run, 3));
    parts.addAll(losses(Case.on(2, 1), run, 1));
    parts.addAll(losses(Case.on(1, 2).with(Products.AUTO), run, TO_THE_END));
    assertClose(parts, whole);
  }

  @Test
  void pruningStepByStepEndsAtTheSparsity() throws IOException {
    Case what = Case.on(2, 1).with(new Pruning.Gradual(1, 4, 1));
    Path run = newFolder();
    losses(what, run, TO_THE_END);
    List<String> lines = Files.readAllLines(run.resolve("metrics.jsonl"));
    assertThat(lines.getFirst()).contains("\"sparsity\":0.0,");
    assertThat(lines.getLast()).containsPattern("\"sparsity\":0\\.(8|79999|80000)");
  }

  @Test
  void aDamagedCheckpointIsRefused() throws IOException {
    Path run = newFolder();
    losses(Case.on(1, 1), run, 3);
    try (var files = Files.newDirectoryStream(run.resolve("checkpoint"), "*.safetensors")) {
      Path file = files.iterator().next();
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 1]++;
      Files.write(file, bytes);
    }
    assertThatThrownBy(() -> losses(Case.on(1, 1), run, TO_THE_END))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("the checkpoint is damaged");
  }

  @Tag("slow")
  @Test
  void ranksThatAreProcessesGiveTheSameBits() throws IOException, InterruptedException {
    MpiProgram.Outcome outcome =
        MpiProgram.run(
            folder,
            MpiProgram.OPEN_MPI,
            4,
            MpiPipelineRuns.class,
            text.toString(),
            newFolder().toString(),
            newFolder().toString());
    assertThat(outcome.status()).as(outcome.output()).isZero();
    for (Case what : MpiPipelineRuns.CASES) {
      assertThat(outcome.output()).contains("losses: " + losses(what));
    }
  }
}
