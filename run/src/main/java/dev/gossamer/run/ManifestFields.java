package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/// The fields of an object in a checkpoint's manifest. The reader of a field states its valid
/// values, so that nothing else is accepted.
public final class ManifestFields {
  private static final int SHOWN = 60;
  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;
  private final String within;
  private final JsonNode object;

  private ManifestFields(Path file, String within, JsonNode object) {
    this.file = file;
    this.within = within;
    this.object = object;
  }

  /// Reads the fields of a manifest. No link is followed.
  ///
  /// @param file to read
  /// @param longest maximum bytes
  /// @throws InvalidInputException if it is missing, longer, or no JSON object
  static ManifestFields read(Path file, int longest) {
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      byte[] bytes = in.readNBytes(longest + 1);
      if (bytes.length > longest) {
        throw new InvalidInputException(
            "%s: expected at most %d bytes, found %d".formatted(file, longest, Files.size(file)));
      }
      JsonNode whole = JSON.readTree(bytes);
      if (!whole.isObject()) {
        throw new InvalidInputException(
            "%s: expected a JSON object, found %s".formatted(file, shown(whole)));
      }
      return new ManifestFields(file, "", whole);
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: expected a JSON object, found something else".formatted(file), e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Returns the fields, all of which must be text.
  ///
  /// @param form of each
  /// @param expected the form in words
  /// @throws InvalidInputException if one is something else
  SortedMap<String, String> texts(Pattern form, String expected) {
    SortedMap<String, String> texts = new TreeMap<>();
    object.propertyNames().forEach(name -> texts.put(name, text(name, form, expected)));
    return texts;
  }

  /// {@return a whole number}
  ///
  /// @param name of the field
  /// @param least minimum
  /// @param most maximum
  /// @throws InvalidInputException if it is something else
  public long integer(String name, long least, long most) {
    JsonNode found = object.path(name);
    if (!found.isIntegralNumber()
        || !found.canConvertToLong()
        || found.longValue() < least
        || found.longValue() > most) {
      throw unexpected(name, "a whole number in %d..%d".formatted(least, most), found);
    }
    return found.longValue();
  }

  /// {@return a number}
  ///
  /// @param name of the field
  /// @param least minimum
  /// @param most maximum
  /// @throws InvalidInputException if it is something else
  public double number(String name, double least, double most) {
    JsonNode found = object.path(name);
    // A number that is none is not within anything.
    if (!found.isNumber() || !(found.doubleValue() >= least && found.doubleValue() <= most)) {
      throw unexpected(name, "a number in %s..%s".formatted(least, most), found);
    }
    return found.doubleValue();
  }

  /// {@return a boolean}
  ///
  /// @param name of the field
  /// @throws InvalidInputException if it is neither true nor false
  public boolean truth(String name) {
    JsonNode found = object.path(name);
    if (!found.isBoolean()) {
      throw unexpected(name, "true or false", found);
    }
    return found.booleanValue();
  }

  /// {@return a text}
  ///
  /// @param name of the field
  /// @param form of the whole text
  /// @param expected the form in words
  /// @throws InvalidInputException if it is something else
  public String text(String name, Pattern form, String expected) {
    JsonNode found = object.path(name);
    if (!found.isString() || !form.matcher(found.stringValue()).matches()) {
      throw unexpected(name, expected, found);
    }
    return found.stringValue();
  }

  /// {@return whether there is a field}
  ///
  /// @param name of the field
  public boolean has(String name) {
    return object.has(name);
  }

  /// {@return the fields of an object}
  ///
  /// @param name of the field
  /// @throws InvalidInputException if it is something else
  public ManifestFields object(String name) {
    return inner(name, object.path(name));
  }

  /// {@return the fields of each object of a list that is not empty}
  ///
  /// @param name of the field
  /// @throws InvalidInputException if it is something else
  public List<ManifestFields> objects(String name) {
    JsonNode found = object.path(name);
    if (!found.isArray() || found.isEmpty()) {
      throw unexpected(name, "a list of objects", found);
    }
    List<ManifestFields> objects = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      objects.add(inner("%s[%d]".formatted(name, i), found.path(i)));
    }
    return objects;
  }

  /// {@return the fields of each object of a list that may be empty, or missing as in older
  /// manifests}
  ///
  /// @param name of the field
  /// @throws InvalidInputException if it is something else
  public List<ManifestFields> objectsIfAny(String name) {
    JsonNode found = object.path(name);
    boolean none = found.isMissingNode() || (found.isArray() && found.isEmpty());
    return none ? List.of() : objects(name);
  }

  private ManifestFields inner(String name, JsonNode found) {
    if (!found.isObject()) {
      throw unexpected(name, "an object", found);
    }
    return new ManifestFields(file, within + name + ".", found);
  }

  private InvalidInputException unexpected(String name, String expected, JsonNode found) {
    return new InvalidInputException(
        "%s: %s%s: expected %s, found %s".formatted(file, within, name, expected, shown(found)));
  }

  private static String shown(JsonNode found) {
    if (found instanceof MissingNode) {
      return "none";
    }
    String text = found.toString();
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
