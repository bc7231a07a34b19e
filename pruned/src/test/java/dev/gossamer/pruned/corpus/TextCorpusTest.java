package dev.gossamer.pruned.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Shape;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextCorpusTest {
  private static final Tokens BYTES = new Tokens.Bytes();

  @TempDir Path folder;

  @Test
  void aFileIsSplitAtLineEnds() {
    String text = Fixtures.lines(205);
    try (TextCorpus corpus = open(Fixtures.write(folder, "a.txt", text), 7)) {
      assertThat(corpus.name()).isEqualTo("a.txt");
      assertThat(corpus.input()).isEqualTo(new Shape(7, 1, 1));
      assertThat(corpus.classes()).isEqualTo(256);
      assertThat(corpus.labelsPerSample()).isEqualTo(7);
      // 90 % of 2,050 bytes are 1,845 and 95 % are 1,948: the next line ends are 1,850 and 1,950.
      assertThat(corpus.tokens(Part.TRAIN)).isEqualTo(1850);
      assertThat(corpus.tokens(Part.VALIDATION)).isEqualTo(100);
      assertThat(corpus.tokens(Part.TEST)).isEqualTo(100);
      assertThat(corpus.size(Part.VALIDATION)).isEqualTo(99 / 7);
      assertThat(all(corpus, Part.TRAIN)).isEqualTo(text.substring(0, 1849 / 7 * 7));
      assertThat(all(corpus, Part.TEST)).isEqualTo(text.substring(1950, 1950 + 98));
    }
  }

  /// Two bytes a token; while it is opened the tokens of the part to train twice, and its text.
  @Test
  void itsMemoryFollowsFromItsSizes() {
    Path file = Fixtures.write(folder, "a.txt", Fixtures.lines(205));
    try (TextCorpus corpus = open(file, 7);
        Corpus pairs = Corpora.open(file, new Tokens.Bpe(300), 7, ReadingProgress.SILENT)) {
      assertThat(corpus.memory()).isEqualTo(new CorpusMemory(4100, 1850 + 2 * 3700));
      assertThat(pairs.memory().held())
          .isEqualTo(pairs.bytes() + BpeTokenizer.BYTES_OF_TABLES)
          .isGreaterThan(corpus.memory().opening());
    }
  }

  @Test
  void aLineLongerThanThePartsIsSplitBetweenCharacters() {
    Path file = Fixtures.write(folder, "long.txt", "\u00e9".repeat(500));
    try (TextCorpus corpus = open(file, 3)) {
      assertThat(corpus.tokens(Part.TRAIN)).isEqualTo(900);
      assertThat(corpus.tokens(Part.VALIDATION)).isEqualTo(50);
      assertThat(all(corpus, Part.VALIDATION)).isEqualTo("\u00e9".repeat(24));
    }
  }

  @Test
  void packedAndUnpackedAreTheSame() {
    byte[] text = Fixtures.lines(100).getBytes(StandardCharsets.UTF_8);
    Path plain = Fixtures.write(folder, "a.txt", text);
    Path packed = Fixtures.write(folder, "b.txt.gz", Fixtures.gzip(text));
    try (TextCorpus a = open(plain, 5);
        TextCorpus b = open(packed, 9)) {
      assertThat(b.name()).isEqualTo("b.txt");
      assertThat(a.fingerprint()).hasSize(64).isEqualTo(b.fingerprint());
      assertThat(a.description())
          .isEqualTo(
              "a.txt: text of 900, 50 and 50 tokens to train, validate and test (bytes, vocabulary"
                  + " 256), windows of 5");
    }
    Path other = Fixtures.write(folder, "c.txt", Fixtures.lines(100).replace("42", "43"));
    try (TextCorpus a = open(plain, 5);
        TextCorpus c = open(other, 5)) {
      assertThat(a.fingerprint()).isNotEqualTo(c.fingerprint());
    }
  }

  @Test
  void labelsAreTheNextTokens() {
    String text = Fixtures.lines(60);
    try (Arena arena = Arena.ofConfined();
        TextCorpus corpus = open(Fixtures.write(folder, "a.txt", text), 4)) {
      long[] ids = {17, 0, corpus.tokens(Part.TRAIN) - 5};
      DenseMatrix inputs = DenseMatrix.allocate(arena, 12, 1);
      int[] labels = new int[12];
      corpus.load(Part.TRAIN, ids, 3, inputs, labels);
      for (int i = 0; i < 3; i++) {
        for (int t = 0; t < 4; t++) {
          int at = (int) ids[i] + t;
          assertThat(inputs.get(4L * i + t, 0)).isEqualTo(text.charAt(at));
          assertThat(labels[4 * i + t]).isEqualTo(text.charAt(at + 1));
        }
      }
    }
  }

  @Test
  void trainingSamplesDoNotDependOnHowABatchIsCut() {
    try (TextCorpus corpus = open(Fixtures.write(folder, "a.txt", Fixtures.lines(300)), 16)) {
      long[] whole = new long[24];
      corpus.trainingSamples(3, 8, 24, 0, whole);
      for (int begin : new int[] {0, 1, 7, 23}) {
        long[] part = new long[Math.min(5, 24 - begin)];
        corpus.trainingSamples(3, 8, 24, begin, part);
        assertThat(part).isEqualTo(Arrays.copyOfRange(whole, begin, begin + part.length));
      }
      long[] otherStep = new long[24];
      corpus.trainingSamples(3, 9, 24, 0, otherStep);
      long[] otherSeed = new long[24];
      corpus.trainingSamples(4, 8, 24, 0, otherSeed);
      assertThat(otherStep).isNotEqualTo(whole);
      assertThat(otherSeed).isNotEqualTo(whole);
      assertThatThrownBy(() -> corpus.trainingSamples(3, 8, 24, 20, new long[5]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /// With `n` starts and `k` draws each, a count has mean `k` and deviation `sqrt(k)`.
  @Test
  void everyWindowIsAsLikely() {
    try (TextCorpus corpus = open(Fixtures.write(folder, "a.txt", Fixtures.lines(12)), 4)) {
      int starts = (int) corpus.tokens(Part.TRAIN) - 4;
      int[] counts = new int[starts];
      int each = 400;
      long[] ids = new long[starts];
      for (int step = 0; step < each; step++) {
        corpus.trainingSamples(11, step, starts, 0, ids);
        for (long id : ids) {
          counts[(int) id]++;
        }
      }
      assertThat(Arrays.stream(counts)).allMatch(c -> Math.abs(c - each) < 5 * Math.sqrt(each));
    }
  }

  @Test
  void aFolderWithNamedPartsIsNotSplit() {
    Fixtures.write(folder, "wiki.train.tokens", Fixtures.lines(20));
    Fixtures.write(
        folder,
        "wiki.valid.tokens.gz",
        Fixtures.gzip("0123456789\n".getBytes(StandardCharsets.UTF_8)));
    Fixtures.write(folder, "wiki.test.tokens", "abcdefgh\n");
    Fixtures.write(folder, "README.md", "not a part");
    Fixtures.write(folder, "LICENSE", "not a part");
    try (TextCorpus corpus = open(folder, 4)) {
      assertThat(corpus.tokens(Part.TRAIN)).isEqualTo(200);
      assertThat(all(corpus, Part.VALIDATION)).isEqualTo("01234567");
      assertThat(all(corpus, Part.TEST)).isEqualTo("abcdefgh");
    }
  }

  @Test
  void theTestPartMayBeMissingAndTheValidationPartNot() throws Exception {
    Fixtures.write(folder, "train.txt", Fixtures.lines(20));
    Fixtures.write(folder, "test.txt", "abcd");
    assertRefused(folder, 4, "found none with 'valid' in its name");
    Fixtures.write(folder, "valid.txt", Fixtures.lines(2));
    Files.delete(folder.resolve("test.txt"));
    try (TextCorpus corpus = open(folder, 4)) {
      assertThat(corpus.size(Part.TEST)).isZero();
      assertThat(corpus.bytes()).isEqualTo(2 * 220);
    }
    Fixtures.write(folder, "test.txt", "abcd");
    assertRefused(folder, 4, "test part: expected more than 4 tokens");
  }

  @Test
  void aTextOfNoPartOrTwoIsRefused() {
    Fixtures.write(folder, "train.txt", Fixtures.lines(20));
    try (TextCorpus alone = open(folder, 4)) {
      assertThat(alone.tokens(Part.TRAIN)).isEqualTo(180);
    }
    Fixtures.write(folder, "valid.txt", Fixtures.lines(2));
    Path stray = Fixtures.write(folder, "notes.txt", "notes");
    assertRefused(folder, 4, "found notes.txt; rename it or move it away");
    assertThat(stray.toFile().delete()).isTrue();
    Fixtures.write(folder, "train-test.txt", "both");
    assertRefused(folder, 4, "found train-test.txt; rename it");
  }

  @Test
  void aFolderOfFilesIsOneText() {
    Fixtures.write(folder, "b.txt", Fixtures.lines(40));
    Fixtures.write(folder, "a.txt", "\ufeffno line end");
    try (TextCorpus corpus = open(folder, 3)) {
      String text = "no line end\n" + Fixtures.lines(40);
      assertThat(all(corpus, Part.TRAIN)).isEqualTo(text.substring(0, 371 / 3 * 3));
    }
  }

  @Test
  void limitedTokensAreThoseOfTheTrainingPart() {
    Fixtures.write(folder, "train.txt", "the cat sat on the mat and the cat sat on the dog\n");
    Fixtures.write(folder, "valid.txt", "the cow sat on the cat\n");
    AtomicLong last = new AtomicLong();
    try (Corpus opened =
        Corpora.open(folder, Tokens.parse("bpe:260"), 4, (label, done, total) -> last.set(done))) {
      TextCorpus corpus = (TextCorpus) opened;
      assertThat(corpus.classes()).isEqualTo(260);
      assertThat(corpus.tokenizer().name()).isEqualTo("bpe:260");
      assertThat(last.get()).isEqualTo(50 + 23);
      assertThat(all(corpus, Part.VALIDATION)).isEqualTo("the cow sat");
      Tokens given = new Tokens.Given(corpus.tokenizer());
      try (Corpus again = Corpora.open(folder, given, 4, ReadingProgress.SILENT)) {
        assertThat(again.fingerprint()).isEqualTo(corpus.fingerprint());
      }
      try (Corpus full = Corpora.open(folder, Tokens.parse("bpe"), 4, ReadingProgress.SILENT)) {
        assertThat(full.classes()).isEqualTo(50_257);
        assertThat(full.fingerprint()).isNotEqualTo(corpus.fingerprint());
      }
    }
  }

  @Test
  void malformedTextsAreRefused() {
    Path empty = Fixtures.write(folder, "empty", "");
    assertRefused(empty, 4, "expected text, found an empty file");
    Path brief = Fixtures.write(folder, "brief", Fixtures.lines(4));
    assertRefused(brief, 40, "train part: expected more than 40 tokens");
    assertRefused(brief, 0, "expected at least 1 token, found 0");
    byte[] latin = "caf\u00e9 au lait".getBytes(StandardCharsets.ISO_8859_1);
    Path file = Fixtures.write(folder, "latin", latin);
    assertRefused(file, 2, "byte 3: expected UTF-8 text, found the byte e9; convert it");
    assertRefused(
        Fixtures.write(folder, "zero", "abc\0".repeat(20)),
        1,
        "byte 3: expected text, found a zero byte");
    assertRefused(Fixtures.write(folder, "zip", "PK\003\004...."), 1, "found a zip archive");
    assertRefused(folder.resolve("absent"), 1, "found nothing; check the name");
    byte[] whole = Fixtures.gzip(Fixtures.lines(2000).getBytes(StandardCharsets.UTF_8));
    Path cut = Fixtures.write(folder, "cut.gz", Arrays.copyOf(whole, whole.length / 2));
    assertRefused(cut, 4, "expected whole gzip data, found it truncated after");
    Path stub = Fixtures.write(folder, "stub.gz", Arrays.copyOf(whole, 5));
    assertRefused(stub, 4, "truncated after 0 unpacked bytes");
    whole[whole.length - 6] ^= 1;
    Path damaged = Fixtures.write(folder, "damaged.gz", whole);
    assertRefused(damaged, 4, "found it damaged after");
  }

  @Test
  void foldersWithoutUseAreRefused(@TempDir Path other) {
    Fixtures.write(other, "README.md", "hello");
    assertRefused(other, 4, "found 1 other files");
    Fixtures.write(other, "a.txt", Fixtures.lines(40));
    Fixtures.write(other, "a.txt.gz", Fixtures.gzip(new byte[] {1}));
    assertRefused(other, 4, "a.txt and a.txt.gz; remove one");
  }

  @Test
  void wrongArgumentsAreRefused() {
    try (Arena arena = Arena.ofConfined();
        TextCorpus corpus = open(Fixtures.write(folder, "a.txt", Fixtures.lines(60)), 4)) {
      DenseMatrix inputs = DenseMatrix.allocate(arena, 4, 1);
      long end = corpus.tokens(Part.TRAIN) - 4;
      assertThatThrownBy(() -> corpus.inputs(Part.TRAIN, new long[] {end}, 1, inputs))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("found " + end);
      assertThatThrownBy(() -> corpus.inputs(Part.TRAIN, new long[2], 2, inputs))
          .hasMessageContaining("need 8 x 1, found 4 x 1");
      assertThatThrownBy(() -> corpus.labels(Part.TRAIN, new long[1], 1, new int[3]))
          .hasMessageContaining("need room for 4, found 3");
      long size = corpus.size(Part.TEST);
      assertThatThrownBy(() -> corpus.evaluationSamples(Part.TEST, size, 1, new long[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Tag("slow")
  @Test
  void theJdkTellsAText() {
    try (TextCorpus corpus = Corpora.jdkText(BYTES, 64, ReadingProgress.SILENT);
        TextCorpus again = Corpora.jdkText(BYTES, 64, ReadingProgress.SILENT)) {
      assertThat(corpus.fingerprint()).isEqualTo(again.fingerprint());
      assertThat(corpus.tokens(Part.TRAIN)).isGreaterThan(1_000_000);
      String text = all(corpus, Part.TRAIN);
      assertThat(text)
          .contains("\njava.util.List\n")
          .contains("\njava.util.List.add(int, Object): void\n")
          .contains("\njava.lang.Integer.MAX_VALUE: int\n")
          .contains("\njava.util.ArrayList.new(int)\n")
          .doesNotContain("<clinit>", "lambda$");
    }
  }

  @Test
  void tinyShakespeare() {
    try (TextCorpus corpus = open(RealCorpora.path("tinyshakespeare"), 64)) {
      assertThat(corpus.name()).isEqualTo("tinyshakespeare");
      long train = corpus.tokens(Part.TRAIN);
      assertThat(train).isBetween(1_003_854L, 1_003_854L + 200);
      assertThat(train + corpus.tokens(Part.VALIDATION) + corpus.tokens(Part.TEST))
          .isEqualTo(1_115_394);
      assertThat(all(corpus, Part.TRAIN)).startsWith("First Citizen:\nBefore we proceed");
    }
  }

  /// Others count 338,025 in the whole file; a border may cut one.
  @Test
  void tinyShakespeareInBytePairs() {
    Path path = RealCorpora.path("tinyshakespeare");
    try (Corpus opened = Corpora.open(path, Tokens.parse("bpe"), 64, ReadingProgress.SILENT)) {
      TextCorpus corpus = (TextCorpus) opened;
      long tokens = 0;
      for (Part part : Part.values()) {
        tokens += corpus.tokens(part);
      }
      assertThat(tokens).isBetween(338_025L, 338_027L);
      assertThat(all(corpus, Part.TRAIN)).startsWith("First Citizen:\nBefore we proceed");
    }
  }

  @Test
  void wikiText2() {
    Path path = RealCorpora.path("wikitext-2");
    try (TextCorpus corpus = open(path, 128)) {
      assertThat(corpus.tokens(Part.TRAIN)).isEqualTo(10_797_148);
      assertThat(corpus.tokens(Part.VALIDATION)).isEqualTo(1_121_681);
      assertThat(corpus.tokens(Part.TEST)).isEqualTo(1_256_449);
      assertThat(corpus.size(Part.TEST)).isEqualTo(1_256_448 / 128);
    }
  }

  private static TextCorpus open(Path path, int length) {
    return (TextCorpus) Corpora.open(path, BYTES, length, ReadingProgress.SILENT);
  }

  private static void assertRefused(Path path, int length, String message) {
    assertThatThrownBy(() -> open(path, length))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
  }

  /// What the evaluation windows of a part say, one after the other.
  private static String all(TextCorpus corpus, Part part) {
    int windows = Math.toIntExact(corpus.size(part));
    long[] ids = new long[windows];
    corpus.evaluationSamples(part, 0, windows, ids);
    int length = corpus.input().height();
    int[] tokens = new int[windows * length];
    try (Arena arena = Arena.ofConfined()) {
      DenseMatrix inputs = DenseMatrix.allocate(arena, tokens.length, 1);
      corpus.inputs(part, ids, windows, inputs);
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = (int) inputs.get(i, 0);
      }
    }
    return corpus.tokenizer().text(tokens);
  }

  @Test
  void aTextThatUnpacksWithoutAnEndIsRefused() throws IOException {
    ByteArrayOutputStream member = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(member)) {
      gzip.write("a\n".repeat(1 << 19).getBytes(StandardCharsets.UTF_8));
    }
    Path file = folder.resolve("long.txt.gz");
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 270; i++) {
        // Members of a gzip file follow each other.
        member.writeTo(out);
      }
    }
    assertThatThrownBy(() -> open(file, 7))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(file + ": expected at most ")
        .hasMessageContaining("unpacked bytes in a file of " + Files.size(file));
  }

  @Test
  void whatIsNoFileIsRefused() {
    Path device = Path.of("/dev/zero");
    assumeTrue(Files.exists(device));
    assertThatThrownBy(() -> open(device, 7))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(
            device + ": expected a regular file, found a pipe, socket or device");
  }
}
