package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A slice of UTF-8 text.
///
/// @param place file, as messages name it
/// @param begin byte of the file that `bytes` begins with
/// @param bytes the text; borrowed
record TextSlice(String place, long begin, MemorySegment bytes) {
  /// Most bytes of a piece: so few that the tokens of those in work are gone before the heap counts
  /// them as old, and grows. A text that has a longer stretch without a blank behind an ASCII
  /// character is cut there; in all others the tokens do not show the pieces.
  private static final int PIECE = 1 << 15;

  /// Part of this slice.
  TextSlice slice(long from, long to) {
    return new TextSlice(place, begin + from, bytes.asSlice(from, to - from));
  }

  /// Divides the text between a word and a blank: byte pair encoding divides there too, so that the
  /// tokens of the pieces are the tokens of the whole.
  List<TextSlice> pieces() {
    List<TextSlice> pieces = new ArrayList<>();
    long at = 0;
    while (at < bytes.byteSize()) {
      long end = pieceEnd(at);
      pieces.add(slice(at, end));
      at = end;
    }
    return pieces;
  }

  private long pieceEnd(long from) {
    long limit = from + PIECE;
    if (limit >= bytes.byteSize()) {
      return bytes.byteSize();
    }
    for (long at = limit; at > from + 1; at--) {
      int before = byteAt(at - 1);
      boolean wordEnds = isBlank(byteAt(at)) && before > ' ' && before < 0x7f;
      // No text continues after a zero byte, which may be the first of gigabytes: a hole in the
      // file.
      if (wordEnds || before == 0) {
        return at;
      }
    }
    return characterAt(limit);
  }

  /// Returns the start of the character that a byte belongs to, or the byte itself if there is none
  /// nearby.
  long characterAt(long at) {
    for (long start = at; start > Math.max(0, at - 4); start--) {
      if (start == bytes.byteSize() || (byteAt(start) & 0xc0) != 0x80) {
        return start;
      }
    }
    return at;
  }

  /// The text.
  ///
  /// @throws InvalidInputException if it is not UTF-8, or has a zero byte, as in binary data
  String decode() {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    byte[] copy = bytes.toArray(ValueLayout.JAVA_BYTE);
    ByteBuffer in = ByteBuffer.wrap(copy);
    CharBuffer out = CharBuffer.allocate(copy.length);
    CoderResult result = decoder.decode(in, out, true);
    if (result.isError()) {
      throw new InvalidInputException(
          "%s: byte %d: expected UTF-8 text, found the byte %02x; convert it with iconv -t utf-8"
              .formatted(place, begin + in.position(), in.get(in.position())));
    }
    for (int i = 0; i < copy.length; i++) {
      if (copy[i] == 0) {
        throw new InvalidInputException(
            "%s: byte %d: expected text, found a zero byte, as in binary data"
                .formatted(place, begin + i));
      }
    }
    return out.flip().toString();
  }

  boolean endsLine() {
    return bytes.byteSize() > 0 && byteAt(bytes.byteSize() - 1) == '\n';
  }

  int byteAt(long at) {
    return bytes.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  private static boolean isBlank(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }
}
