package dev.gossamer.cli.endurance;

import dev.gossamer.comm.MpiProgram;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Virtual machines like that of the tests, to be started.
final class Jvm {
  private Jvm() {}

  /// {@return a command line, to which arguments are to be added}
  ///
  /// @param flags of the virtual machine, besides those that the program needs
  /// @param main name of a class
  static List<String> command(List<String> flags, String main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-ea",
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Djava.awt.headless=true",
            "-Dslf4j.internal.verbosity=ERROR"));
    command.addAll(flags);
    command.addAll(List.of("-cp", MpiProgram.classPath(), main));
    return command;
  }
}
