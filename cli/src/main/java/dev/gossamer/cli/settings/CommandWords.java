package dev.gossamer.cli.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Flags with their values, as words of a command.
public final class CommandWords {
  private CommandWords() {}

  /// The words of the flags whose values are not the usual ones.
  ///
  /// @param values by flag, without its dashes
  /// @param usual values, which are left out
  public static List<String> of(Map<String, Object> values, Map<String, Object> usual) {
    List<String> words = new ArrayList<>();
    values.forEach((flag, value) -> {
      if (!value.equals(usual.get(flag))) {
        add(words, flag, value);
      }
    });
    return words;
  }

  private static void add(List<String> words, String flag, Object value) {
    switch (value) {
      case Boolean truth -> words.add(truth ? "--" + flag : "--no-" + flag);
      case Collection<?> list -> {
        words.add("--" + flag);
        words.add(list.stream().map(String::valueOf).collect(Collectors.joining(",")));
      }
      default -> {
        words.add("--" + flag);
        words.add(value.toString());
      }
    }
  }

  /// Words as a shell reads them, each after a blank.
  public static String joined(List<String> words) {
    return words.stream().map(word -> " " + quoted(word)).collect(Collectors.joining());
  }

  /// A word as a shell reads it.
  static String quoted(String word) {
    return word.matches("[-A-Za-z0-9_./,:=@%+]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
