package dev.gossamer.cli;

import dev.gossamer.cli.pruned.PruneCommand;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.settings.Restart;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.Failures;
import dev.gossamer.cli.terminal.PlainText;
import dev.gossamer.cli.terminal.StandardError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/// The entry point. Exit status: 0 done, 1 the run failed, 2 wrong usage or input, 3 the training
/// diverged, 130 interrupted.
public final class Main {
  private Main() {}

  /// Runs the command in the arguments and ends the process with its exit status.
  ///
  /// @param arguments command, flags and operands
  public static void main(String[] arguments) {
    StandardError.restore();
    // Numbers look the same everywhere, and programs can read them.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    System.exit(run(isPipe(), arguments));
  }

  /// Runs one command and returns its exit status.
  ///
  /// @param piped whether another program reads the output; if it closes the pipe, as `head` does,
  ///   no error is reported
  static int run(boolean piped, String... given) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    String[] asked = PruneCommand.planned(given);
    CommandLine line = Commands.named(List.of(asked));
    line.setOut(out).setErr(err);
    line.setExecutionStrategy(parsed -> {
      if (!isHelp(parsed)) {
        line.setOut(PlainText.writer(out)).setErr(PlainText.writer(err));
      }
      return new CommandLine.RunLast().execute(parsed);
    });
    Failures failures = Failures.of(asked);
    try {
      String[] arguments = Restart.of(line, asked);
      Optional<ConfigFile> config = ConfigFile.of(arguments);
      config.ifPresent(file -> file.applyTo(line, arguments));
      Failures placed =
          config
              .map(file -> failures.placedBy(message -> file.placed(message, arguments)))
              .orElse(failures);
      line.setParameterExceptionHandler(placed);
      line.setExecutionExceptionHandler(placed);
      int status = line.execute(arguments);
      return out.checkError() && status == 0 ? unwritten(piped, err) : status;
    } catch (RuntimeException | Error e) {
      return failures.report(out, err, e);
    }
  }

  /// A command whose result did not arrive has failed; a failure that was said is not said twice.
  private static int unwritten(boolean piped, PrintWriter err) {
    if (!piped) {
      err.println("gossamer: standard output: cannot write; is the disk full?");
    }
    return Failures.FAILED;
  }

  private static boolean isPipe() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString().startsWith("pipe:");
    } catch (IOException e) {
      return false;
    }
  }

  /// Help has colours on a terminal, and no names but our own.
  private static boolean isHelp(ParseResult parsed) {
    return parsed.asCommandLineList().stream()
        .anyMatch(command ->
            command.isUsageHelpRequested()
                || command.isVersionHelpRequested()
                || command.getCommand() instanceof HelpCommand);
  }

  /// As a path, an empty text, such as an unset variable of a shell, would be the current folder.
  private static Path path(String text) {
    if (text.isEmpty()) {
      throw new TypeConversionException("expected a path, found none");
    }
    return Path.of(text);
  }

  /// Prepares a command line, with the names of choices.
  public static CommandLine prepared(CommandLine line) {
    Choice.offer(line);
    line.registerConverter(Path.class, Main::path);
    return line.setUsageHelpAutoWidth(true)
        .setExpandAtFiles(false)
        .setOverwrittenOptionsAllowed(true);
  }
}
