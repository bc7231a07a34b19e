package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Stores a tokenizer with a model, for text generation: JSON, see `docs/formats.md`.
public final class TokenFile {
  private static final String FORMAT = "gossamer-tokens";
  private static final int VERSION = 1;
  private static final int LONGEST = 1 << 22;
  private static final String BASE = "r50k_base";
  private static final JsonMapper JSON = new JsonMapper();

  private TokenFile() {}

  /// Writes a file atomically.
  ///
  /// @param file to write
  /// @param tokenizer to describe
  /// @throws InvalidInputException if it cannot be written
  public static void write(Path file, Tokenizer tokenizer) {
    AtomicOutput.file(file, temporary -> Files.writeString(temporary, content(tokenizer) + "\n"));
  }

  /// {@return the content of a file in one line, for use in other files}
  ///
  /// @param tokenizer to describe
  public static String content(Tokenizer tokenizer) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("version", VERSION);
    switch (tokenizer) {
      case ByteTokenizer _ -> root.put("kind", "bytes");
      case BpeTokenizer bpe -> {
        root.put("kind", "bpe");
        root.put("base", BASE);
        if (!bpe.isFull()) {
          ArrayNode tokens = root.putArray("tokens");
          for (int token : bpe.tokens()) {
            tokens.add(token);
          }
        }
      }
    }
    return JSON.writeValueAsString(root);
  }

  /// Reads what [#write] wrote.
  ///
  /// @param file to read
  /// @return the tokenizer
  /// @throws InvalidInputException if the file cannot be read or is invalid
  public static Tokenizer read(Path file) {
    return parse(file, InputFile.of(file).text(LONGEST));
  }

  /// Reads the result of [#content].
  ///
  /// @param file named in errors
  /// @param content one line of JSON
  /// @return the tokenizer
  /// @throws InvalidInputException if it is invalid
  public static Tokenizer parse(Path file, String content) {
    JsonNode root;
    try {
      root = JSON.readTree(content);
    } catch (JacksonException e) {
      throw new InvalidInputException("%s: expected JSON, found something else".formatted(file), e);
    }
    expect(file, root, "format", FORMAT);
    expect(file, root, "version", Integer.toString(VERSION));
    String kind = root.path("kind").asString("nothing");
    return switch (kind) {
      case "bytes" -> {
        expectKeys(file, root, Set.of("format", "version", "kind"));
        yield new ByteTokenizer();
      }
      case "bpe" -> {
        expectKeys(file, root, Set.of("format", "version", "kind", "base", "tokens"));
        expect(file, root, "base", BASE);
        BpeTokenizer full = new BpeTokenizer();
        yield root.has("tokens") ? limited(file, full, root.path("tokens")) : full;
      }
      default ->
          throw new InvalidInputException(
              "%s: kind: expected bytes or bpe, found %s".formatted(file, kind));
    };
  }

  private static BpeTokenizer limited(Path file, BpeTokenizer full, JsonNode tokens) {
    int[] ids = new int[tokens.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = tokens.path(i).asInt(-1);
    }
    try {
      return full.limitedTo(ids);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static void expect(Path file, JsonNode root, String key, String expected) {
    String found = root.path(key).asString("nothing");
    if (!found.equals(expected)) {
      throw new InvalidInputException(
          "%s: %s: expected %s, found %s".formatted(file, key, expected, found));
    }
  }

  private static void expectKeys(Path file, JsonNode root, Set<String> known) {
    for (Map.Entry<String, JsonNode> entry : root.properties()) {
      if (!known.contains(entry.getKey())) {
        throw new InvalidInputException(
            "%s: expected the keys %s, found %s"
                .formatted(file, new TreeSet<>(known), entry.getKey()));
      }
    }
  }
}
