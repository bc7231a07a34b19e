package dev.gossamer.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.GraphRun;
import dev.gossamer.cli.graph.TrainArguments;
import dev.gossamer.cli.graph.TrainCommand;
import dev.gossamer.cli.pruned.PruneArguments;
import dev.gossamer.cli.pruned.PruneTrainCommand;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.pruned.PrunedRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What is written of a run is read back as the same run.
class FlagValuesTest {
  private static final int RUNS = 100;
  private static final int MORE_RUNS = 1000;

  /// So many have a value of every flag.
  private static final int ALL_FLAGS = 300;

  /// Flags of a training that are no settings: where it goes, and how it is watched.
  private static final Set<String> NO_SETTINGS =
      Set.of(
          "config",
          "resume",
          "run-folder",
          "runs",
          "trace",
          "profile",
          "tensorboard",
          "dry-run",
          "cluster",
          "verbose",
          "help",
          "json",
          "quiet",
          "stacktrace");

  @TempDir Path folder;

  @Test
  void aRandomRunIsReadBackFromItsFile() {
    assertReadBackFromFiles(0, RUNS);
  }

  private void assertReadBackFromFiles(int first, int end) {
    Path file = folder.resolve("config.yaml");
    for (int seed = first; seed < end; seed++) {
      GraphRun run = new RandomRuns(seed).run();
      ConfigFile.write(file, FlagValues.of(run), List.of("chosen: nothing"));
      assertThat(ConfigFile.read(file).fill(new TrainCommand()).run())
          .as("seed %d", seed)
          .isEqualTo(run);
    }
  }

  /// As words of a command, too.
  @Tag("slow")
  @Test
  void aRandomRunIsReadBackFromItsCommand() {
    assertReadBackFromCommands(0, RUNS);
  }

  private static void assertReadBackFromCommands(int first, int end) {
    for (int seed = first; seed < end; seed++) {
      GraphRun run = new RandomRuns(seed).run();
      String[] words = TrainArguments.words(run, false).toArray(String[]::new);
      assertThat(parsed(words)).as("seed %d: %s", seed, String.join(" ", words)).isEqualTo(run);
    }
  }

  /// Each flag that is a setting is written for some run, and nothing that is no flag.
  @Test
  void theFlagsAreThoseOfTraining() {
    assertThat(written(seed -> FlagValues.of(new RandomRuns(seed).run())))
        .isEqualTo(settings(new TrainCommand()));
    assertThat(written(seed -> FlagValues.of(new RandomPrunedRuns(seed).run())))
        .isEqualTo(settings(new PruneTrainCommand()));
  }

  private static Set<String> written(IntFunction<Map<String, Object>> runs) {
    Set<String> written = new TreeSet<>();
    for (int seed = 0; seed < ALL_FLAGS; seed++) {
      written.addAll(runs.apply(seed).keySet());
    }
    return written;
  }

  private static Set<String> settings(Object command) {
    Set<String> flags = new TreeSet<>();
    new CommandLine(command)
        .getCommandSpec()
        .options()
        .forEach(option -> flags.add(option.longestName().substring(2)));
    flags.removeAll(NO_SETTINGS);
    return flags;
  }

  @Tag("slow")
  @Test
  void aRandomRunOfAPrunedNetworkIsReadBack() {
    assertPrunedReadBack(0, RUNS);
  }

  @Tag("endurance")
  @Test
  void moreRandomRunsAreReadBack() {
    assertReadBackFromFiles(RUNS, MORE_RUNS);
    assertReadBackFromCommands(RUNS, MORE_RUNS);
    assertPrunedReadBack(RUNS, MORE_RUNS);
  }

  private void assertPrunedReadBack(int first, int end) {
    Path file = folder.resolve("config.yaml");
    for (int seed = first; seed < end; seed++) {
      PrunedRun run = new RandomPrunedRuns(seed).run();
      ConfigFile.write(file, FlagValues.of(run), List.of());
      assertThat(ConfigFile.read(file).fill(new PruneTrainCommand()).run())
          .as("seed %d", seed)
          .isEqualTo(run);
      String[] words = PruneArguments.words(run).toArray(String[]::new);
      PruneTrainCommand command = parsed(new PruneTrainCommand(), words);
      assertThat(command.run()).as("seed %d: %s", seed, String.join(" ", words)).isEqualTo(run);
    }
  }

  @Test
  void whatIsUsualMakesAnEmptyCommand() {
    assertThat(TrainArguments.words(parsed(), false)).isEmpty();
    assertThat(PruneArguments.words(parsed(new PruneTrainCommand()).run())).isEmpty();
  }

  /// The run that a command line makes.
  private static GraphRun parsed(String... words) {
    return parsed(new TrainCommand(), words).run();
  }

  private static <C> C parsed(C command, String... words) {
    CommandLine line = new CommandLine(command);
    Choice.offer(line);
    line.parseArgs(words);
    return command;
  }

  @Test
  void aFileIsYamlThatPeopleWrite() throws Exception {
    Path file = folder.resolve("config.yaml");
    ConfigFile.write(file, FlagValues.of(GraphRun.DEFAULT), List.of("--mode full-graph: it fits"));
    assertThat(Files.readString(file))
        .startsWith("# --mode full-graph: it fits\n")
        .contains("model: \"gcn\"\n", "hidden:\n- 64\n", "lr: 0.01\n", "mode: \"full-graph\"\n");
  }
}
