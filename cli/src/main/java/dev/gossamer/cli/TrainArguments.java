package dev.gossamer.cli;

import dev.gossamer.PlannedStrategy;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Samplers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The command that trains by a planned strategy: the flags that were given to the plan, and those
/// of the strategy.
final class TrainArguments {
  /// Flags of a plan that a training has not, or that are the strategy's.
  private static final Set<String> OWN =
      Set.of(
          "--all",
          "--batch",
          "--cluster",
          "--json",
          "--mode",
          "--placement",
          "--quiet",
          "--ranks",
          "--sampler",
          "--stacktrace");

  /// Flags of some samplers, with the components that they set.
  private static final List<String> OF_SAMPLERS = List.of("fanouts", "layerSizes", "walkLength");

  private TrainArguments() {}

  /// The command as a shell reads it.
  static String command(ParseResult given, PlannedStrategy strategy) {
    PlannedStrategy.Place place = strategy.place();
    String launcher =
        place.processes()
            ? "mpirun -np %d --map-by ppr:%d:node ".formatted(place.ranks(), place.ranksOfNode())
            : "";
    return launcher
        + "gossamer train"
        + words(given, strategy).stream()
            .map(word -> " " + quoted(word))
            .collect(Collectors.joining());
  }

  /// What else a launcher of processes may need to be told.
  static String launch(PlannedStrategy strategy) {
    return "that of Open MPI, which for root needs --allow-run-as-root too; of MPICH, -ppn %d instead of --map-by. Nodes: --hostfile FILE"
        .formatted(strategy.place().ranksOfNode());
  }

  /// What follows `gossamer train`.
  static List<String> words(ParseResult given, PlannedStrategy strategy) {
    MinibatchSettings minibatches = strategy.minibatches();
    List<String> words = new ArrayList<>();
    for (OptionSpec flag : given.matchedOptions()) {
      String name = flag.longestName();
      if (OWN.contains(name) || isOfOtherSampler(name, minibatches)) {
        continue;
      }
      words.add(name);
      if (flag.arity().max() > 0) {
        words.add(String.join(",", flag.originalStringValues()));
      }
    }
    int ranks = strategy.place().ranks();
    if (ranks > 1 && !strategy.place().processes()) {
      add(words, "--ranks", ranks);
    }
    if (minibatches == null) {
      addWhole(words, strategy, ranks);
    } else {
      addSampled(words, given, strategy, minibatches);
    }
    return words;
  }

  private static boolean isOfOtherSampler(String flag, @Nullable MinibatchSettings minibatches) {
    List<String> read =
        minibatches == null ? List.of() : Samplers.of(minibatches.sampler().name()).reads();
    return OF_SAMPLERS.stream()
        .anyMatch(component -> FlagNames.of(component).equals(flag) && !read.contains(component));
  }

  private static void addWhole(List<String> words, PlannedStrategy strategy, int ranks) {
    if (ranks == 1) {
      return;
    }
    ExchangeStrategy exchange = strategy.ranks().strategy();
    add(words, "--placement", strategy.placement());
    if (exchange.kind() == Kind.OBLIVIOUS) {
      add(words, "--exchange", Choice.name(exchange.kind()));
    }
    if (exchange.replication() > 1) {
      add(words, "--replication", exchange.replication());
    }
    if (!exchange.overlap()) {
      add(words, "--overlap", "off");
    }
  }

  private static void addSampled(
      List<String> words,
      ParseResult given,
      PlannedStrategy strategy,
      MinibatchSettings minibatches) {
    add(words, "--mode", "minibatch");
    add(words, "--sampler", minibatches.sampler().name());
    if (given.hasMatchedOption("--batch")) {
      add(words, "--batch", minibatches.batchSize());
    }
    if (minibatches.historical() != null) {
      add(words, "--remote", "historical");
    } else if (minibatches.partitioned()) {
      add(words, "--graph", "partitioned");
    }
    if (minibatches.ownBatches()) {
      add(words, "--placement", strategy.placement());
    }
    if (minibatches.cacheBytes() > 0) {
      add(words, "--feature-cache", (minibatches.cacheBytes() >> 20) + "m");
    }
  }

  private static void add(List<String> words, String flag, Object value) {
    words.add(flag);
    words.add(String.valueOf(value));
  }

  /// A word as a shell reads it.
  static String quoted(String word) {
    return word.matches("[-A-Za-z0-9_./,:=@%+]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
