package dev.gossamer.cli;

import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.planner.calibration.Calibration;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// One command run in this process, with what it said.
///
/// What a command decides by itself from the machine is the same everywhere: memory is plenty
/// unless a limit is given, the speeds that plans go by are invented, and help is for 80 columns
/// without colours.
public record Cli(int status, String out, String err) {
  /// Several times what any command of the tests takes, and less than what it would be harmful to
  /// promise.
  private static final String PLENTY = "4g";

  static {
    System.setProperty("picocli.ansi", "false");
    System.setProperty("picocli.usage.width", "80");
    inventSpeeds();
  }

  /// Runs a command and returns when it has ended. Where it takes `--memory` and none is given, it
  /// gets one: what happens to be free must not decide.
  public static Cli run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Cli cli = runWith(out, arguments);
    return new Cli(cli.status, out.toString(StandardCharsets.UTF_8), cli.err);
  }

  /// As [#run], with another standard output.
  static Cli runWith(OutputStream out, String... arguments) {
    PrintStream oldOut = System.out;
    PrintStream oldErr = System.err;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
      int status = Main.run(false, withMemory(arguments));
      return new Cli(status, "", err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(oldOut);
      System.setErr(oldErr);
    }
  }

  private static String[] withMemory(String... given) {
    CommandLine command = Commands.named(List.of(given));
    int words = 0;
    while (words < given.length && command.getSubcommands().containsKey(given[words])) {
      command = command.getSubcommands().get(given[words]);
      words++;
    }
    if (command.getCommandSpec().findOption("--memory") == null
        || ConfigFile.valueOf("--memory", given) != null) {
      return given;
    }
    List<String> arguments = new ArrayList<>(List.of(given));
    arguments.addAll(words, List.of("--memory", PLENTY));
    return arguments.toArray(String[]::new);
  }

  /// Keeps invented rates where those of this machine would be, in the cache that the build gives
  /// its tests, and in no other.
  private static void inventSpeeds() {
    Path cache = DatasetCache.ofUser().folder().toAbsolutePath();
    if (!cache.startsWith(Path.of("target").toAbsolutePath())) {
      return;
    }
    try {
      Files.createDirectories(cache);
      SampleCluster.write(Calibration.keptFile(), 1, "4g");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// {@return the one object on standard output}
  public JsonNode json() {
    return new JsonMapper().readTree(out);
  }
}
