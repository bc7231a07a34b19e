package dev.gossamer.cli.terminal;

import static java.util.stream.Collectors.joining;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Turns the exception of a command into one line on stderr and an exit status, and with `--json`
/// into one object on stdout.
///
/// @param stacktrace whether to print the stack trace, too
/// @param json whether to print the object
/// @param doing what the command does, for messages when memory runs out: `running gossamer train`
/// @param placed adds the name of a file to a message about its settings
public record Failures(boolean stacktrace, boolean json, String doing, UnaryOperator<String> placed)
    implements CommandLine.IParameterExceptionHandler, CommandLine.IExecutionExceptionHandler {
  public static final int FAILED = 1;
  public static final int USAGE = 2;

  /// A training whose numbers ceased to be finite: the same command comes to the same end.
  public static final int DIVERGED = 3;

  public static final int INTERRUPTED = 130;

  /// Reads the flags of output from arguments, even if these cannot be parsed.
  public static Failures of(String... arguments) {
    List<String> given = List.of(arguments);
    String command =
        given.stream().takeWhile(word -> word.matches("[a-z][a-z-]*")).collect(joining(" "));
    return new Failures(
        isSet("--stacktrace", given),
        isSet("--json", given),
        PlainText.of(("running gossamer " + command).strip()),
        UnaryOperator.identity());
  }

  /// Whether the last word of a flag sets it: the parser takes a value behind it, too.
  private static boolean isSet(String flag, List<String> given) {
    return given.stream()
        .filter(word -> word.equals(flag) || word.startsWith(flag + "="))
        .reduce((_, last) -> last)
        .filter(last -> last.equals(flag) || last.equalsIgnoreCase(flag + "=true"))
        .isPresent();
  }

  /// Returns a copy for a command whose settings come from a file, too.
  ///
  /// @param file puts its name before a message about what stands there
  public Failures placedBy(UnaryOperator<String> file) {
    return new Failures(stacktrace, json, doing, file);
  }

  /// Reports that a run was stopped and can be resumed.
  ///
  /// @return exit status
  public static int interrupted(CommandSpec spec, CommonOptions common, String message) {
    CommandLine command = spec.commandLine();
    command.getErr().println("gossamer: " + message);
    if (common.json) {
      command.getOut().println(JsonOutput.line(JsonOutput.failure(message, INTERRUPTED)));
    }
    return INTERRUPTED;
  }

  /// Reports the failure of a command that a [StopOnExit] keeps alive, before that is closed: from
  /// then on, a process that was told to end may be gone.
  ///
  /// @return exit status
  /// @param failure an exception or an error
  /// @throws Exception the failure itself, if nothing handles failures of commands
  public static int reported(CommandSpec spec, Throwable failure) throws Exception {
    CommandLine command = spec.commandLine();
    if (command.getExecutionExceptionHandler() instanceof Failures failures) {
      return failures.report(command.getOut(), command.getErr(), failure);
    }
    if (failure instanceof Error error) {
      throw error;
    }
    throw (Exception) failure;
  }

  @Override
  public int handleParseException(ParameterException exception, String[] arguments) {
    CommandLine command = exception.getCommandLine();
    PrintWriter err = command.getErr();
    String message = String.valueOf(exception.getMessage());
    print(command.getOut(), err, message, USAGE);
    boolean ofFile = !placed.apply(message).equals(message);
    if (!ofFile && !UnmatchedArgumentException.printSuggestions(exception, err)) {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    trace(err, exception);
    return USAGE;
  }

  @Override
  public int handleExecutionException(
      Exception exception, CommandLine command, ParseResult parsed) {
    return report(command.getOut(), command.getErr(), exception);
  }

  public int report(PrintWriter out, PrintWriter err, Throwable failure) {
    String message = message(failure);
    int status =
        switch (failure) {
          case InvalidInputException e -> USAGE;
          case ParameterException e -> USAGE;
          case TrainingFailedException e -> DIVERGED;
          case OutOfMemoryError e -> {
            message = "out of memory " + outOfMemory(message, doing);
            yield FAILED;
          }
          case RankFailedException e when e.getCause() instanceof OutOfMemoryError memory -> {
            message =
                "rank %d: out of memory %s"
                    .formatted(e.rank(), outOfMemory(message(memory), doing));
            yield FAILED;
          }
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
    print(out, err, message, status);
    trace(err, failure);
    return status;
  }

  /// Processes that a launcher has started share their standard output, so that only the first one
  /// prints an object.
  ///
  /// @param text of any length and with any characters
  private void print(PrintWriter out, PrintWriter err, String text, int status) {
    String message = oneLine(placed.apply(text));
    err.println("gossamer: " + message);
    if (json && LaunchEnvironment.detect(System.getenv()).rank() == 0) {
      out.println(JsonOutput.line(JsonOutput.failure(message, status)));
    }
  }

  /// What was being read, or else done, and what helps if it was the Java heap that was full.
  private static String outOfMemory(String message, String doing) {
    return "%s%s; the Java heap is %s: GOSSAMER_JAVA_OPTIONS=-Xmx... makes it larger"
        .formatted(
            message.startsWith("while ") ? "" : "while %s: ".formatted(doing),
            message,
            MemoryEstimate.readable(Runtime.getRuntime().maxMemory()));
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

  private static String oneLine(String text) {
    String line =
        text.lines().map(String::strip).filter(each -> !each.isEmpty()).collect(joining(" "));
    return Excerpt.of(PlainText.of(line));
  }
}
