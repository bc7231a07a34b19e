package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// GPT-2's byte pairs in the files that other programs read: `vocab.json`, the number of each
/// token, and `merges.txt`, the pairs in the order in which they are merged. A byte is written as a
/// printable character: itself in printable Latin-1, otherwise the next unused one from U+0100.
public final class Gpt2TokenFiles {
  /// File of the numbers of the tokens.
  public static final String VOCABULARY = "vocab.json";

  /// File of the pairs.
  public static final String MERGES = "merges.txt";

  /// File of the tokenizer's settings.
  public static final String SETTINGS = "tokenizer_config.json";

  private static final int BYTES = ByteTokenizer.VOCABULARY;
  private static final int LONGEST = 1 << 24;
  private static final String END_OF_TEXT = "<|endoftext|>";
  private static final JsonMapper JSON = new JsonMapper();

  private Gpt2TokenFiles() {}

  /// Writes the files of the full vocabulary.
  ///
  /// @param folder that exists
  /// @param tokenizer the full vocabulary
  /// @param length context length of the model in tokens
  /// @throws IllegalArgumentException if the vocabulary is not the full one
  /// @throws IOException if a file cannot be written
  public static void write(Path folder, BpeTokenizer tokenizer, int length) throws IOException {
    if (!tokenizer.isFull()) {
      throw new IllegalArgumentException(
          "byte pairs: expected all of GPT-2's, found " + tokenizer.vocabulary());
    }
    List<String> tokens = tokens(tokenizer);
    ObjectNode numbers = JSON.createObjectNode();
    for (int i = 0; i < tokens.size(); i++) {
      numbers.put(tokens.get(i), i);
    }
    ObjectNode settings = JSON.createObjectNode();
    settings.put("tokenizer_class", "GPT2Tokenizer");
    settings.put("model_max_length", length);
    settings.put("add_prefix_space", false);
    settings.put("bos_token", END_OF_TEXT);
    settings.put("eos_token", END_OF_TEXT);
    settings.put("unk_token", END_OF_TEXT);
    Files.writeString(folder.resolve(VOCABULARY), JSON.writeValueAsString(numbers));
    Files.writeString(folder.resolve(MERGES), merges(tokens));
    Files.writeString(folder.resolve(SETTINGS), JSON.writeValueAsString(settings));
  }

  /// Checks that a vocabulary is GPT-2's.
  ///
  /// @param file a `vocab.json`
  /// @param tokenizer GPT-2's full vocabulary
  /// @throws InvalidInputException if a token has another number
  public static void requireSame(Path file, BpeTokenizer tokenizer) {
    Map<String, Integer> numbers;
    try {
      numbers = JSON.readValue(InputFile.of(file).text(LONGEST), new TypeReference<>() {});
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: expected a JSON object of tokens and their numbers, found something else"
              .formatted(file),
          e);
    }
    List<String> tokens = tokens(tokenizer);
    for (int i = 0; i < tokens.size(); i++) {
      Integer number = numbers.get(tokens.get(i));
      if (number == null || number != i) {
        throw new InvalidInputException(
            "%s: expected GPT-2's tokens, of which '%s' has the number %d, found %s"
                .formatted(file, tokens.get(i), i, number == null ? "none" : number));
      }
    }
  }

  /// Each token as the files write it.
  private static List<String> tokens(BpeTokenizer tokenizer) {
    char[] characters = characters();
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < BpeTokenizer.FULL; i++) {
      if (tokenizer.endsText(i)) {
        tokens.add(END_OF_TEXT);
      } else {
        StringBuilder token = new StringBuilder();
        for (byte each : tokenizer.decode(new int[] {i})) {
          token.append(characters[each & 0xff]);
        }
        tokens.add(token.toString());
      }
    }
    return tokens;
  }

  private static char[] characters() {
    char[] characters = new char[BYTES];
    int next = BYTES;
    for (int i = 0; i < BYTES; i++) {
      boolean printable = (i >= '!' && i <= '~') || (i >= '¡' && i <= 'ÿ' && i != 0xad);
      characters[i] = printable ? (char) i : (char) next++;
    }
    return characters;
  }

  /// The last merge of each token: the two parts that are left when its bytes have been merged by
  /// all pairs before it.
  private static String merges(List<String> tokens) {
    Map<String, Integer> numbers = new HashMap<>();
    for (int i = 0; i < tokens.size(); i++) {
      numbers.put(tokens.get(i), i);
    }
    StringBuilder merges = new StringBuilder("#version: 0.2\n");
    for (int i = BYTES; i < tokens.size() - 1; i++) {
      merges.append(String.join(" ", parts(tokens.get(i), i, numbers))).append('\n');
    }
    return merges.toString();
  }

  private static List<String> parts(String token, int below, Map<String, Integer> numbers) {
    List<String> parts = new ArrayList<>(token.chars().mapToObj(Character::toString).toList());
    while (parts.size() > 2) {
      int first = below;
      int place = -1;
      for (int i = 0; i + 1 < parts.size(); i++) {
        int number = numbers.getOrDefault(parts.get(i) + parts.get(i + 1), below);
        if (number < first) {
          first = number;
          place = i;
        }
      }
      if (place < 0) {
        throw new IllegalStateException("byte pairs: no merge leads to " + token);
      }
      parts.set(place, parts.get(place) + parts.remove(place + 1));
    }
    return parts;
  }
}
