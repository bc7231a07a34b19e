package dev.gossamer.cli.settings;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `--resume auto`: a command that a scheduler repeats, unchanged, until its run has ended.
///
/// The first time, the run begins in the folder that the command names, which records what it was
/// asked for. From then on, all settings are those of the folder, in which automatic choices are
/// made, if the command asks for the same; otherwise it is refused. Each process of a launcher
/// decides by the same files: one that looks a moment after the first has written them finds the
/// settings that the first has chosen, and no checkpoint yet.
public final class Restart {
  static final String RESUME = "--resume";
  static final String FOLDER = "--run-folder";
  static final String AUTO = "auto";

  /// Flags that a file may have although they are no settings of a run.
  private static final Set<String> OF_A_COMMAND = Set.of("--runs", "--dry-run");

  private Restart() {}

  /// Returns the arguments of the command: as given or, if the run of `--resume auto` has begun,
  /// with `--resume FOLDER` in place of all settings.
  ///
  /// @param line that parses them
  /// @throws InvalidInputException if no folder is named, or the run was asked for something else
  public static String[] of(CommandLine line, String... arguments) {
    if (!AUTO.equals(ConfigFile.valueOf(RESUME, arguments))) {
      return arguments;
    }
    String named = ConfigFile.valueOf(FOLDER, arguments);
    if (named == null) {
      throw new InvalidInputException(
          "--resume auto: expected --run-folder RUN, the folder of the run, found none");
    }
    RunFolder run = new RunFolder(Path.of(named));
    if (!run.isBegun()) {
      return arguments;
    }
    try {
      ConfigFile.of(arguments).ifPresent(file -> file.applyTo(line, arguments));
      return resuming(RunFolder.open(run.path()), line.parseArgs(arguments));
    } catch (ParameterException e) {
      // The command is about to be refused for that.
      return arguments;
    }
  }

  private static String[] resuming(RunFolder run, ParseResult parsed) {
    List<String> words = new ArrayList<>();
    ParseResult command = parsed;
    while (command.hasSubcommand()) {
      command = command.subcommand();
      words.add(command.commandSpec().name());
    }
    requireSame(run, asked(command.commandSpec().commandLine()));
    // A folder may have the name of the word.
    boolean ambiguous = run.path().toString().equals(AUTO);
    words.add(RESUME + "=" + (ambiguous ? run.path().toAbsolutePath() : run.path()));
    for (OptionSpec option : command.matchedOptions()) {
      String name = option.longestName();
      boolean kept = !isOfRun(option) || ConfigFile.loadsCode(option);
      if (kept && !Set.of(RESUME, FOLDER, "--config").contains(name)) {
        option
            .originalStringValues()
            .forEach(value -> words.add(option.arity().max() == 0 ? name : name + "=" + value));
      }
    }
    return words.toArray(String[]::new);
  }

  private static void requireSame(RunFolder run, SortedMap<String, String> asked) {
    SortedSet<String> changed =
        run.changedSince(asked)
            .orElseThrow(() ->
                new InvalidInputException(
                    "%s: expected a run that was begun with --run-folder, found another; resume it with --resume %s"
                        .formatted(run.path(), run.path())));
    if (!changed.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected the settings that the run was begun with, found others of %s; repeat the command, name another folder, or change the run on purpose with --resume %s"
              .formatted(run.path(), String.join(", ", changed), run.path()));
    }
  }

  /// Returns the settings that a command was given, on the command line or in a file, as they were
  /// written.
  ///
  /// @param command that was parsed
  static SortedMap<String, String> asked(CommandLine command) {
    SortedMap<String, String> asked = new TreeMap<>();
    if (command.getDefaultValueProvider() instanceof ConfigFile file) {
      file.values().forEach((name, value) -> asked.put("--" + name, value));
    }
    for (OptionSpec option : command.getParseResult().matchedOptions()) {
      if (isOfRun(option)) {
        asked.put(option.longestName(), String.join(",", option.originalStringValues()));
      }
    }
    asked.keySet().removeAll(OF_A_COMMAND);
    return asked;
  }

  private static boolean isOfRun(OptionSpec option) {
    return ConfigFile.isSetting(option) && !OF_A_COMMAND.contains(option.longestName());
  }
}
