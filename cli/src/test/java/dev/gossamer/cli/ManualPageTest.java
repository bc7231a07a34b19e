package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.terminal.Failures;
import dev.gossamer.tables.TableSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// What is made from the commands: the manual page and the completion script.
class ManualPageTest {
  private static final CommandSpec ROOT = Commands.all().getCommandSpec();

  @Test
  void theManualHasEveryCommandAndFlag() {
    List<String> lines = Cli.run("man").out().lines().toList();
    assertThat(visible(ROOT).toList())
        .hasSizeGreaterThan(15)
        .allSatisfy(command -> {
          int start = lines.indexOf(".SS " + command.qualifiedName().replace("-", "\\-"));
          assertThat(start).as(command.qualifiedName()).isNotNegative();
          int end = start + 1;
          while (!lines.get(end).startsWith(".S")) {
            end++;
          }
          List<String> section = lines.subList(start, end);
          List<String> shared = List.of("--help", "--json", "--quiet", "--stacktrace");
          assertThat(command.options())
              .map(OptionSpec::longestName)
              .filteredOn(name -> !shared.contains(name))
              .allSatisfy(name ->
                  assertThat(section)
                      .anyMatch(line -> line.contains(name.substring(2).replace("-", "\\-"))));
        });
  }

  @Test
  void theManualHasEveryVariable() {
    assertThat(Cli.run("man").out())
        .contains("GOSSAMER_CACHE", "GOSSAMER_JAVA_OPTIONS", "JAVA_HOME", "XDG_CACHE_HOME")
        .contains(TableSource.Database.PASSWORD_VARIABLE);
  }

  @Test
  void everyLineOfTheManualIsTextOrAMacroOfMan() {
    assertThat(Cli.run("man").out().lines().filter(line -> line.startsWith(".")))
        .allMatch(line -> line.matches("\\.(TH|SH|SS|TP|PP|B|I|nf|fi)( .*)?"));
  }

  @Test
  void theCompletionKnowsEveryCommandAndFlag() {
    String script = Cli.run("completion").out();
    assertThat(visible(ROOT).toList())
        .allSatisfy(command -> {
          assertThat(script).contains(command.name());
          assertThat(command.options())
              .allSatisfy(option -> assertThat(script).contains(option.longestName()));
        });
  }

  @Tag("slow")
  @Test
  void helpOfEveryCommandIsThatOfItsFlag() {
    assertThat(visible(ROOT).toList())
        .anyMatch(command -> command.qualifiedName().equals("gossamer prune train"))
        .allSatisfy(command -> {
          String[] names = command.qualifiedName().split(" ", -1);
          names[0] = "help";
          Cli help = Cli.run(names);
          assertThat(help.status()).isZero();
          String[] flag =
              Stream.concat(Arrays.stream(names).skip(1), Stream.of("--help"))
                  .toArray(String[]::new);
          assertThat(help.out()).isEqualTo(Cli.run(flag).out()).contains(command.qualifiedName());
        });
    assertThat(Cli.run("help").out()).isEqualTo(Cli.run("--help").out());
  }

  @Test
  void helpOfAnUnknownCommandNamesIt() {
    Cli help = Cli.run("help", "prune", "trian");
    assertThat(help.status()).isEqualTo(Failures.USAGE);
    assertThat(help.err()).contains("Unknown subcommand 'trian'.", "Try 'gossamer prune --help'.");
  }

  /// A share that an example names is stale as soon as a default changes.
  @Test
  void theExamplesOfPruneNameNoDefault() {
    assertThat(Cli.run("prune", "--help").out())
        .contains("pruned during training")
        .doesNotContain("%");
  }

  private static Stream<CommandSpec> visible(CommandSpec parent) {
    return parent.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(command -> !command.usageMessage().hidden())
        .flatMap(command -> Stream.concat(Stream.of(command), visible(command)));
  }
}
