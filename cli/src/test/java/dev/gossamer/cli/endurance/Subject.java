package dev.gossamer.cli.endurance;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/// Something that commands read: a folder of files, unharmed, and the commands.
///
/// In a command `IN` stands for the folder (or the copy that was damaged), `OUT` for an empty
/// folder to write to, and `KEPT` for the folder of all unharmed subjects.
///
/// @param name of the subject and of its folder
/// @param kind what the table counts it under
/// @param prepare commands that are run before the damage; none, mostly
/// @param commands each alone must do with the unharmed folder
/// @param written paths below `IN` that the commands may write or delete
/// @param cached whether not `IN` but the cache is damaged
record Subject(
    String name,
    String kind,
    List<String> prepare,
    List<String> commands,
    Pattern written,
    boolean cached) {
  private static final Pattern NOTHING = Pattern.compile("(?!)");

  static Subject of(String name, String kind, String... commands) {
    return new Subject(name, kind, List.of(), List.of(commands), NOTHING, false);
  }

  Subject writing(String regex) {
    return new Subject(name, kind, prepare, commands, Pattern.compile(regex), cached);
  }

  Subject damagingTheCacheOf(String... commands) {
    return new Subject(name, kind, List.of(commands), this.commands, written, true);
  }

  /// The words of a command. A blank in a word is written `␣`.
  ///
  /// @param box whose folders the placeholders mean
  static String[] words(String command, Box box) {
    return Arrays.stream(command.strip().split("\\s+"))
        .map(word ->
            word.replaceFirst("\\bIN\\b", box.in().toString())
                .replaceFirst("\\bOUT\\b", box.out().toString())
                .replaceFirst("\\bKEPT\\b", box.pristine().toString())
                .replace('␣', ' '))
        .toArray(String[]::new);
  }
}
