package dev.gossamer.cli.settings;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.graph.format.YamlSection;
import dev.gossamer.run.RunFolder;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// A YAML file whose keys are flags without their dashes (`hidden: 64`). Flags on the command line
/// override its values.
///
/// @param values by flag name; lists are joined by commas
public record ConfigFile(Path file, Map<String, String> values)
    implements CommandLine.IDefaultValueProvider {
  /// Flags that say how a command is run, not what it does; they are neither read from nor written
  /// to a file.
  private static final Set<String> NOT_SETTINGS =
      Set.of(
          "config",
          "resume",
          "run-folder",
          "trace",
          "profile",
          "tensorboard",
          "cluster",
          "json",
          "quiet",
          "verbose",
          "stacktrace",
          "help",
          "version");

  /// The commands whose runs are resumed, and a setting that only runs of each have.
  private static final Map<String, String> OF_RUNS =
      Map.of("gossamer train", "epochs", "gossamer prune train", "iterations");

  /// Far more than all flags of a command take.
  private static final int MOST_BYTES = 1 << 18;

  /// `java`, `onednn:libdnnl.so.3`, `libmpi.so.40`: nothing that leads into a folder.
  private static final Pattern NAME_OF_CODE =
      Pattern.compile("([A-Za-z0-9]{2,}:)?[A-Za-z0-9][A-Za-z0-9._+-]*");

  /// How messages about a flag begin, ours and those of the parser.
  private static final Pattern ABOUT =
      Pattern.compile("(?:Invalid value for option ')?--([a-z][a-z0-9-]*)");

  private static final YAMLMapper YAML = new YAMLMapper();

  private static final String LINES = "'flag: value' lines";

  /// Returns the file of `--config FILE` or `--resume RUN`, if either is given. For `--resume
  /// auto`, [Restart] has put the run's folder in place of `auto` if the run has begun.
  public static Optional<ConfigFile> of(String... arguments) {
    Path file = null;
    String resumed = resumed(arguments);
    String config = valueOf("--config", arguments);
    // The parser, which reads the flags later, refuses an empty path.
    if (resumed != null) {
      file = RunFolder.open(Path.of(resumed)).config();
    } else if (config != null && !config.isEmpty()) {
      file = Path.of(config);
    }
    return Optional.ofNullable(file).map(ConfigFile::read);
  }

  private static @Nullable String resumed(String... arguments) {
    String run = valueOf(Restart.RESUME, arguments);
    return run == null || run.isEmpty() || run.equals(Restart.AUTO) ? null : run;
  }

  /// Returns the value of a flag in unparsed arguments, the last one as for the parser; null if it
  /// is not given.
  public static @Nullable String valueOf(String flag, String... arguments) {
    String value = null;
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i].startsWith(flag + "=")) {
        value = arguments[i].substring(flag.length() + 1);
      } else if (arguments[i].equals(flag) && i + 1 < arguments.length) {
        value = arguments[i + 1];
      }
    }
    return value;
  }

  /// Reads a file of settings.
  ///
  /// @throws InvalidInputException if it is something else
  public static ConfigFile read(Path file) {
    try {
      String text = InputFile.of(file).text(MOST_BYTES);
      Map<String, Object> raw =
          YamlSection.requirePlain(file.toString(), LINES, text)
              ? YAML.readValue(text, new TypeReference<Map<String, Object>>() {})
              : Map.of();
      if (raw == null || raw.isEmpty()) {
        throw new InvalidInputException("%s: expected %s, found none".formatted(file, LINES));
      }
      Map<String, String> values = new LinkedHashMap<>();
      raw.forEach((key, value) -> values.put(key, text(file, key, value)));
      return new ConfigFile(file, values);
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: line %d: expected %s, found something else"
              .formatted(file, e.getLocation() == null ? 1 : e.getLocation().getLineNr(), LINES),
          e);
    }
  }

  /// A value as a flag has it.
  private static String text(Path file, String key, @Nullable Object value) {
    String text =
        value instanceof Collection<?> list
            ? list.stream().map(each -> plain(file, key, each)).collect(Collectors.joining(","))
            : plain(file, key, value);
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidInputException(
          "%s: %s: expected one line, found control characters".formatted(file, key));
    }
    return text;
  }

  private static String plain(Path file, String key, @Nullable Object value) {
    return switch (value) {
      case String text -> text;
      case Number number -> number.toString();
      case Boolean truth -> truth.toString();
      case null ->
          throw new InvalidInputException(
              "%s: %s: expected a value, found none".formatted(file, key));
      default ->
          throw new InvalidInputException(
              "%s: %s: expected a value or a list of values, found a structure"
                  .formatted(file, key));
    };
  }

  /// Sets the values as defaults of the command in the arguments.
  ///
  /// @throws InvalidInputException if a key is no flag of that command, or names code, which only
  ///   the command line may do
  public void applyTo(CommandLine line, String... arguments) {
    CommandLine command = line;
    for (String argument : arguments) {
      CommandLine sub = command.getSubcommands().get(argument);
      if (sub == null) {
        break;
      }
      command = sub;
    }
    String resumed = resumed(arguments);
    if (resumed != null) {
      requireRunOf(command, resumed);
    }
    for (Map.Entry<String, String> setting : values.entrySet()) {
      OptionSpec option = flag(command, setting.getKey());
      if (loadsCode(option) && valueOf(option.longestName(), arguments) == null) {
        requireName(setting);
      }
    }
    command.setDefaultValueProvider(this);
  }

  private void requireRunOf(CommandLine command, String run) {
    String asked = command.getCommandSpec().qualifiedName();
    OF_RUNS.forEach((other, setting) -> {
      if (OF_RUNS.containsKey(asked) && !other.equals(asked) && values.containsKey(setting)) {
        throw new InvalidInputException(
            "%s: expected a run of '%s', found one of '%s'; resume it with: %s --resume %s"
                .formatted(file, asked, other, other, run));
      }
    });
  }

  private OptionSpec flag(CommandLine command, String key) {
    OptionSpec option = command.getCommandSpec().findOption("--" + key);
    if (option == null || !isSetting(option)) {
      throw new InvalidInputException(
          "%s: %s: expected a flag of '%s' without its dashes, found an unknown name"
              .formatted(file, key, command.getCommandSpec().qualifiedName()));
    }
    return option;
  }

  /// Adds the name of this file to a message about a flag whose value comes from it.
  ///
  /// @param arguments of the command line, which override the file
  public String placed(String message, String... arguments) {
    Matcher about = ABOUT.matcher(message);
    if (!about.lookingAt() || !values.containsKey(about.group(1))) {
      return message;
    }
    String flag = "--" + about.group(1);
    boolean given =
        Arrays.stream(arguments).anyMatch(each -> each.equals(flag) || each.startsWith(flag + "="));
    return given ? message : file + ": " + message;
  }

  /// Whether a file may have the flag.
  static boolean isSetting(OptionSpec option) {
    return !NOT_SETTINGS.contains(nameOf(option));
  }

  static boolean loadsCode(OptionSpec option) {
    return option.userObject() instanceof AnnotatedElement element
        && element.isAnnotationPresent(LoadsCode.class);
  }

  /// The one place that decides what of code a file of settings may name; see [LoadsCode].
  private void requireName(Map.Entry<String, String> setting) {
    if (!NAME_OF_CODE.matcher(setting.getValue()).matches()) {
      throw new InvalidInputException(
          "%s: %s: expected the name of a library, found %s; a path to code is accepted only on the command line: give --%s there if you trust it"
              .formatted(file, setting.getKey(), setting.getValue(), setting.getKey()));
    }
  }

  /// Fills options with the values of this file, ignoring its other values.
  public <T> T fill(T options) {
    CommandLine line = new CommandLine(options);
    Choice.offer(line);
    line.setDefaultValueProvider(this);
    try {
      line.parseArgs();
    } catch (ParameterException e) {
      throw new InvalidInputException(placed(String.valueOf(e.getMessage())), e);
    }
    return options;
  }

  /// Returns the value verbatim: the parser would replace `${...}` by environment variables.
  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return null;
    }
    String value = values.get(nameOf(option));
    return value == null ? null : value.replace("${", "$${");
  }

  /// Writes settings.
  ///
  /// @param settings by flag, without its dashes
  /// @param comments lines about them
  public static void write(Path file, Map<String, Object> settings, List<String> comments) {
    String head = comments.stream().map("# %s%n"::formatted).collect(Collectors.joining());
    AtomicOutput.file(
        file, temporary -> Files.writeString(temporary, head + YAML.writeValueAsString(settings)));
  }

  static Object plain(Object value) {
    return switch (value) {
      case Number n -> n;
      case Boolean b -> b;
      case Enum<?> e -> Choice.name(e);
      case Collection<?> list -> list.stream().map(ConfigFile::plain).toList();
      default -> value.toString();
    };
  }

  private static String nameOf(OptionSpec option) {
    return option.longestName().replaceFirst("^-+", "");
  }
}
