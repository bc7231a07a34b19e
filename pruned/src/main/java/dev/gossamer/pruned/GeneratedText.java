package dev.gossamer.pruned;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/// Text that is generated token by token; a token may end within a character. Text is passed on as
/// soon as it is final: whole characters that cannot begin a stop text.
final class GeneratedText {
  private final List<String> stops;
  private final Consumer<String> listener;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private final StringBuilder all = new StringBuilder();

  /// Bytes of a character that is not whole yet.
  private byte[] rest = {};

  /// Characters that have been passed on.
  private int passed;

  private boolean stopped;

  /// @param stops texts of at least one character, at which the text ends
  /// @param listener called with final text
  GeneratedText(List<String> stops, Consumer<String> listener) {
    this.stops = stops;
    this.listener = listener;
  }

  /// Returns whether a stop text or the end was reached; then nothing must be added.
  boolean stopped() {
    return stopped;
  }

  /// Adds the bytes of a token.
  void add(byte[] token) {
    decode(token, false);
    cut();
    pass(all.length() - (stopped ? 0 : beginning()));
  }

  /// Returns the whole text, without the stop text. Impossible and cut characters are U+FFFD.
  String end() {
    if (!stopped) {
      decode(new byte[0], true);
      cut();
      pass(all.length());
      stopped = true;
    }
    return all.toString();
  }

  private void decode(byte[] token, boolean last) {
    ByteBuffer in = ByteBuffer.allocate(rest.length + token.length).put(rest).put(token).flip();
    CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
    decoder.decode(in, out, last);
    if (last) {
      decoder.flush(out);
    }
    rest = new byte[in.remaining()];
    in.get(rest);
    all.append(out.flip());
  }

  /// Ends the text where the first stop begins.
  private void cut() {
    int end = Integer.MAX_VALUE;
    for (String stop : stops) {
      int at = all.indexOf(stop, passed);
      end = at < 0 ? end : Math.min(end, at);
    }
    if (end < Integer.MAX_VALUE) {
      all.setLength(end);
      stopped = true;
    }
  }

  /// Characters at the end that a stop may begin with.
  private int beginning() {
    int most = 0;
    for (String stop : stops) {
      for (int n = Math.min(stop.length() - 1, all.length() - passed); n > most; n--) {
        if (stop.startsWith(all.substring(all.length() - n))) {
          most = n;
        }
      }
    }
    return most;
  }

  private void pass(int end) {
    if (end > passed) {
      listener.accept(all.substring(passed, end));
      passed = end;
    }
  }
}
