package dev.gossamer.comm.net;

import dev.gossamer.comm.MpiProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// Processes of [NetProgram], one for each rank.
final class RankProcesses {
  private final int size;
  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> outputs = new ArrayList<>();

  RankProcesses(int size) {
    this.size = size;
  }

  /// Starts all ranks and tells each the addresses of all.
  ///
  /// @param before words before the command of each rank
  /// @param host address of each rank
  void start(String scenario, IntFunction<List<String>> before, IntFunction<String> host)
      throws IOException {
    for (int rank = 0; rank < size; rank++) {
      List<String> command = new ArrayList<>(before.apply(rank));
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(MpiProgram.SHORT_LIVED);
      command.addAll(
          List.of("--enable-native-access=ALL-UNNAMED", "-Dslf4j.internal.verbosity=ERROR"));
      command.addAll(List.of("-cp", MpiProgram.classPath(), NetProgram.class.getName()));
      command.addAll(
          List.of(scenario, Integer.toString(rank), Integer.toString(size), host.apply(rank)));
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      processes.add(process);
      outputs.add(process.inputReader());
    }
    StringBuilder lines = new StringBuilder();
    for (BufferedReader output : outputs) {
      lines.append(output.readLine()).append('\n');
    }
    for (Process process : processes) {
      process.outputWriter().append(lines).flush();
    }
  }

  /// The next line of a rank's output.
  String line(int rank) throws IOException {
    return String.valueOf(outputs.get(rank).readLine());
  }

  Process process(int rank) {
    return processes.get(rank);
  }

  void endAll() {
    processes.forEach(Process::destroyForcibly);
  }
}
