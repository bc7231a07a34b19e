package dev.gossamer.cli;

import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    description = "Print the script that lets bash or zsh complete commands and flags.",
    footerHeading = "%nExample:%n",
    footer = "  source <(gossamer completion)")
final class CompletionCommand implements Runnable {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    CommandLine root = Commands.all();
    // The script keeps what can be offered under the label of a flag's value, and several flags of
    // a command may have the same.
    Choice.changeOptions(
        root, option -> option.toBuilder().paramLabel(option.longestName().substring(2)).build());
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash(root.getCommandName(), root));
    out.flush();
  }
}
