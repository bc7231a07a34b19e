package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// What is known of commands whose flags are not read.
class NamedCommandsTest {
  @Test
  void theListOfCommandsIsComplete() {
    assertThat(Commands.named(List.of("--help")).getUsageMessage())
        .isEqualTo(Commands.all().getUsageMessage());
  }

  @Test
  void aNamedCommandIsWhole() {
    Commands.all()
        .getSubcommands()
        .forEach((name, command) ->
            assertThat(known(name, name).getUsageMessage()).isEqualTo(command.getUsageMessage()));
  }

  @Test
  void flagsOfOtherCommandsAreNotRead() {
    assertThat(known("plan", "plan", "--data", "x").getCommandSpec().options()).isNotEmpty();
    assertThat(known("train", "plan", "--data", "x").getCommandSpec().options()).isEmpty();
  }

  /// What a call knows of a command.
  private static CommandLine known(String name, String... call) {
    return Objects.requireNonNull(Commands.named(List.of(call)).getSubcommands().get(name));
  }
}
