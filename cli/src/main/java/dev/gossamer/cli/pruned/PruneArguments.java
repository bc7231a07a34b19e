package dev.gossamer.cli.pruned;

import dev.gossamer.cli.settings.CommandWords;
import dev.gossamer.cli.settings.FlagValues;
import dev.gossamer.pruned.PlannedRun;
import dev.gossamer.pruned.PrunedPlan;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.LaunchSettings;
import java.util.ArrayList;
import java.util.List;

/// The command that trains a pruned network as planned, with the flags that differ from the
/// defaults.
public final class PruneArguments {
  /// Tokens of GPT-2, whose networks are planned with them where no data say otherwise.
  private static final int PUBLISHED_TOKENS = 50_257;

  private PruneArguments() {}

  /// Returns the command for a shell.
  ///
  /// @param asked the run that was planned for
  static String command(PrunedRun asked, PrunedPlan plan, PlannedRun planned) {
    List<String> words = new ArrayList<>();
    if (plan.data() == null && asked.data().from() == null) {
      addData(words, plan);
    }
    words.addAll(words(asked.withTraining(settings(asked.training(), planned))));
    boolean processes = planned.place().processes();
    return (processes ? "mpirun -np %d ".formatted(planned.place().ranks()) : "")
        + "gossamer prune train"
        + CommandWords.joined(words);
  }

  /// Returns the words after `gossamer prune train`.
  public static List<String> words(PrunedRun run) {
    return CommandWords.of(FlagValues.of(run), FlagValues.of(PrunedRun.DEFAULT));
  }

  /// The settings of the planned run.
  private static PrunedSettings settings(PrunedSettings asked, PlannedRun planned) {
    int ranks = planned.place().processes() ? 1 : planned.place().ranks();
    PrunedSettings placed =
        asked.withStages(planned.grid().inter()).withRanks(LaunchSettings.of(ranks));
    StorageSettings storage = asked.storage();
    return switch (planned.compute()) {
      case DENSE -> placed.withPruning(asked.pruning().withWhen(new Pruning.Never()));
      case COMPRESSED -> placed.withStorage(storage.withProducts(Products.DENSE));
      // With the index of dense products it is what auto comes to.
      case SPARSE ->
          storage.index() == null && storage.downCast() == null
              ? placed.withStorage(storage.withProducts(Products.SPARSE))
              : placed;
      case MIXED, SMALLER -> placed;
    };
  }

  /// What the sizes of a publication take: images, or the JDK's text in tokens of GPT-2.
  private static void addData(List<String> words, PrunedPlan plan) {
    if (plan.network().input().channels() > 1 || plan.network().input().width() > 1) {
      words.addAll(List.of("--data", "FOLDER"));
    } else if (plan.network().output().channels() == PUBLISHED_TOKENS) {
      words.addAll(List.of("--tokens", "bpe"));
    }
  }
}
