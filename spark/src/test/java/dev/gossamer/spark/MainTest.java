package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MainTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return Main.run(new PrintStream(printed, true, StandardCharsets.UTF_8), arguments);
  }

  @Test
  void helpNamesAllFlags() {
    assertThat(run("--help")).isZero();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("spark-submit", "--label-col", "--label-smoothing", "--ranks");
  }

  @Test
  void wrongUsageIsStatusTwo() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("learn")).isEqualTo(2);
    assertThat(run("predict")).isEqualTo(2);
    assertThat(run("train", "accounts")).isEqualTo(2);
  }
}
