package dev.gossamer.pruned.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerTest {
  private static final BpeTokenizer FULL = new BpeTokenizer();
  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "The quick brown fox doesn't jump.\n\n  Over \t the dog's 1234 legs.\r\n",
          "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich",
          "\u65e5\u672c\u8a9e \u0440\u0443\u0441\u0441\u043a\u0438\u0439 \ud83d\ude00\u200d",
          "a zero width \u200b and a hard blank \u00a0 <|endoftext|>");

  @Test
  void knownTokensOfGpt2() {
    assertThat(FULL.vocabulary()).isEqualTo(50_257);
    assertThat(FULL.encode("Hello world")).containsExactly(15496, 995);
    assertThat(FULL.encode("a\n\nb")).containsExactly(64, 198, 198, 65);
  }

  @Test
  void decodingGivesTheTextBack() {
    BpeTokenizer limited = limited(String.join(" ", TEXTS), 300);
    for (String text : TEXTS) {
      for (Tokenizer tokenizer : List.of(new ByteTokenizer(), FULL, limited)) {
        int[] tokens = tokenizer.encode(text);
        assertThat(tokenizer.text(tokens)).as(tokenizer.name()).isEqualTo(text);
        assertThat(IntStream.of(tokens)).allMatch(t -> t >= 0 && t < tokenizer.vocabulary());
      }
    }
  }

  @Test
  void bytesAreTokens() {
    assertThat(new ByteTokenizer().encode("a\u00e9")).containsExactly('a', 0xc3, 0xa9);
  }

  @Test
  void limitedVocabularyHasTheMostFrequentMerges() {
    String text = " the cat the cat the dog";
    BpeTokenizer limited = limited(text, 258);
    assertThat(limited.vocabulary()).isEqualTo(258);
    assertThat(limited.text(new int[] {256})).isEqualTo(" the");
    assertThat(limited.text(new int[] {257})).isEqualTo(" cat");
    int[] tokens = limited.encode(text);
    assertThat(tokens).hasSize(5 + " dog".length()).startsWith(256, 257, 256, 257, 256);
    assertThat(limited(text, 1000).vocabulary()).isEqualTo(256 + 3);
  }

  @Test
  void missingMergesAreWrittenAsTheLongestThatThereAre() {
    String[] merges = {"the", " th", "re"};
    int[] chosen = IntStream.range(0, 259).toArray();
    for (int i = 0; i < merges.length; i++) {
      int[] token = FULL.encode(merges[i]);
      assertThat(token).hasSize(1);
      chosen[256 + i] = token[0];
    }
    BpeTokenizer limited = FULL.limitedTo(chosen);
    assertThat(FULL.encode(" there")).hasSize(1);
    int e = limited.encode("e")[0];
    assertThat(limited.encode(" there")).containsExactly(257, e, 258);
    assertThat(limited.encode("there")).containsExactly(256, 258);
  }

  @Test
  void piecesHaveTheTokensOfTheWhole() {
    String[] words = {"word", "don't", " ", "  ", "\n", "\n\n", "\t", "7", "\u00fcber", ".", " \n"};
    Random random = new Random(5);
    StringBuilder text = new StringBuilder();
    while (text.length() < 1_400_000) {
      text.append(words[random.nextInt(words.length)]);
    }
    TextSlice slice = slice(text.toString());
    List<TextSlice> pieces = slice.pieces();
    assertThat(pieces).hasSizeGreaterThan(2);
    List<Integer> tokens = new ArrayList<>();
    StringBuilder joined = new StringBuilder();
    for (TextSlice piece : pieces) {
      joined.append(piece.decode());
      IntStream.of(FULL.encode(piece.decode())).forEach(tokens::add);
    }
    assertThat(joined.toString().contentEquals(text)).isTrue();
    assertThat(tokens.stream().mapToInt(Integer::intValue).toArray())
        .isEqualTo(FULL.encode(text.toString()));
  }

  @Test
  void piecesWithoutBlanksEndBetweenCharacters() {
    TextSlice slice = slice("\u65e5".repeat(27_000));
    StringBuilder joined = new StringBuilder();
    slice.pieces().forEach(piece -> joined.append(piece.decode()));
    assertThat(slice.pieces()).hasSize(3);
    assertThat(joined.toString()).isEqualTo("\u65e5".repeat(27_000));
  }

  @Test
  void fileGivesTheTokenizerBack(@TempDir Path folder) {
    BpeTokenizer limited = limited(String.join(" ", TEXTS), 290);
    for (Tokenizer tokenizer : List.of(new ByteTokenizer(), FULL, limited)) {
      Path file = folder.resolve("tokens.json");
      TokenFile.write(file, tokenizer);
      Tokenizer read = TokenFile.read(file);
      assertThat(read.name()).isEqualTo(tokenizer.name());
      for (String text : TEXTS) {
        assertThat(read.encode(text)).isEqualTo(tokenizer.encode(text));
      }
    }
  }

  @Test
  void malformedTokenFilesAreRefused(@TempDir Path folder) {
    String start = "{\"format\": \"gossamer-tokens\", \"version\": 1, ";
    assertRefused(folder, "[", "expected JSON");
    assertRefused(folder, "{}", "format: expected gossamer-tokens, found nothing");
    assertRefused(
        folder, start + "\"kind\": \"words\"}", "kind: expected bytes or bpe, found words");
    assertRefused(folder, start + "\"kind\": \"bytes\", \"x\": 1}", "found x");
    assertRefused(
        folder,
        start + "\"kind\": \"bpe\", \"base\": \"o200k\"}",
        "base: expected r50k_base, found o200k");
    assertRefused(
        folder,
        start + "\"kind\": \"bpe\", \"base\": \"r50k_base\", \"tokens\": [0, 1]}",
        "expected at least the 256 bytes, found 2");
    assertRefused(
        folder,
        start + "\"kind\": \"bpe\", \"base\": \"r50k_base\", \"tokens\": [0, 2]}",
        "token 1: expected 1, found 2");
    assertRefused(folder, start.replace('1', '2') + "\"kind\": \"bytes\"}", "version: expected 1");
  }

  private static void assertRefused(Path folder, String json, String message) {
    Path file = Fixtures.write(folder, "bad.json", json);
    assertThatThrownBy(() -> TokenFile.read(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(message);
  }

  @Test
  void wrongArgumentsAreRefused() {
    assertThatThrownBy(() -> Tokens.parse("words"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found 'words'");
    assertThatThrownBy(() -> Tokens.parse("bpe:255"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("256 to 50257, found 255");
    assertThat(Tokens.parse("bpe:300")).isEqualTo(new Tokens.Bpe(300));
    assertThat(Tokens.parse("bpe")).hasToString("bpe");
    assertThat(Tokens.parse("bytes")).hasToString("bytes");
    for (Tokenizer tokenizer : List.of(new ByteTokenizer(), FULL)) {
      assertThatThrownBy(() -> tokenizer.decode(new int[] {tokenizer.vocabulary()}))
          .isInstanceOf(IllegalArgumentException.class);
    }
    int[] twice = IntStream.concat(IntStream.range(0, 257), IntStream.of(256)).toArray();
    assertThatThrownBy(() -> FULL.limitedTo(twice)).hasMessageContaining("token 257");
  }

  private static BpeTokenizer limited(String text, int vocabulary) {
    long[] counts = new long[BpeTokenizer.FULL];
    for (int token : FULL.encode(text)) {
      counts[token]++;
    }
    return FULL.mostFrequent(counts, vocabulary);
  }

  private static TextSlice slice(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new TextSlice("text", 0, MemorySegment.ofArray(bytes));
  }
}
