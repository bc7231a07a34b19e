package dev.gossamer.cli;

import picocli.CommandLine.Option;

/// Flags of every command.
final class CommonOptions {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Option(
      names = "--json",
      description =
          "Print one JSON object on standard output, and nothing else; also when the command fails.")
  boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress on standard error.")
  boolean quiet;

  @Option(names = "--stacktrace", description = "Show where an error came from.")
  boolean stacktrace;
}
