package dev.gossamer.cli;

import dev.gossamer.pruned.PlannedRun;
import dev.gossamer.pruned.PrunedPlan;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The command that trains a pruned network as planned: the flags that were given to the plan, and
/// those of the planned run.
final class PruneArguments {
  /// Flags of a plan that a training has not, or that the planned run decides.
  private static final Set<String> OWN =
      Set.of(
          "--all",
          "--cluster",
          "--compute",
          "--inter",
          "--json",
          "--quiet",
          "--ranks",
          "--stacktrace",
          "--verbose");

  /// Tokens of GPT-2, whose networks are planned with them where no data say otherwise.
  private static final int PUBLISHED_TOKENS = 50_257;

  private PruneArguments() {}

  /// The command as a shell reads it.
  static String command(ParseResult given, PrunedPlan plan, PlannedRun run) {
    List<String> words = new ArrayList<>();
    if (plan.data() == null && !given.hasMatchedOption("--from")) {
      addData(words, plan);
    }
    for (OptionSpec flag : given.matchedOptions()) {
      String name = flag.longestName();
      boolean prunes =
          flag.userObject() instanceof Member member
              && member.getDeclaringClass() == PruneOptions.class;
      if (OWN.contains(name) || (prunes && run.compute() == PlannedRun.Compute.DENSE)) {
        continue;
      }
      words.add(name);
      if (flag.arity().max() > 0) {
        words.add(String.join(",", flag.originalStringValues()));
      }
    }
    addCompute(words, given, run);
    int ranks = run.place().ranks();
    if (ranks > 1 && !run.place().processes()) {
      words.addAll(List.of("--ranks", "" + ranks));
    }
    if (run.grid().inter() > 1) {
      words.addAll(List.of("--inter", "" + run.grid().inter()));
    }
    return (run.place().processes() ? "mpirun -np %d ".formatted(ranks) : "")
        + "gossamer prune train"
        + words.stream()
            .map(word -> " " + TrainArguments.quoted(word))
            .collect(Collectors.joining());
  }

  /// What the sizes of a publication take: images, or the JDK's text in tokens of GPT-2.
  private static void addData(List<String> words, PrunedPlan plan) {
    if (plan.network().input().channels() > 1 || plan.network().input().width() > 1) {
      words.addAll(List.of("--data", "FOLDER"));
    } else if (plan.network().output().channels() == PUBLISHED_TOKENS) {
      words.addAll(List.of("--tokens", "bpe"));
    }
  }

  private static void addCompute(List<String> words, ParseResult given, PlannedRun run) {
    switch (run.compute()) {
      case DENSE -> words.addAll(List.of("--prune", "none"));
      case COMPRESSED -> words.addAll(List.of("--compute", "dense"));
      case SPARSE -> {
        // With the index of dense products it is what auto comes to.
        if (!given.hasMatchedOption("--index") && !given.hasMatchedOption("--downcast")) {
          words.addAll(List.of("--compute", "sparse"));
        }
      }
      case MIXED, SMALLER -> {}
    }
  }
}
