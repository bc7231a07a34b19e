package dev.gossamer.cli;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.run.TrainingFailedException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Turns whatever a command throws into one line on stderr and an exit status.
///
/// @param stacktrace whether the stack trace is wanted too
record Failures(boolean stacktrace)
    implements CommandLine.IParameterExceptionHandler, CommandLine.IExecutionExceptionHandler {
  static final int FAILED = 1;
  static final int USAGE = 2;

  @Override
  public int handleParseException(ParameterException exception, String[] arguments) {
    CommandLine command = exception.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("gossamer: " + oneLine(String.valueOf(exception.getMessage())));
    if (!UnmatchedArgumentException.printSuggestions(exception, err)) {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    trace(err, exception);
    return USAGE;
  }

  @Override
  public int handleExecutionException(
      Exception exception, CommandLine command, ParseResult parsed) {
    return report(command.getErr(), exception);
  }

  int report(PrintWriter err, Throwable failure) {
    String message = oneLine(message(failure));
    int status =
        switch (failure) {
          case RankFailedException e when e.getCause() instanceof InvalidInputException input -> {
            message = oneLine(message(input));
            yield USAGE;
          }
          case InvalidInputException e -> USAGE;
          case ParameterException e -> USAGE;
          case TrainingFailedException e -> FAILED;
          case RankFailedException e -> FAILED;
          case CommunicationException e -> FAILED;
          default -> {
            message =
                "internal error: %s: %s%s"
                    .formatted(
                        failure.getClass().getSimpleName(),
                        message,
                        stacktrace ? "" : "; --stacktrace shows where");
            yield FAILED;
          }
        };
    err.println("gossamer: " + message);
    trace(err, failure);
    return status;
  }

  /// What went wrong, with settings under the names of their flags.
  private static String message(Throwable failure) {
    return failure instanceof InvalidSettingException setting
        ? setting.message(FlagNames::of)
        : String.valueOf(failure.getMessage());
  }

  private void trace(PrintWriter err, Throwable failure) {
    if (stacktrace) {
      failure.printStackTrace(err);
    }
  }

  private static String oneLine(String message) {
    return message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
