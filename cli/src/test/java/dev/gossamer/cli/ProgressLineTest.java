package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  private ProgressLine line(boolean terminal, boolean quiet, long total) {
    PrintStream err = new PrintStream(written, true, StandardCharsets.UTF_8);
    return new ProgressLine(err, terminal, "training", "epochs", total, quiet);
  }

  private static void wait(int milliseconds) throws InterruptedException {
    Thread.sleep(milliseconds);
  }

  @Test
  void theBarSaysHowFarItIsAndHowLongItWillTake() {
    try (ProgressLine line = line(true, false, 100)) {
      assertThat(line.bar(0))
          .isEqualTo("training   0% [>                        ] 0/100 epochs (0:00:00 / ?) ");
      line.update(40, "loss 0.31");
      assertThat(line.bar(2_000_000_000L))
          .isEqualTo(
              "training  40% [==========>              ] 40/100 epochs (0:00:02 / 0:00:03) loss"
                  + " 0.31");
      line.update(100, "");
      assertThat(line.bar(3_661_000_000_000L))
          .isEqualTo(
              "training 100% [=========================] 100/100 epochs (1:01:01 / 0:00:00) ");
    }
  }

  @Test
  void aTotalOfNothingHasABarToo() {
    try (ProgressLine line = line(true, false, 0)) {
      assertThat(line.bar(0)).contains("0% [>").contains("0/0");
    }
  }

  /// The bar stays on its line, whatever the terminal's width, and is left as it was in the end.
  @Test
  void aTerminalHasOneLineThatIsDrawnOverItself() throws InterruptedException {
    try (ProgressLine line = line(true, false, 3)) {
      line.update(1, "too early to be drawn");
      wait(120);
      line.update(2, "half way");
      line.update(3, "done");
    }
    assertThat(written.toString(StandardCharsets.UTF_8))
        .matches(
            "\r\033\\[\\?7l[^\r\n]* 2/3 [^\r\n]*half way\033\\[K\033\\[\\?7h"
                + "\r\033\\[\\?7l[^\r\n]* 3/3 [^\r\n]*done\033\\[K\033\\[\\?7h\n");
  }

  @Test
  void whatIsQuickOrQuietIsNotShown() throws InterruptedException {
    try (ProgressLine line = line(true, false, 1)) {
      line.update(1, "");
    }
    try (ProgressLine line = line(true, true, 1)) {
      wait(120);
      line.update(1, "");
    }
    try (ProgressLine line = line(false, false, 1)) {
      line.update(1, "");
    }
    assertThat(written.size()).isZero();
  }
}
