package dev.gossamer.cli;

import dev.gossamer.cli.terminal.CommonOptions;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "man",
    hidden = true,
    description = "Print the manual page.",
    footerHeading = "%nExample:%n",
    footer = "  gossamer man | man -l -")
final class ManCommand implements Runnable {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(new ManualPage(Commands.all().getCommandSpec()).roff());
    out.flush();
  }
}
