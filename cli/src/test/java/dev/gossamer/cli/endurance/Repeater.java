package dev.gossamer.cli.endurance;

import dev.gossamer.cli.Child;
import dev.gossamer.cli.Cli;
import dev.gossamer.comm.MpiProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A process that runs the commands that it is told, one after another: several of them meet in the
/// same files without each paying for the start of a virtual machine per command.
final class Repeater implements AutoCloseable {
  /// How a command ended.
  ///
  /// @param status -1 if the process ended, or was killed as it hung
  /// @param said on standard error
  record Ended(int status, String said) {}

  private static final String SEPARATOR = "\t";

  private final Child child;

  /// Starts it.
  Repeater() throws IOException {
    List<String> flags = new ArrayList<>(MpiProgram.SHORT_LIVED);
    flags.addAll(List.of("-XX:-UsePerfData", "-Xlog:disable"));
    child = new Child(Jvm.command(flags, Repeater.class.getName()));
  }

  /// Begins a command, which [#ended] waits for.
  void begin(String... words) throws IOException {
    child.tell(String.join(SEPARATOR, words));
  }

  /// Waits for the end of the command that was begun.
  Ended ended() throws IOException {
    String line = child.hear();
    int status = line.indexOf(SEPARATOR);
    return status < 0
        ? new Ended(-1, line)
        : new Ended(
            Integer.parseInt(line.substring(0, status)),
            line.substring(status + 1).translateEscapes());
  }

  @Override
  public void close() {
    child.close();
  }

  /// Reads commands from standard input and writes to standard output how each ended.
  public static void main(String[] arguments) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Cli cli = Cli.run(line.split(SEPARATOR));
      String said = cli.err().replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
      System.out.println(cli.status() + SEPARATOR + said);
    }
  }
}
