package dev.gossamer.cli;

import dev.gossamer.comm.MpiProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A process that a test starts and talks to line by line, so that lines put events in order. One
/// that hangs is killed in the end, and the test reads an end of its output.
public final class Child implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final Writer in;

  /// @param command as that of [#java]; standard error is that of the tests
  public Child(List<String> command) throws IOException {
    process = started(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
    out = process.inputReader(StandardCharsets.UTF_8);
    in = process.outputWriter(StandardCharsets.UTF_8);
  }

  /// Starts a process that lives for ten minutes at most, with an environment in which Java says
  /// nothing by itself.
  public static Process started(ProcessBuilder builder) throws IOException {
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process process = builder.start();
    CompletableFuture.delayedExecutor(10, TimeUnit.MINUTES).execute(process::destroyForcibly);
    return process;
  }

  /// {@return the command that runs a class of the tests}
  ///
  /// @param flags of the virtual machine
  public static List<String> java(List<String> flags, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xlog:disable"));
    command.addAll(flags);
    command.addAll(List.of("-cp", MpiProgram.classPath(), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /// {@return the next line that it prints; `end` if there is none}
  public String hear() throws IOException {
    String line = out.readLine();
    return line == null ? "end" : line;
  }

  /// Writes a line to its standard input.
  public void tell(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /// Sends SIGTERM, and leaves the streams open.
  public void terminate() {
    process.toHandle().destroy();
  }

  /// Sends SIGINT, as Ctrl-C does.
  public void interrupt() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).inheritIO().start().waitFor();
  }

  /// Ends it without a word, and returns when it is gone.
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /// {@return its exit status, once it has ended}
  public int status() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
