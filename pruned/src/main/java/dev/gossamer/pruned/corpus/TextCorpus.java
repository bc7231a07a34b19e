package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A text for next-token prediction: a sample is a window of `T` tokens, its labels are the same
/// tokens shifted by one.
///
/// The id of a sample is the number of its first token within the part. Training windows start at
/// uniformly random tokens. Evaluation windows start at `0, T, 2T, ...`; a remainder of fewer than
/// `T + 1` tokens is not evaluated. No window crosses the boundary of a part. Memory: two bytes per
/// token.
public final class TextCorpus implements Corpus {
  private static final int STREAM = 0x54455854;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final String name;
  private final int length;
  private final Tokenizer tokenizer;
  private final Arena arena;
  private final Map<Part, TokenSequence> parts;
  private final CorpusMemory memory;

  private TextCorpus(
      String name,
      int length,
      Tokenizer tokenizer,
      Arena arena,
      Map<Part, TokenSequence> parts,
      long textBytes) {
    this.name = name;
    this.length = length;
    this.tokenizer = tokenizer;
    this.arena = arena;
    this.parts = new EnumMap<>(parts);
    memory = memory(textBytes);
  }

  /// While a part is cut, its text is there as far as it is read, and its tokens twice: as they are
  /// collected, and as they stay.
  private CorpusMemory memory(long textBytes) {
    long heap = tokenizer instanceof BpeTokenizer ? BpeTokenizer.BYTES_OF_TABLES : 0;
    long longest =
        parts.values().stream().mapToLong(part -> part.data().byteSize()).max().orElse(0);
    long held = bytes();
    long text = (long) Math.ceil((double) textBytes * longest / held);
    return new CorpusMemory(held, Math.max(held, text + 2 * longest)).plus(heap);
  }

  /// @param place name in messages
  /// @param text the slices of each part; read, not kept
  /// @param length tokens of a window
  /// @throws InvalidInputException if a part is shorter than a window and its last label; only the
  ///   test part may be empty
  static TextCorpus of(
      String place,
      String name,
      Map<Part, List<TextSlice>> text,
      Tokens tokens,
      int length,
      ReadingProgress progress) {
    if (length < 1) {
      throw new InvalidInputException(
          "length of a window: expected at least 1 token, found %d; 128 is usual"
              .formatted(length));
    }
    TextEncoding encoding = new TextEncoding(text, progress);
    Tokenizer tokenizer = encoding.tokenizer(tokens);
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          Map<Part, TokenSequence> parts = encoding.encode(arena, tokenizer);
          parts.forEach((part, sequence) -> requireWindow(place, part, sequence.length(), length));
          return new TextCorpus(name, length, tokenizer, arena, parts, encoding.bytes());
        });
  }

  private static void requireWindow(String place, Part part, long tokens, int length) {
    boolean absent = part == Part.TEST && tokens == 0;
    if (tokens <= length && !absent) {
      throw new InvalidInputException(
          "%s: %s part: expected more than %d tokens, a window and its last label, found %d; give a longer text or a shorter length"
              .formatted(place, part, length, tokens));
    }
  }

  /// {@return the tokenizer of the text}
  public Tokenizer tokenizer() {
    return tokenizer;
  }

  /// {@return the number of tokens of a part}
  ///
  /// @param part of the text
  public long tokens(Part part) {
    return sequence(part).length();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Shape input() {
    return new Shape(length, 1, 1);
  }

  @Override
  public int classes() {
    return tokenizer.vocabulary();
  }

  @Override
  public int labelsPerSample() {
    return length;
  }

  @Override
  public long size(Part part) {
    return Math.max(0, tokens(part) - 1) / length;
  }

  @Override
  public void trainingSamples(long seed, long step, int batch, int begin, long[] ids) {
    Requests.batch(batch, begin, ids.length, step);
    Philox random = Philox.keyed(seed, STREAM, step);
    long starts = tokens(Part.TRAIN) - length;
    for (int i = 0; i < ids.length; i++) {
      ids[i] = Math.unsignedMultiplyHigh(random.low(begin + i, 0, 0, 0), starts);
    }
  }

  @Override
  public void evaluationSamples(Part part, long first, int count, long[] ids) {
    Requests.evaluation(part, size(part), first, count, ids.length);
    for (int i = 0; i < count; i++) {
      ids[i] = (first + i) * length;
    }
  }

  @Override
  public void inputs(Part part, long[] ids, int count, DenseMatrix inputs) {
    Requests.inputs(input(), ids.length, count, inputs);
    TokenSequence tokens = sequence(part);
    MemorySegment to = inputs.data();
    long at = 0;
    for (int i = 0; i < count; i++) {
      long start = start(part, tokens, ids[i]);
      for (int t = 0; t < length; t++) {
        to.set(FLOAT, at, tokens.get(start + t));
        at += Float.BYTES;
      }
    }
  }

  @Override
  public void labels(Part part, long[] ids, int count, int[] labels) {
    Requests.labels(length, ids.length, count, labels.length);
    TokenSequence tokens = sequence(part);
    for (int i = 0; i < count; i++) {
      long start = start(part, tokens, ids[i]);
      for (int t = 0; t < length; t++) {
        labels[i * length + t] = tokens.get(start + t + 1);
      }
    }
  }

  private long start(Part part, TokenSequence tokens, long id) {
    if (id < 0 || id >= tokens.length() - length) {
      throw new IllegalArgumentException(
          "text: windows of the %s part start at 0..%d, found %d"
              .formatted(part, tokens.length() - length - 1, id));
    }
    return id;
  }

  @Override
  public String description() {
    return "%s: text of %d, %d and %d tokens to train, validate and test (%s, vocabulary %d), windows of %d"
        .formatted(
            name,
            tokens(Part.TRAIN),
            tokens(Part.VALIDATION),
            tokens(Part.TEST),
            tokenizer.name(),
            tokenizer.vocabulary(),
            length);
  }

  @Override
  public String fingerprint() {
    ContentDigest digest = new ContentDigest();
    if (tokenizer instanceof BpeTokenizer bpe) {
      digest.section("bpe", MemorySegment.ofArray(bpe.tokens()));
    }
    for (Part part : Part.values()) {
      digest.section(part.toString(), sequence(part).data());
    }
    return digest.text();
  }

  @Override
  public long bytes() {
    return parts.values().stream().mapToLong(sequence -> sequence.data().byteSize()).sum();
  }

  @Override
  public CorpusMemory memory() {
    return memory;
  }

  @Override
  public void close() {
    arena.close();
  }

  private TokenSequence sequence(Part part) {
    return Objects.requireNonNull(parts.get(part));
  }
}
