package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void aTableThatIsNotThereIsStatusTwo(@TempDir Path folder) {
    String none = folder.resolve("none.csv").toString();
    Cluster.start();

    assertThat(run("train", "--vertices", none, "--edges", none, "--out", folder.toString()))
        .isEqualTo(2);
  }
}
