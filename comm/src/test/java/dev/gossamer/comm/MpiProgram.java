package dev.gossamer.comm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Starts real ranks with the launchers that are installed; a test without them is skipped, with
/// the reason.
public final class MpiProgram {
  public static final String OPEN_MPI = "mpirun.openmpi";
  public static final String MPICH = "mpirun.mpich";

  /// What hangs is ended after this long; nothing that works takes a tenth of it.
  private static final int LAST_RESORT_SECONDS = 240;

  /// Of a virtual machine whose speed is measured.
  public static final List<String> OPTIMISING = List.of("-ea", "-Xmx256m", "-XX:+UseSerialGC");

  /// Of a virtual machine that lives for seconds: the optimising compiler would take most of its
  /// time.
  public static final List<String> SHORT_LIVED =
      List.of("-ea", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /// Exit status and everything that the ranks and the launcher wrote.
  public record Outcome(int status, String output) {}

  private MpiProgram() {}

  /// Runs the `main` of a class on this class path in `size` processes.
  ///
  /// @param folder for what they write
  public static Outcome run(
      Path folder, String launcher, int size, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    return run(SHORT_LIVED, folder, launcher, size, program, arguments);
  }

  /// Does the same with other flags.
  ///
  /// @param flags of each virtual machine
  /// @param folder for what they write
  public static Outcome run(
      List<String> flags,
      Path folder,
      String launcher,
      int size,
      Class<?> program,
      String... arguments)
      throws IOException, InterruptedException {
    List<String> command = launch(launcher, size);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of("--add-modules=jdk.incubator.vector", "-Dslf4j.internal.verbosity=ERROR"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath()));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    File output = folder.resolve("output").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    if (!process.waitFor(LAST_RESORT_SECONDS, TimeUnit.SECONDS)) {
      // The launcher ends its ranks, given the chance.
      process.destroy();
      if (!process.waitFor(LAST_RESORT_SECONDS, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      throw new AssertionError(
          "ended, as it had not after %d s, which is the last resort of this test: %s%n%s"
              .formatted(LAST_RESORT_SECONDS, command, Files.readString(output.toPath())));
    }
    return new Outcome(process.exitValue(), Files.readString(output.toPath()));
  }

  /// The launcher's part of a command line, to which a program is to be added.
  public static List<String> launch(String launcher, int size) {
    assumeInstalled(launcher);
    List<String> command = new ArrayList<>(List.of(launcher));
    if (launcher.equals(OPEN_MPI)) {
      command.addAll(List.of("--allow-run-as-root", "--oversubscribe"));
    }
    command.addAll(List.of("-np", Integer.toString(size)));
    return command;
  }

  /// The class path of the tests.
  public static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  static void assumeInstalled(String launcher) {
    String path = System.getenv().getOrDefault("PATH", "");
    assumeTrue(
        Arrays.stream(path.split(File.pathSeparator))
            .anyMatch(place -> new File(place, launcher).canExecute()),
        launcher + " is not installed");
  }
}
