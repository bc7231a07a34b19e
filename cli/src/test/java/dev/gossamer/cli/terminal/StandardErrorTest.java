package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.cli.Child;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// In a process whose descriptors a shell arranges as the launcher does: 2 is a place apart, 3 the
/// real standard error.
class StandardErrorTest {
  private static final String LAUNCHED = "-Dgossamer.home=/somewhere";
  private static final String LETTERS = "größer, 大";

  @TempDir Path folder;

  /// Says one thing before it takes over standard error, and one after.
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      System.err.println("before");
      StandardError.restore();
      System.err.print(arguments[0].equals("letters") ? LETTERS : "after\n");
      // Nothing is flushed at the end.
      Runtime.getRuntime().halt(0);
    }
  }

  /// What standard error, and the file apart, have in the end.
  private record Said(String real, String apart) {}

  @BeforeEach
  void needAShell() {
    assumeTrue(
        Files.isExecutable(Path.of("/bin/sh")) && Files.isDirectory(Path.of("/dev/fd")),
        "needs /bin/sh (package dash) and /dev/fd");
  }

  /// @param script arranges descriptors and starts `"$@"`; `$APART` names the file for descriptor
  ///   2, `$REAL` another
  /// @param what to say after that
  private Said run(String script, List<String> flags, String what)
      throws IOException, InterruptedException {
    Path apart = folder.resolve("apart");
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    // Encodings without these letters: nothing may go by them.
    List<String> all =
        new ArrayList<>(List.of("-Dstderr.encoding=US-ASCII", "-Dfile.encoding=COMPAT"));
    all.addAll(flags);
    command.addAll(Child.java(all, Program.class, what));
    ProcessBuilder shell = new ProcessBuilder(command);
    shell.environment().put("APART", apart.toString());
    shell.environment().put("REAL", folder.resolve("real").toString());
    shell.environment().put("LC_ALL", "C");
    Process process = Child.started(shell);
    String real = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(real).isZero();
    return new Said(real, Files.readString(apart));
  }

  @Test
  void aPipeIsWrittenAtOnceInUtf8() throws IOException, InterruptedException {
    Said said = run("exec 3>&2 2>\"$APART\"; exec \"$@\"", List.of(LAUNCHED), "letters");
    assertThat(said).isEqualTo(new Said(LETTERS, "before\n"));
  }

  /// What others write to it stands before and behind.
  @Test
  void aFileHasOnePositionForAllWhoWrite() throws IOException, InterruptedException {
    String script =
        "exec 3>\"$REAL\" 2>\"$APART\"; echo first >&3; \"$@\"; status=$?; echo last >&3; exit $status";
    Said said = run(script, List.of(LAUNCHED), "line");
    assertThat(said).isEqualTo(new Said("", "before\n"));
    assertThat(folder.resolve("real")).hasContent("first\nafter\nlast\n");
  }

  @Test
  void withoutTheLauncherStandardErrorIsDescriptorTwo() throws IOException, InterruptedException {
    Said said = run("exec 3>&2 2>\"$APART\"; exec \"$@\"", List.of(), "line");
    assertThat(said).isEqualTo(new Said("", "before\nafter\n"));
  }
}
