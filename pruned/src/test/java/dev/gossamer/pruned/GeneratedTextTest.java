package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GeneratedTextTest {
  private final List<String> pieces = new ArrayList<>();

  private GeneratedText text(String... stops) {
    return new GeneratedText(List.of(stops), pieces::add);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void charactersAreWhole() {
    GeneratedText text = text();
    String whole = "aä€𝄞z";
    for (byte each : bytes(whole)) {
      text.add(new byte[] {each});
    }
    assertThat(text.end()).isEqualTo(whole);
    assertThat(pieces).containsExactly("a", "ä", "€", "𝄞", "z");
  }

  @Test
  void whatCannotBeACharacterIsReplaced() {
    GeneratedText text = text();
    byte[] all = {'a', (byte) 0xe2, (byte) 0x82, 'b', (byte) 0xff, (byte) 0xf0, (byte) 0x9d};
    for (byte each : all) {
      text.add(new byte[] {each});
    }
    assertThat(text.end()).isEqualTo(new String(all, StandardCharsets.UTF_8));
    assertThat(String.join("", pieces)).isEqualTo(text.end());
  }

  @Test
  void aStopEndsTheTextBeforeIt() {
    GeneratedText text = text("stop", "\n\n");
    text.add(bytes("one\n"));
    assertThat(pieces).containsExactly("one");
    text.add(bytes("two st"));
    assertThat(pieces).containsExactly("one", "\ntwo ");
    text.add(bytes("reet sto"));
    assertThat(text.stopped()).isFalse();
    text.add(bytes("pped\n\n"));
    assertThat(text.stopped()).isTrue();
    assertThat(text.end()).isEqualTo("one\ntwo street ");
    assertThat(String.join("", pieces)).isEqualTo("one\ntwo street ");
  }

  @Test
  void whatAStopMightHaveBegunWithComesAtTheEnd() {
    GeneratedText text = text("stop");
    text.add(bytes("a sto"));
    assertThat(pieces).containsExactly("a ");
    assertThat(text.end()).isEqualTo("a sto");
    assertThat(pieces).containsExactly("a ", "sto");
  }
}
