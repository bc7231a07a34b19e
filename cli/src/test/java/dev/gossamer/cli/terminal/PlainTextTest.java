package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlainTextTest {
  private static String written(String... pieces) {
    StringWriter text = new StringWriter();
    try (PrintWriter out = PlainText.writer(text)) {
      List.of(pieces)
          .forEach(piece -> {
            out.print(piece);
            out.flush();
          });
    }
    return text.toString();
  }

  @Test
  void charactersThatSteerATerminalAreEscaped() {
    assertThat(written("a\tb\n\u001b[31mc\u202e")).isEqualTo("a\tb\n\\u001b[31mc\\u202e");
    assertThat(PlainText.of("a\tb\r\n")).isEqualTo("a\\u0009b\\u000d\\u000a");
  }

  /// A language model prints what it has learned piece by piece.
  @Test
  void aCarriageReturnIsKeptAtTheEndOfALineOnly() {
    assertThat(written("a\r\nb\r\n")).isEqualTo("a\r\nb\r\n");
    assertThat(written("a\r", "\n", "b\r", "", "\nc")).isEqualTo("a\r\nb\r\nc");
    assertThat(written("mine\ryours\r", "\r", "\n")).isEqualTo("mine\\u000dyours\\u000d\r\n");
    assertThat(written("a\r", "b\r")).isEqualTo("a\\u000db\\u000d");
  }
}
