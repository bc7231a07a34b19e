package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLParser;

/// A mapping of keys to values in a YAML file, or the whole file. JSON is YAML too. Values are
/// text, numbers, `true` or `false`, lists and mappings; tags, and so classes, are ignored.
///
/// Every method throws an [InvalidInputException] with file, key, expected and found value if the
/// value of a key is missing or of another kind.
public final class YamlSection {
  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final String LINES = "'key: value' lines with no key twice";

  private final String where;
  private final JsonNode node;

  private YamlSection(String where, JsonNode node) {
    this.where = where;
    this.node = node;
  }

  /// Reads a file.
  ///
  /// @param file YAML
  /// @param most maximum bytes of a file of its kind
  /// @param kind what the file describes, such as `a cluster`
  /// @param keys that a file of its kind may have
  /// @return the whole file
  public static YamlSection read(Path file, int most, String kind, List<String> keys) {
    return parsed(file.toString(), InputFile.of(file).text(most), YAML, kind, keys);
  }

  /// Reads a JSON text.
  ///
  /// @param where names it, the start of a message
  /// @param json an object
  /// @param kind what the text describes, such as `a schema of tables`
  /// @param keys that a text of its kind may have
  /// @return the whole text
  public static YamlSection parse(String where, String json, String kind, List<String> keys) {
    return parsed(where, json, JSON, kind, keys);
  }

