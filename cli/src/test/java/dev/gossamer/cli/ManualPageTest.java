package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// What is made from the commands: the manual page and the completion script.
class ManualPageTest {
  private static final CommandSpec ROOT =
      Main.prepared(new CommandLine(new GossamerCommand())).getCommandSpec();

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

  @Test
  void helpOfACommandIsThatOfItsFlag() {
    Cli help = Cli.run("help", "partition");
    assertThat(help.status()).isZero();
    assertThat(help.out()).isEqualTo(Cli.run("partition", "--help").out());
  }

  private static Stream<CommandSpec> visible(CommandSpec parent) {
    return parent.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(command -> !command.usageMessage().hidden())
        .flatMap(command -> Stream.concat(Stream.of(command), visible(command)));
  }
}
