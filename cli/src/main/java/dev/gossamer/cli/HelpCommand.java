package dev.gossamer.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Shows the help of a command at any depth; picocli's own command reads the first name only.
@Command(
    name = "help",
    helpCommand = true,
    description = "Show the help of a command, or of gossamer if none is named.",
    footerHeading = "%nExample:%n",
    footer = "  gossamer help prune train")
final class HelpCommand implements Runnable {
  @Spec CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Names of the command.")
  List<String> names = List.of();

  @Override
  public void run() {
    CommandLine command = spec.root().commandLine();
    for (String name : names) {
      CommandLine next = command.getSubcommands().get(name);
      if (next == null) {
        throw new ParameterException(command, "Unknown subcommand '%s'.".formatted(name));
      }
      command = next;
    }
    command.usage(spec.commandLine().getOut());
  }
}
