package dev.gossamer.cli;

import dev.gossamer.matrix.io.AtomicOutput;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// A YAML file whose keys are flags without their dashes (`hidden: 64`). Its values stand where the
/// command line says nothing; flags win.
///
/// @param values by flag name; lists are joined by commas
record ConfigFile(Path file, Map<String, String> values)
    implements CommandLine.IDefaultValueProvider {
  /// Flags that say how a command is run, not what it does; they are neither read from nor written
  /// to a file.
  private static final Set<String> NOT_SETTINGS =
      Set.of("config", "resume", "trace", "json", "quiet", "stacktrace", "help", "version");

  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /// The file that `--config FILE` or `--resume RUN` names, if either is given.
  static Optional<ConfigFile> of(String... arguments) {
    Path file = null;
    String resumed = valueOf("--resume", arguments);
    String config = valueOf("--config", arguments);
    if (resumed != null) {
      file = RunFolder.open(Path.of(resumed)).config();
    } else if (config != null) {
      file = Path.of(config);
    }
    return Optional.ofNullable(file).map(ConfigFile::read);
  }

  private static @Nullable String valueOf(String flag, String... arguments) {
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i].startsWith(flag + "=")) {
        return arguments[i].substring(flag.length() + 1);
      }
      if (arguments[i].equals(flag) && i + 1 < arguments.length) {
        return arguments[i + 1];
      }
    }
    return null;
  }

  static ConfigFile read(Path file) {
    try {
      Map<String, Object> raw =
          YAML.readValue(Files.readAllBytes(file), new TypeReference<Map<String, Object>>() {});
      Map<String, String> values = new LinkedHashMap<>();
      raw.forEach((key, value) -> values.put(key, text(value)));
      return new ConfigFile(file, values);
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: line %d: expected 'flag: value' lines, found something else"
              .formatted(file, e.getLocation() == null ? 1 : e.getLocation().getLineNr()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static String text(@Nullable Object value) {
    return value instanceof Collection<?> list
        ? list.stream().map(String::valueOf).collect(Collectors.joining(","))
        : String.valueOf(value);
  }

  /// Makes the values the defaults of the command that the arguments name.
  ///
  /// @throws InvalidInputException if a key is no flag of that command
  void applyTo(CommandLine line, String... arguments) {
    CommandLine command = line;
    for (String argument : arguments) {
      CommandLine sub = command.getSubcommands().get(argument);
      if (sub == null) {
        break;
      }
      command = sub;
    }
    for (String key : values.keySet()) {
      if (NOT_SETTINGS.contains(key) || command.getCommandSpec().findOption("--" + key) == null) {
        throw new InvalidInputException(
            "%s: %s: expected a flag of '%s' without its dashes, found an unknown name"
                .formatted(file, key, command.getCommandSpec().qualifiedName()));
      }
    }
    command.setDefaultValueProvider(this);
  }

  /// A command with the settings of this file, as [#write] wrote them.
  <C> C settle(C command) {
    CommandLine line = Main.prepared(new CommandLine(command));
    applyTo(line);
    line.parseArgs();
    return command;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return argument instanceof OptionSpec option ? values.get(nameOf(option)) : null;
  }

  /// Writes every setting of a parsed command, defaults included.
  static void write(Path file, CommandSpec command) {
    Map<String, Object> settings = new LinkedHashMap<>();
    for (OptionSpec option : command.options()) {
      Object value = option.getValue();
      if (value != null && !NOT_SETTINGS.contains(nameOf(option))) {
        settings.put(nameOf(option), plain(value));
      }
    }
    AtomicOutput.file(file, temporary -> Files.write(temporary, YAML.writeValueAsBytes(settings)));
  }

  private static Object plain(Object value) {
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
