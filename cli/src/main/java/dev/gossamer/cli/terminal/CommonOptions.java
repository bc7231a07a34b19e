package dev.gossamer.cli.terminal;

import picocli.CommandLine.Option;

/// Flags of every command.
public final class CommonOptions {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Option(
      names = "--json",
      description =
          "Print one JSON object on standard output, and nothing else; also when the command fails.")
  public boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress on standard error.")
  public boolean quiet;

  @Option(names = "--stacktrace", description = "Print the stack trace of an error.")
  boolean stacktrace;
}
