package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/// What is offered for completion is what flags take.
class CompletionTest {
  /// A flag with a choice of values.
  record Flag(OptionSpec option) {
    List<String> offered() {
      List<String> offered = new ArrayList<>();
      option.completionCandidates().forEach(offered::add);
      return offered;
    }

    /// `train --exchange`.
    String words() {
      String command = option.command().qualifiedName();
      return command.substring(command.indexOf(' ') + 1) + " " + option.longestName();
    }

    @Override
    public String toString() {
      return words();
    }
  }

  private static Stream<CommandLine> commands(CommandLine line) {
    return Stream.concat(
        Stream.of(line), line.getSubcommands().values().stream().flatMap(CompletionTest::commands));
  }

  private static Stream<ArgSpec> arguments() {
    CommandLine root = Commands.all();
    return commands(root).flatMap(command -> command.getCommandSpec().args().stream());
  }

  static List<Flag> flags() {
    return arguments()
        .filter(argument -> argument.completionCandidates() != null)
        .filter(argument -> argument.completionCandidates().iterator().hasNext())
        .map(argument -> new Flag((OptionSpec) argument))
        .toList();
  }

  @Test
  void everyArgumentOfAnEnumTypeOffersItsNames() {
    assertThat(arguments().filter(argument -> argument.auxiliaryTypes()[0].isEnum()))
        .hasSizeGreaterThan(10)
        .allSatisfy(argument ->
            assertThat(new Flag((OptionSpec) argument).offered())
                .hasSize(argument.auxiliaryTypes()[0].getEnumConstants().length));
  }

  @ParameterizedTest
  @MethodSource("flags")
  void aFlagTakesWhatItOffers(Flag flag) throws Exception {
    for (String value : flag.offered()) {
      assertThat(value).matches("[a-z0-9-]+");
      for (ITypeConverter<?> converter : flag.option().converters()) {
        assertThat(Objects.requireNonNull(converter.convert(value)))
            .isInstanceOf(flag.option().auxiliaryTypes()[0]);
      }
    }
  }

  /// The script itself, in the shell: several flags of a command may have the same label.
  @Test
  void theShellOffersForEachFlagItsOwnValues(@TempDir Path folder)
      throws IOException, InterruptedException {
    assumeTrue(
        Files.isExecutable(Path.of("/bin/bash")), "/bin/bash is not installed (package bash)");
    Path script = folder.resolve("script");
    StringBuilder lines = new StringBuilder(Cli.run("completion").out());
    for (Flag flag : flags()) {
      lines
          .append("COMP_WORDS=(gossamer %s '')\n".formatted(flag.words()))
          .append("COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()\n")
          .append("_complete_gossamer 2>/dev/null\n")
          .append("echo \"%s: ${COMPREPLY[*]}\"\n".formatted(flag));
    }
    Files.writeString(script, lines);
    ProcessBuilder shell =
        new ProcessBuilder("/bin/bash", script.toString()).redirectErrorStream(true);
    // Neither a file that a user has bash read, nor its complaint of a locale that is missing.
    shell.environment().remove("BASH_ENV");
    shell.environment().put("LC_ALL", "C");
    Process bash = shell.start();
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).isZero();
    assertThat(Arrays.stream(out.split("\n")))
        .containsExactlyElementsOf(
            flags().stream()
                .map(flag -> "%s: %s".formatted(flag, String.join(" ", flag.offered())))
                .toList());
  }
}
