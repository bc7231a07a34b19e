package dev.gossamer.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
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
    CommandSpec root = spec.root();
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash(root.name(), root.commandLine()));
    out.flush();
  }
}
