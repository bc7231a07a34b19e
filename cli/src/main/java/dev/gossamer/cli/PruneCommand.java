package dev.gossamer.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "prune",
    description = "Train networks that are pruned while they learn, and use them.",
    mixinStandardHelpOptions = true,
    subcommands = {
      PruneTrainCommand.class,
      PruneEvaluateCommand.class,
      PruneGenerateCommand.class,
      PruneInspectCommand.class,
      PruneExportCommand.class,
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune train                a language model, pruned to 90 %%",
      "  gossamer prune evaluate RUN         its loss on validation and test data",
      "  gossamer prune generate RUN --prompt 'java.util.'",
    })
final class PruneCommand implements Runnable {
  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected a command, found none");
  }

  /// Adds the names that the commands had before, which no help shows.
  static CommandLine withFormerNames(CommandLine gossamer) {
    addFormer(gossamer, "train-dense", new PruneTrainCommand());
    addFormer(gossamer, "evaluate-dense", new PruneEvaluateCommand());
    addFormer(gossamer, "generate-text", new PruneGenerateCommand());
    return gossamer;
  }

  private static void addFormer(CommandLine gossamer, String name, Object command) {
    CommandLine line = new CommandLine(command).setCommandName(name);
    line.getCommandSpec().usageMessage().hidden(true);
    gossamer.addSubcommand(name, line);
  }
}
