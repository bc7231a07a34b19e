package dev.gossamer.cli.terminal;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Restores standard error: the launcher passes it as descriptor 3, so that it can filter the
/// virtual machine's own messages on descriptor 2.
public final class StandardError {
  private static final Path REAL = Path.of("/dev/fd/3");

  private StandardError() {}

  public static void restore() {
    if (System.getProperty("gossamer.home") == null || !Files.exists(REAL)) {
      return;
    }
    // A file opened a second time would have a second position; a terminal or pipe has none, and
    // opening is quicker.
    if (Files.isRegularFile(REAL)) {
      duplicate(3, 2);
      return;
    }
    try {
      System.setErr(
          new PrintStream(new FileOutputStream(REAL.toFile(), true), true, StandardCharsets.UTF_8));
    } catch (IOException e) {
      duplicate(3, 2);
    }
  }

  /// POSIX `dup2`: makes descriptor `to` another name of `from`.
  private static void duplicate(int from, int to) {
    Linker linker = Linker.nativeLinker();
    try {
      int result =
          (int)
              linker
                  .downcallHandle(
                      linker.defaultLookup().findOrThrow("dup2"),
                      FunctionDescriptor.of(
                          ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                  .invokeExact(from, to);
      if (result < 0) {
        System.err.println("gossamer: cannot take over standard error");
      }
    } catch (Throwable e) {
      throw new IllegalStateException("dup2 cannot be called", e);
    }
  }
}
