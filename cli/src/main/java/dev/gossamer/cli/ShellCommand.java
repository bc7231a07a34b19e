package dev.gossamer.cli;

import dev.gossamer.base.VirtualMachine;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import jdk.jshell.tool.JavaShellToolBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "shell",
    mixinStandardHelpOptions = true,
    description = "Open JShell with the library imported and the data set jdk-classes as 'data'.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer shell",
      "  echo 'System.out.println(data.vertices())' | gossamer shell -",
    })
final class ShellCommand implements Callable<Integer> {
  /// Flags of the virtual machine that runs the snippets, which is another than this one.
  private static final List<String> SNIPPET_FLAGS =
      List.of("-R" + VirtualMachine.NATIVE_MODULES, "-R--sun-misc-unsafe-memory-access=allow");

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description =
          "File of snippets to load first; - reads them from standard input and exits at their end.")
  List<String> files = List.of();

  @Override
  public Integer call() throws Exception {
    Path startup = Files.createTempFile("gossamer", ".jsh");
    try (InputStream snippets =
        Objects.requireNonNull(ShellCommand.class.getResourceAsStream("startup.jsh"))) {
      Files.copy(snippets, startup, StandardCopyOption.REPLACE_EXISTING);
      List<String> arguments = new ArrayList<>(SNIPPET_FLAGS);
      arguments.addAll(List.of("--module-path", System.getProperty("jdk.module.path", "")));
      arguments.addAll(List.of("--add-modules", "dev.gossamer"));
      arguments.addAll(List.of("--startup", "DEFAULT", "--startup", startup.toString()));
      arguments.addAll(files);
      return JavaShellToolBuilder.builder().start(arguments.toArray(String[]::new));
    } finally {
      Files.deleteIfExists(startup);
    }
  }
}