  private static YamlSection parsed(
      String where, String text, ObjectMapper mapper, String kind, List<String> keys) {
    try {
      JsonNode root = mapper.readTree(text);
      if (keys.stream().noneMatch(root::has)) {
        // Some other file, which may be confidential: nothing of it is shown.
        throw new InvalidInputException(
            "%s: expected %s, lines 'key: value' with the keys %s, found another file"
                .formatted(where, kind, String.join(", ", keys)));
      }
      requirePlain(where, LINES, mapper.createParser(text));
      YamlSection whole = of(where, root);
      whole.requireKeys(keys);
      return whole;
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: line %d: expected %s, found something else"
              .formatted(where, e.getLocation() == null ? 1 : e.getLocation().getLineNr(), LINES),
          e);
    }
  }

  /// Refuses what a mapper takes for something else: of a key that stands twice it takes the last
  /// value, and for an alias the text of its name.
  ///
  /// @param where names the text, the start of a message
  /// @param expected what the text should be, such as `'flag: value' lines`
  /// @param yaml the text
  /// @return whether there is more in it than comments
  public static boolean requirePlain(String where, String expected, String yaml) {
    return requirePlain(where, expected, YAML.createParser(yaml));
  }

  private static boolean requirePlain(String where, String expected, JsonParser text) {
    Deque<Set<String>> keys = new ArrayDeque<>();
    boolean some = false;
    try (text) {
      for (JsonToken token = text.nextToken(); token != null; token = text.nextToken()) {
        some = true;
        String found = null;
        if (token == JsonToken.START_OBJECT) {
          keys.push(new HashSet<>());
        } else if (token == JsonToken.END_OBJECT) {
          keys.pop();
        } else if (text instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
          found = "the alias *" + text.getString();
        } else if (token == JsonToken.PROPERTY_NAME && !keys.element().add(text.currentName())) {
          found = text.currentName() + " twice";
        }
        if (found != null) {
          throw new InvalidInputException(
              "%s: line %d: expected %s, found %s"
                  .formatted(where, text.currentTokenLocation().getLineNr(), expected, found));
        }
      }
    }
    return some;
  }

  private static YamlSection of(String where, JsonNode node) {
    if (!node.isObject() || node.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected 'key: value' lines, found %s".formatted(where, found(node)));
    }
    return new YamlSection(where, node);
  }

  /// {@return file and key of this mapping, the start of a message}
  public String where() {
    return where;
  }

  /// {@return file and key of a value, the start of a message}
  ///
  /// @param key in this mapping
  public String where(String key) {
    return where + ": " + key;
  }

  /// {@return the keys, in the order of the file}
  public List<String> keys() {
    return List.copyOf(node.propertyNames());
  }

  /// {@return whether a key has a value}
  ///
  /// @param key in this mapping
  public boolean has(String key) {
    return node.has(key);
  }

  /// {@return whether the value of a key is a mapping}
  ///
  /// @param key in this mapping
  public boolean hasSection(String key) {
    return node.path(key).isObject();
  }

  /// Refuses other keys.
  ///
  /// @param known the keys that are read
  public void requireKeys(List<String> known) {
    for (String key : keys()) {
      if (!known.contains(key)) {
        throw new InvalidInputException(
            "%s: expected one of %s, found the key %s"
                .formatted(where, String.join(", ", known), key));
      }
    }
  }

  private JsonNode required(String key) {
    JsonNode value = node.get(key);
    if (value == null) {
      throw new InvalidInputException("%s: expected a value, found none".formatted(where(key)));
    }
    return value;
  }

  private InvalidInputException unexpected(String key, String expected) {
    return unexpected(key, node.path(key), expected);
  }

  private InvalidInputException unexpected(String key, JsonNode value, String expected) {
    return new InvalidInputException(
        "%s: expected %s, found %s".formatted(where(key), expected, found(value)));
  }

  /// {@return a mapping}
  ///
  /// @param key in this mapping
  public YamlSection section(String key) {
    return of(where(key), required(key));
  }

  /// {@return the mappings of a list}
  ///
  /// @param key in this mapping
  public List<YamlSection> sections(String key) {
    JsonNode list = required(key);
    if (!list.isArray() || list.isEmpty()) {
      throw unexpected(key, "a list of entries that begin with '-'");
    }
    List<YamlSection> sections = new ArrayList<>();
    for (JsonNode each : list) {
      sections.add(of("%s: entry %d".formatted(where(key), sections.size() + 1), each));
    }
    return sections;
  }

  /// {@return a whole number of at least 1}
  ///
  /// @param key in this mapping
  public int count(String key) {
    JsonNode value = required(key);
    if (!value.isInt() || value.intValue() < 1) {
      throw unexpected(key, "a whole number of at least 1");
    }
    return value.intValue();
  }

  /// {@return a whole number}
  ///
  /// @param key in this mapping
  public long number(String key) {
    JsonNode value = required(key);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw unexpected(key, "a whole number");
    }
    return value.longValue();
  }

  /// {@return a number}
  ///
  /// @param key in this mapping
  public double real(String key) {
    return real(key, required(key));
  }

  /// {@return the numbers of a list}
  ///
  /// @param key in this mapping
  public List<Double> reals(String key) {
    List<Double> numbers = new ArrayList<>();
    for (JsonNode each : list(key, "a list of numbers")) {
      numbers.add(real(key, each));
    }
    return numbers;
  }

  private double real(String key, JsonNode value) {
    if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
      throw unexpected(key, value, "a finite number");
    }
    return value.doubleValue();
  }

  /// {@return the texts of a list}
  ///
  /// @param key in this mapping
  public List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    for (JsonNode each : list(key, "a list of texts")) {
      if (!each.isString()) {
        throw unexpected(key, each, "texts in quotes");
      }
      texts.add(Objects.requireNonNull(each.asString()));
    }
    return texts;
  }

  private JsonNode list(String key, String expected) {
    JsonNode list = required(key);
    if (!list.isArray()) {
      throw unexpected(key, list, expected);
    }
    return list;
  }

  /// {@return true or false}
  ///
  /// @param key in this mapping
  public boolean flag(String key) {
    JsonNode value = required(key);
    if (!value.isBoolean()) {
      throw unexpected(key, "true or false");
    }
    return value.booleanValue();
  }

  /// {@return a text or a number, as text}
  ///
  /// @param key in this mapping
  /// @param expected what the text is, such as `the name of a column`
  public String text(String key, String expected) {
    JsonNode value = required(key);
    if (!value.isString() && !value.isNumber()) {
      throw unexpected(key, expected);
    }
    return Objects.requireNonNull(value.asString());
  }

  private static String found(JsonNode node) {
    return switch (node.getNodeType()) {
      case MISSING, NULL -> "none";
      case OBJECT -> node.isEmpty() ? "none" : "more keys";
      case ARRAY -> "a list";
      default -> node.asString();
    };
  }
}
