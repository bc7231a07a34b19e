package dev.gossamer.pruned.corpus;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Concatenates files to one text; each file begins on a new line.
final class WholeText {
  private static final TextSlice LINE_END =
      new TextSlice(
          "line end", 0, MemorySegment.ofArray("\n".getBytes(StandardCharsets.UTF_8)).asReadOnly());

  private final List<TextSlice> slices = new ArrayList<>();
  private long length;

  WholeText(List<TextSlice> files) {
    for (TextSlice file : files) {
      if (!slices.isEmpty() && !slices.getLast().endsLine()) {
        add(LINE_END);
      }
      add(withoutMark(file));
    }
  }

  private void add(TextSlice slice) {
    if (slice.bytes().byteSize() > 0) {
      slices.add(slice);
      length += slice.bytes().byteSize();
    }
  }

  /// Some programs start UTF-8 text with the bytes EF BB BF.
  private static TextSlice withoutMark(TextSlice file) {
    boolean marked =
        file.bytes().byteSize() >= 3
            && file.byteAt(0) == 0xef
            && file.byteAt(1) == 0xbb
            && file.byteAt(2) == 0xbf;
    return marked ? file.slice(3, file.bytes().byteSize()) : file;
  }

  List<TextSlice> slices() {
    return slices;
  }

  /// The first 90 % of the bytes are for training, the next 5 % for validation, the rest for test.
  /// Each boundary moves to the next line end within 1 % of the text, if there is one.
  Map<Part, List<TextSlice>> split() {
    long first = border(length - length / 10);
    long second = Math.max(first, border(length - length / 20));
    Map<Part, List<TextSlice>> parts = new EnumMap<>(Part.class);
    parts.put(Part.TRAIN, between(0, first));
    parts.put(Part.VALIDATION, between(first, second));
    parts.put(Part.TEST, between(second, length));
    return parts;
  }

  private long border(long wanted) {
    long start = 0;
    for (TextSlice slice : slices) {
      long size = slice.bytes().byteSize();
      if (wanted < start + size) {
        long from = wanted - start;
        long to = Math.min(size, from + length / 100);
        for (long at = Math.max(1, from); at <= to; at++) {
          if (slice.byteAt(at - 1) == '\n') {
            return start + at;
          }
        }
        return start + slice.characterAt(from);
      }
      start += size;
    }
    return length;
  }

  private List<TextSlice> between(long from, long to) {
    List<TextSlice> found = new ArrayList<>();
    long start = 0;
    for (TextSlice slice : slices) {
      long size = slice.bytes().byteSize();
      long begin = Math.max(from, start) - start;
      long end = Math.min(to, start + size) - start;
      if (begin < end) {
        found.add(slice.slice(begin, end));
      }
      start += size;
    }
    return found;
  }
}
