package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Commands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// Every component that a message of the library names has a flag, or is known to have none.
class FlagNamesTest {
  private static final Pattern LITERAL = Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"");

  private static final Pattern IN_BRACES = Pattern.compile("\\{([a-z][A-Za-z0-9]*)}");

  private static final Pattern REQUIRED =
      Pattern.compile("require(?:AtLeast|NotNegative|Rate|Positive)\\(\\s*\"([a-z][A-Za-z0-9]*)\"");

  @Test
  void componentsThatOnlyProgramsSetKeepTheirNames() {
    assertThat(FlagNames.of("edges")).isEqualTo("edges");
    assertThat(FlagNames.of("learningRate")).isEqualTo("--lr");
    assertThat(FlagNames.of("evaluateEvery")).isEqualTo("--evaluate-every");
  }

  @Test
  void everyComponentHasAFlagOrIsKnownToHaveNone() throws IOException {
    Map<String, Set<Path>> components = components();
    assertThat(components).containsKeys("epochs", "cacheLines", "pushDelay", "placement");
    Set<String> flags = flags(Commands.all());
    Map<String, Set<Path>> unknown = new TreeMap<>(components);
    unknown.keySet().removeIf(component -> flags.contains(FlagNames.of(component)));
    assertThat(unknown.keySet()).as("%s", unknown).isEqualTo(FlagNames.WITHOUT_FLAG);
  }

  /// A component that has the name of a flag does not stand for another one.
  @Test
  void noComponentTakesTheNameOfAFlag() {
    for (String flag : flags(Commands.all())) {
      String component = component(flag);
      if (flag.startsWith("--") && !FlagNames.WITHOUT_FLAG.contains(component)) {
        assertThat(FlagNames.of(component)).isEqualTo(flag);
      }
    }
  }

  /// `evaluateEvery` of `--evaluate-every`.
  private static String component(String flag) {
    return Pattern.compile("-([a-z0-9])")
        .matcher(flag.replaceFirst("^-+", ""))
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }

  private static Set<String> flags(CommandLine command) {
    return Stream.concat(
            command.getCommandSpec().options().stream()
                .flatMap(option -> Arrays.stream(option.names())),
            command.getSubcommands().values().stream().flatMap(sub -> flags(sub).stream()))
        .collect(Collectors.toSet());
  }

  /// Components with the files that name them.
  private static Map<String, Set<Path>> components() throws IOException {
    Map<String, Set<Path>> components = new TreeMap<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.map(each -> each.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(module)) {
          addComponents(module, components);
        }
      }
    }
    return components;
  }

  private static void addComponents(Path sources, Map<String, Set<Path>> components)
      throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(file -> {
            String code = code(file);
            if (code.contains("InvalidSettingException")) {
              Stream.concat(
                      LITERAL
                          .matcher(code)
                          .results()
                          .flatMap(literal -> IN_BRACES.matcher(literal.group()).results()),
                      REQUIRED.matcher(code).results())
                  .forEach(found ->
                      components
                          .computeIfAbsent(found.group(1), _ -> new TreeSet<>())
                          .add(file.getFileName()));
            }
          });
    }
  }

  /// A file without its comments.
  private static String code(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.filter(line -> !line.strip().startsWith("//")).collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
