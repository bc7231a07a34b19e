package dev.gossamer.comm;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.InvalidInputException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "30us,0.8ns | 1000 | 30800",
        "30e-6,0.8e-9 | 1000 | 30800",
        " 1.5 ms , 2NS | 10 | 1500020",
        "1s,0 | 7 | 1000000000"
      })
  void readsTimes(String text, long bytes, long nanos) {
    assertThat(Link.parse(text).nanos(bytes)).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "30us",
        "30us,0.8ns,1",
        "-1us,0",
        "30us,2s",
        "1.2.3us,0",
        "fast,slow",
        "1e9,0"
      })
  void refusesOtherText(String text) {
    assertThatThrownBy(() -> Link.parse(text))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "link: expected a latency and a time per byte, found '%s'; write for instance 30us,0.8ns",
            text);
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void refusesLongTextInAShortLine() {
    for (String text :
        List.of("1" + " ".repeat(2_000_000) + "!,0", "1".repeat(2_000_000) + "!,0")) {
      assertThatThrownBy(() -> Link.parse(text))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith("link: expected a latency and a time per byte, found '1")
          .hasMessageEndingWith("!,0'; write for instance 30us,0.8ns")
          .extracting(e -> String.valueOf(e.getMessage()).length(), as(INTEGER))
          .isLessThanOrEqualTo(Excerpt.LONGEST);
    }
  }

  @Test
  void refusesNegativeTimes() {
    assertThatThrownBy(() -> new Link(-1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Link(0, Double.NaN)).isInstanceOf(IllegalArgumentException.class);
  }
}
