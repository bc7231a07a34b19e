package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.CommunicatorContract;
import dev.gossamer.comm.MpiProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Ranks that are processes, without any launcher.
@Tag("slow")
@Timeout(240)
class NetProcessesTest {
  private static final int SIZE = 3;

  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> outputs = new ArrayList<>();

  @AfterEach
  void endAll() {
    processes.forEach(Process::destroyForcibly);
  }

  /// Starts all ranks and tells each the addresses of all.
  private void start(String scenario) throws IOException {
    for (int rank = 0; rank < SIZE; rank++) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(MpiProgram.SHORT_LIVED);
      command.addAll(
          List.of("--enable-native-access=ALL-UNNAMED", "-Dslf4j.internal.verbosity=ERROR"));
      command.addAll(List.of("-cp", MpiProgram.classPath(), NetProgram.class.getName()));
      command.addAll(List.of(scenario, Integer.toString(rank), Integer.toString(SIZE)));
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

  @Test
  void keepTheContract() throws Exception {
    start("contract");
    for (int rank = 0; rank < SIZE; rank++) {
      assertThat(outputs.get(rank).readLine()).isEqualTo("checks " + CommunicatorContract.CHECKS);
      assertThat(processes.get(rank).waitFor()).isZero();
    }
  }

  @Test
  void allNameTheOneThatIsKilled() throws Exception {
    start("work");
    for (BufferedReader output : outputs) {
      assertThat(output.readLine()).isEqualTo("works");
    }
    processes.get(1).destroyForcibly();
    for (int rank : new int[] {0, 2}) {
      assertThat(outputs.get(rank).readLine())
          .startsWith("rank 1 of 3 failed: ")
          .contains("the connection to it has broken");
      assertThat(processes.get(rank).waitFor()).isEqualTo(1);
    }
  }
}
