package dev.gossamer.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/// The entry point. Exit status: 0 done, 1 the run failed, 2 wrong usage or input, 130 interrupted.
public final class Main {
  private Main() {}

  /// Runs the command that the arguments name, and ends the process with its exit status.
  ///
  /// @param arguments command, flags and operands
  public static void main(String[] arguments) {
    StandardError.restore();
    System.exit(run(arguments));
  }

  /// Runs one command and returns its exit status.
  static int run(String... given) {
    String[] arguments = PruneCommand.planned(given);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    CommandLine line =
        prepared(PruneCommand.withFormerNames(new CommandLine(new GossamerCommand())));
    line.setOut(out).setErr(err);
    line.setExecutionStrategy(parsed -> {
      if (!isHelp(parsed)) {
        line.setOut(PlainText.writer(out)).setErr(PlainText.writer(err));
      }
      return new CommandLine.RunLast().execute(parsed);
    });
    Failures failures = Failures.of(arguments);
    try {
      Optional<ConfigFile> config = ConfigFile.of(arguments);
      config.ifPresent(file -> file.applyTo(line, arguments));
      Failures placed = config.map(file -> failures.placedBy(file, arguments)).orElse(failures);
      line.setParameterExceptionHandler(placed);
      line.setExecutionExceptionHandler(placed);
      return written(out, err, line.execute(arguments));
    } catch (RuntimeException | Error e) {
      return failures.report(out, err, e);
    }
  }

  /// A command whose result did not arrive has failed; a failure that was said is not said twice.
  ///
  /// @param status of the command
  /// @return exit status
  private static int written(PrintWriter out, PrintWriter err, int status) {
    if (out.checkError() && status == 0) {
      err.println(
          "gossamer: standard output: cannot write: the disk is full, or what reads it has ended");
      return Failures.FAILED;
    }
    return status;
  }

  /// Help has colours on a terminal, and no names but our own.
  private static boolean isHelp(ParseResult parsed) {
    return parsed.asCommandLineList().stream()
        .anyMatch(command ->
            command.isUsageHelpRequested()
                || command.isVersionHelpRequested()
                || command.getCommand() instanceof HelpCommand);
  }

  /// A command line as all commands are parsed: with the names of choices.
  static CommandLine prepared(CommandLine line) {
    Choice.offer(line);
    return line.setUsageHelpAutoWidth(true)
        .setExpandAtFiles(false)
        .setOverwrittenOptionsAllowed(true);
  }
}
