package dev.gossamer.tables.debian;

import dev.gossamer.base.InvalidInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A package in a list: fields, one on a line, as Debian Policy 5.1 defines them. A line that
/// begins with a space or a tab continues the field above, and an empty line ends the stanza.
///
/// @param file the list
/// @param line of the first field, from 1
/// @param fields by name in lower case; the lines of a field are separated by line breaks
record Stanza(Path file, long line, Map<String, String> fields) {
  private static final String PACKAGE = "package";

  /// Reads the stanzas of a list.
  ///
  /// @param file the list, for messages
  /// @param in its text
  /// @param wanted names of fields in lower case; others are checked and left out
  /// @param sink receives each stanza, in the order of the list
  /// @throws InvalidInputException naming file and line, if a line is neither a field nor the
  ///   continuation of one, or a stanza has no package
  static void forEach(Path file, BufferedReader in, Set<String> wanted, Consumer<Stanza> sink)
      throws IOException {
    Map<String, StringBuilder> fields = new HashMap<>();
    String name = null;
    long first = 0;
    long line = 0;
    for (String text = in.readLine(); text != null; text = in.readLine()) {
      line++;
      if (text.isBlank()) {
        if (name != null) {
          sink.accept(of(file, first, fields));
        }
        fields = new HashMap<>();
        name = null;
      } else if (text.charAt(0) == ' ' || text.charAt(0) == '\t') {
        StringBuilder value = fields.get(required(file, line, name, text));
        if (value != null) {
          value.append('\n').append(text.strip());
        }
      } else {
        first = name == null ? line : first;
        int colon = text.indexOf(':');
        name = required(file, line, nameIn(text, colon), text);
        if (wanted.contains(name) || name.equals(PACKAGE)) {
          fields.put(name, new StringBuilder(text.substring(colon + 1).strip()));
        }
      }
    }
    if (name != null) {
      sink.accept(of(file, first, fields));
    }
  }

  private static Stanza of(Path file, long first, Map<String, StringBuilder> fields) {
    Map<String, String> values = new HashMap<>();
    fields.forEach((name, value) -> values.put(name, value.toString()));
    Stanza stanza = new Stanza(file, first, values);
    if (stanza.name().isEmpty()) {
      throw new InvalidInputException(
          "%s: line %d: expected a field Package in the stanza, found none".formatted(file, first));
    }
    return stanza;
  }

  /// Null if there is none before the colon.
  private static @Nullable String nameIn(String text, int colon) {
    String name = text.substring(0, Math.max(0, colon));
    return name.isEmpty() || name.chars().anyMatch(c -> c <= ' ')
        ? null
        : name.toLowerCase(Locale.ROOT);
  }

  private static String required(Path file, long line, @Nullable String name, String text) {
    if (name == null) {
      throw new InvalidInputException(
          "%s: line %d: expected 'Field: value', or such a line above one that begins with a space, found '%s'"
              .formatted(file, line, text));
    }
    return name;
  }

  /// The name of the package.
  String name() {
    return text(PACKAGE).orElse("");
  }

  /// The first line of a field; empty if it is missing or empty.
  Optional<String> text(String field) {
    return Optional.ofNullable(fields.get(field))
        .map(value -> value.lines().findFirst().orElse(""))
        .filter(value -> !value.isEmpty());
  }

  /// A whole number; empty if it is missing.
  ///
  /// @throws InvalidInputException if it is something else
  Optional<String> number(String field) {
    Optional<String> found = text(field);
    found
        .filter(value -> !value.matches("[0-9]{1,18}"))
        .ifPresent(value -> {
          throw new InvalidInputException(
              "%s: line %d: package %s: field %s: expected a whole number, found '%s'"
                  .formatted(file, line, name(), field, value));
        });
    return found;
  }

  /// The packages of a field such as `Depends`: for each relation, the names of its alternatives.
  /// Versions, architectures and build profiles are left out: of `a (>= 2) | b:any [amd64], c`
  /// remain `a`, `b` and `c`.
  List<List<String>> relations(String field) {
    return List.of(fields.getOrDefault(field, "").split(",", -1)).stream()
        .map(relation ->
            List.of(relation.split("\\|", -1)).stream()
                .map(alternative -> alternative.strip().replaceFirst("(?s)[\\s:(\\[<].*", ""))
                .filter(name -> !name.isEmpty())
                .toList())
        .filter(alternatives -> !alternatives.isEmpty())
        .toList();
  }
}
