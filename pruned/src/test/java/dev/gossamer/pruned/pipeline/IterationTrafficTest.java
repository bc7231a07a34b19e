package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.PipelineRuns.Case;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What is counted before a run is what its ranks send.
class IterationTrafficTest {
  @TempDir static Path folder;
  static Path text = Path.of("");

  @BeforeAll
  static void write() throws IOException {
    text = PipelineRuns.text(folder);
  }

  static Stream<Case> cases() {
    return Stream.of(
            Case.on(1, 1),
            Case.on(1, 2).with(NumberFormat.BF16),
            Case.on(4, 1).withActivations(NumberFormat.BF16),
            Case.on(2, 4),
            Case.on(2, 2).with(StateSettings.Products.SPARSE))
        .map(each -> each.with(new Pruning.OneShot(1)));
  }

  /// An iteration before the network is pruned, and one after that.
  private static List<Traffic.Snapshot> iterations(Communicator world, Case what) {
    StagePart part = what.parts().get(what.grid().stage(world.rank()));
    PruningChoice pruning = what.choice();
    RunFolder none = new RunFolder(folder.resolve("none"));
    List<Traffic.Snapshot> sent = new ArrayList<>();
    try (Corpus corpus =
            Corpora.open(text, new Tokens.Bytes(), PipelineRuns.LENGTH, ReadingProgress.SILENT);
        Workers workers = new Workers(1);
        PipelineTrainer trainer =
            PipelineTrainer.open(
                world,
                part,
                Beginning.of(part, pruning, null, none),
                corpus,
                RankEnvironment.of(workers))) {
      Pruner pruner = new Pruner(pruning, part.network(), trainer);
      for (int step = 0; step < 2; step++) {
        pruner.before(step);
        sent.add(trainer.iterate(step, 1e-3, false).sent().all());
      }
    }
    return sent;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void bytesAndMessagesAreThoseOfTheRun(Case what) {
    List<List<Traffic.Snapshot>> ranks = Collections.synchronizedList(new ArrayList<>());
    ThreadRanks.run(
        what.grid().ranks(), ThreadOptions.DEFAULT, world -> ranks.add(iterations(world, what)));
    for (int step = 0; step < 2; step++) {
      int at = step;
      List<Traffic.Snapshot> sent = ranks.stream().map(each -> each.get(at)).toList();
      IterationTraffic planned = IterationTraffic.of(what.parts(), step == 0 ? 0 : what.sparsity());
      assertThat(planned.bytes())
          .isEqualTo(sent.stream().mapToLong(Traffic.Snapshot::totalBytes).sum());
      assertThat(planned.messages())
          .isEqualTo(sent.stream().mapToLong(Traffic.Snapshot::totalMessages).sum());
      assertThat(planned.activationBytes())
          .isEqualTo(sent.stream().mapToLong(each -> each.bytes(Operation.SEND)).sum());
      assertThat(planned.mostSent())
          .isEqualTo(sent.stream().mapToLong(Traffic.Snapshot::totalBytes).max().orElse(-1));
    }
  }
}
