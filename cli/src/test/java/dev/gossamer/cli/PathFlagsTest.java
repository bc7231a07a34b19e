package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/// An empty path, as of an unset variable of a shell, is not the current folder.
class PathFlagsTest {
  /// Command and flag of a path, separated by a blank.
  static Stream<String> flags() {
    return flags("", Commands.all());
  }

  private static Stream<String> flags(String words, CommandLine command) {
    return Stream.concat(
        command.getCommandSpec().options().stream()
            .filter(option -> option.type() == Path.class)
            .map(OptionSpec::longestName)
            .map(flag -> words + flag),
        command.getSubcommands().entrySet().stream()
            .flatMap(sub -> flags(words + sub.getKey() + " ", sub.getValue())));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("flags")
  void anEmptyPathIsRefused(String command) {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    String flag = words.getLast();
    words.add("");
    Cli refused = Cli.run(words.toArray(String[]::new));
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .startsWith(
            "gossamer: Invalid value for option '%s': expected a path, found none".formatted(flag));
  }

  @Test
  void flagsOfPathsToWriteAreAmongThem() {
    assertThat(flags())
        .contains("report --out", "report --charts", "train --runs", "prune train --run-folder");
  }

  @Test
  void anEmptyFolderOfRunsIsRefused() {
    assertThat(Cli.run("train", "--runs=").err())
        .startsWith("gossamer: Invalid value for option '--runs': expected a path, found none");
  }

  @ParameterizedTest
  @ValueSource(strings = {"predict", "recommend"})
  void anEmptyPathWhereATableCanBeIsRefused(String command) {
    Cli refused = Cli.run(command, "nowhere", "--out", "");
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).isEqualTo("gossamer: --out: expected a path, found none\n");
  }
}
