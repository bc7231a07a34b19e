package dev.gossamer.cli.settings;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.ReadWith;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Flags, given on the command line or in a file, that the run does not read.
public final class UnreadFlags {
  private static final Pattern FLAG = Pattern.compile("--(\\S+) (\\S+)");

  private UnreadFlags() {}

  /// Refuses them, naming the flags that they need ([ReadWith]).
  ///
  /// @param command that was parsed
  /// @param run the flags that are read, with their values
  /// @throws InvalidInputException if there are any
  public static void refuse(CommandSpec command, Map<String, Object> run) {
    Map<String, List<String>> unread = new LinkedHashMap<>();
    for (OptionSpec option : command.options()) {
      ReadWith others = others(option);
      String flag = option.longestName();
      if (others != null && isGiven(option) && !run.containsKey(flag.substring(2))) {
        unread.computeIfAbsent(missing(others, run), _ -> new ArrayList<>()).add(flag);
      }
    }
    unread.forEach((missing, flags) -> {
      throw new InvalidInputException(
          "%s: a flag of %s; add that or leave it out"
              .formatted(String.join(", ", flags), missing));
    });
  }

  private static @Nullable ReadWith others(OptionSpec option) {
    if (!(option.userObject() instanceof Field field)) {
      return null;
    }
    ReadWith own = field.getAnnotation(ReadWith.class);
    return own == null ? field.getDeclaringClass().getAnnotation(ReadWith.class) : own;
  }

  /// Whether a flag says anything but what it says by itself.
  private static boolean isGiven(OptionSpec option) {
    Object value = option.getValue();
    return value != null
        && !value.equals(false)
        && !ConfigFile.plain(value).toString().equals(option.defaultValue());
  }

  /// The flags that the run does not have.
  private static String missing(ReadWith others, Map<String, Object> run) {
    return FLAG.matcher(others.value())
        .results()
        .filter(flag -> !flag.group(2).equals(String.valueOf(run.get(flag.group(1)))))
        .map(MatchResult::group)
        .collect(Collectors.joining(" "));
  }
}
