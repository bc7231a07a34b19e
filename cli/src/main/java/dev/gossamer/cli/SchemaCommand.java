package dev.gossamer.cli;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.SettingsSchema;
import dev.gossamer.cli.terminal.CommonOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "schema",
    description =
        "Print the JSON schema of a settings file (--config); editors use it to complete and check the file.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer schema train > train.json",
      "      in a file for 'gossamer train', name it in a comment: # yaml-language-server: $schema=train.json",
      "  gossamer schema prune train",
    })
final class SchemaCommand implements Runnable {
  @Spec CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "Command that reads the file: train, or prune train.")
  List<String> command = List.of();

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    CommandLine line = Commands.named(command);
    for (String name : command) {
      Map<String, CommandLine> commands = line.getSubcommands();
      line = commands.get(name);
      if (line == null) {
        throw new InvalidInputException(
            "COMMAND: expected one of %s, found '%s'"
                .formatted(String.join(", ", commands.keySet()), String.join(" ", command)));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(SettingsSchema.of(line.getCommandSpec()));
    out.flush();
  }
}
