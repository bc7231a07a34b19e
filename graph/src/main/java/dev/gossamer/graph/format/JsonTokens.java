package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/// Reads a JSON file token by token, without holding it; messages have line and column. Not
/// thread-safe.
final class JsonTokens {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /// In place of messages that name methods of the parser.
  private static final String LIMITS =
      "expected at most %d levels, numbers of %d digits and names of %d characters, found more"
          .formatted(
              StreamReadConstraints.DEFAULT_MAX_DEPTH,
              StreamReadConstraints.DEFAULT_MAX_NUM_LEN,
              StreamReadConstraints.DEFAULT_MAX_NAME_LEN);

  private final Path file;
  private final JsonParser json;

  private JsonTokens(Path file, JsonParser json) {
    this.file = file;
    this.json = json;
  }

  /// Reads a file that holds one object.
  ///
  /// @param object reads its keys and values, up to its end
  static void read(Path file, Consumer<JsonTokens> object) {
    try (InputStream bytes = InputFile.of(file).stream();
        JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
      JsonTokens tokens = new JsonTokens(file, json);
      tokens.requireNext(JsonToken.START_OBJECT, "an object");
      object.accept(tokens);
      if (json.nextToken() != null) {
        throw tokens.wrong("the end of the file");
      }
    } catch (JacksonException e) {
      throw damaged(file, e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// The exception for a file that is not JSON.
  static InvalidInputException damaged(Path file, JacksonException e) {
    return new InvalidInputException(
        "%s: line %d: %s"
            .formatted(
                file,
                e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
                e instanceof StreamConstraintsException ? LIMITS : e.getOriginalMessage()),
        e);
  }

  /// Goes to the next key of an object.
  ///
  /// @return false at its end
  boolean nextKey() {
    return json.nextToken() != JsonToken.END_OBJECT;
  }

  String key() {
    return json.currentName();
  }

  /// The key as a vertex.
  ///
  /// @param n number of vertices
  int vertexKey(int n) {
    String key = json.currentName();
    int v = key.matches("[0-9]{1,9}") ? Integer.parseInt(key) : -1;
    if (v < 0 || v >= n) {
      throw wrong("a vertex id in 0..%d".formatted(n - 1), "'" + key + "'");
    }
    return v;
  }

  /// Goes to the value of a key, which must be an array.
  void requireArray(String what) {
    requireNext(JsonToken.START_ARRAY, what);
  }

  /// Goes to the value of a key, or to the next element.
  void next() {
    json.nextToken();
  }

  /// Whether the token starts an array.
  boolean isArray() {
    return json.currentToken() == JsonToken.START_ARRAY;
  }

  /// Goes to the next element of an array.
  ///
  /// @return false at its end
  boolean nextElement() {
    return json.nextToken() != JsonToken.END_ARRAY;
  }

  /// The value or element as an integer of at least 0.
  ///
  /// @param what it should be, for the message
  long count(String what) {
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT || json.getLongValue() < 0) {
      throw wrong(what);
    }
    return json.getLongValue();
  }

  private void requireNext(JsonToken expected, String what) {
    if (json.nextToken() != expected) {
      throw wrong(what);
    }
  }

  /// File, line and column, the start of a message.
  String place() {
    return "%s: line %d, column %d"
        .formatted(
            file,
            json.currentTokenLocation().getLineNr(),
            json.currentTokenLocation().getColumnNr());
  }

  /// The exception for a token that is not as expected.
  InvalidInputException wrong(String expected) {
    return wrong(expected, json.getString());
  }

  InvalidInputException wrong(String expected, @Nullable String found) {
    return new InvalidInputException(
        "%s: expected %s, found %s".formatted(place(), expected, found));
  }
}
