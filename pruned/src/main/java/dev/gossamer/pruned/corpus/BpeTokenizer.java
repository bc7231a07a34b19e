package dev.gossamer.pruned.corpus;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import com.knuddels.jtokkit.api.IntArrayList;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/// The byte pair encoding of GPT-2 (`r50k_base`: A. Radford et al., *Language models are
/// unsupervised multitask learners*, 2019), or a subset of its vocabulary.
///
/// The full vocabulary has the 256 bytes, 50,000 merges, and the end-of-text token, which [#encode]
/// never returns. A limited vocabulary has the bytes, numbered as in the full one, followed by the
/// most frequent merges of a training text in descending order of frequency. A missing merge is
/// encoded greedily by the longest tokens that match its bytes.
public final class BpeTokenizer implements Tokenizer {
  /// Tokens of the full vocabulary.
  public static final int FULL = 50_257;

  /// Bytes of the merges and the replacements of missing ones on the Java heap. Measured: 20 to 40
  /// MiB.
  static final long BYTES_OF_TABLES = 40L << 20;

  private static final int BYTES = ByteTokenizer.VOCABULARY;

  /// GPT-2's merges, read at the first use.
  private static final class Merges {
    static final Encoding R50K =
        Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.R50K_BASE);
  }

  private final Encoding encoding;
  private final int[] tokens;

  /// For each token of the full vocabulary the tokens of this one that it is written as; none if
  /// this is the full one.
  private final int[][] written;

  /// Creates a tokenizer with the full vocabulary. Cost: 0.25 s at first use.
  public BpeTokenizer() {
    this(Merges.R50K, IntStream.range(0, FULL).toArray());
  }

  /// @param tokens which of the full vocabulary; the bytes first
  private BpeTokenizer(Encoding encoding, int[] tokens) {
    this.encoding = encoding;
    this.tokens = tokens;
    written = isFull() ? new int[0][] : written(encoding, tokens);
  }

  private static int[][] written(Encoding encoding, int[] tokens) {
    int[][] written = new int[FULL][];
    Map<ByteBuffer, Integer> numbers = new HashMap<>();
    for (int i = 0; i < tokens.length; i++) {
      written[tokens[i]] = new int[] {i};
      numbers.put(ByteBuffer.wrap(bytesOf(encoding, tokens[i])), i);
    }
    for (int token = 0; token < FULL; token++) {
      if (written[token] == null) {
        written[token] = longestFirst(bytesOf(encoding, token), numbers);
      }
    }
    return written;
  }

  private static byte[] bytesOf(Encoding encoding, int token) {
    IntArrayList single = new IntArrayList(1);
    single.add(token);
    return encoding.decodeBytes(single);
  }

  private static int[] longestFirst(byte[] bytes, Map<ByteBuffer, Integer> numbers) {
    IntStream.Builder found = IntStream.builder();
    int at = 0;
    while (at < bytes.length) {
      int length = bytes.length - at;
      Integer number = numbers.get(ByteBuffer.wrap(bytes, at, length));
      while (number == null) {
        length--;
        number = numbers.get(ByteBuffer.wrap(bytes, at, length));
      }
      found.add(number);
      at += length;
    }
    return found.build().toArray();
  }

  /// {@return a limited vocabulary}
  ///
  /// @param chosen ids in the full vocabulary: `0..255`, which are the bytes, then distinct others
  /// @throws IllegalArgumentException otherwise
  public BpeTokenizer limitedTo(int[] chosen) {
    boolean[] seen = new boolean[FULL];
    for (int i = 0; i < chosen.length; i++) {
      boolean expected = i < BYTES ? chosen[i] == i : chosen[i] >= BYTES && chosen[i] < FULL;
      if (!expected || seen[chosen[i]]) {
        throw new IllegalArgumentException(
            "token %d: expected %s, found %d"
                .formatted(
                    i, i < BYTES ? i : "another of %d..%d".formatted(BYTES, FULL - 1), chosen[i]));
      }
      seen[chosen[i]] = true;
    }
    if (chosen.length < BYTES) {
      throw new IllegalArgumentException(
          "tokens: expected at least the %d bytes, found %d".formatted(BYTES, chosen.length));
    }
    return new BpeTokenizer(encoding, chosen.clone());
  }

  /// Returns the vocabulary of the bytes and the most frequent merges; ties are broken by the lower
  /// number. Merges that do not occur are left out.
  ///
  /// @param counts how often each token of the full vocabulary occurs
  /// @param vocabulary tokens at most, at least 256
  BpeTokenizer mostFrequent(long[] counts, int vocabulary) {
    int[] merges =
        IntStream.range(BYTES, FULL)
            .filter(token -> counts[token] > 0)
            .boxed()
            .sorted(
                Comparator.comparingLong((Integer token) -> -counts[token])
                    .thenComparing(Comparator.naturalOrder()))
            .limit(vocabulary - (long) BYTES)
            .mapToInt(Integer::intValue)
            .toArray();
    return limitedTo(IntStream.concat(IntStream.range(0, BYTES), Arrays.stream(merges)).toArray());
  }

  /// {@return whether this is the full vocabulary}
  public boolean isFull() {
    return tokens.length == FULL;
  }

  /// {@return the ids in the full vocabulary of tokens `0..vocabulary-1`, as a copy}
  public int[] tokens() {
    return tokens.clone();
  }

  @Override
  public String name() {
    return isFull() ? "bpe" : "bpe:" + tokens.length;
  }

  @Override
  public int vocabulary() {
    return tokens.length;
  }

  @Override
  public boolean endsText(int token) {
    return tokens[token] == FULL - 1;
  }

  @Override
  public int[] encode(String text) {
    int[] full = encoding.encodeOrdinary(text).toArray();
    if (isFull()) {
      return full;
    }
    IntArrayList encoded = new IntArrayList(full.length);
    for (int token : full) {
      for (int number : written[token]) {
        encoded.add(number);
      }
    }
    return encoded.toArray();
  }

  @Override
  public byte[] decode(int[] ours) {
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    for (int token : ours) {
      if (token < 0 || token >= tokens.length) {
        throw new IllegalArgumentException(
            "decode: expected tokens in 0..%d, found %d".formatted(tokens.length - 1, token));
      }
      decoded.writeBytes(bytesOf(encoding, tokens[token]));
    }
    return decoded.toByteArray();
  }
}
