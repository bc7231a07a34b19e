package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private static final long MILLISECOND = 1_000_000;

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  /// What the clock shows: it stands still unless a test moves it, and begins where a difference
  /// that is taken the wrong way round would show.
  private long now = Long.MAX_VALUE - 50 * MILLISECOND;

  private ProgressLine line(boolean terminal, boolean quiet, long total) {
    PrintStream err = new PrintStream(written, true, StandardCharsets.UTF_8);
    return new ProgressLine(
        new ProgressLine.Screen(err, terminal, () -> now), "training", "epochs", total, quiet);
  }

  private String written() {
    return written.toString(StandardCharsets.UTF_8);
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
  void aTerminalHasOneLineThatIsDrawnOverItself() {
    try (ProgressLine line = line(true, false, 4)) {
      line.update(1, "too early to be drawn");
      now += 120 * MILLISECOND;
      line.update(2, "half way");
      line.update(3, "too soon after that");
      now += 2000 * MILLISECOND;
      line.update(4, "done");
      now += 1000 * MILLISECOND;
    }
    assertThat(written())
        .matches(
            "\r\033\\[\\?7l[^\r\n]* 2/4 [^\r\n]*\\(0:00:00 / 0:00:00\\) half way\033\\[K\033\\[\\?7h"
                + "\r\033\\[\\?7l[^\r\n]* 4/4 [^\r\n]*\\(0:00:02 / 0:00:00\\) done\033\\[K\033\\[\\?7h"
                + "\r\033\\[\\?7l[^\r\n]* 4/4 [^\r\n]*\\(0:00:03 / 0:00:00\\) done\033\\[K\033\\[\\?7h\n");
  }

  @Test
  void aTerminalIsDrawnOnTenTimesASecondAtMost() {
    try (ProgressLine line = line(true, false, 1000)) {
      for (int step = 1; step <= 1000; step++) {
        now += MILLISECOND;
        line.update(step, "");
      }
      assertThat(written().lines().filter(drawn -> drawn.contains("epochs")))
          .map(drawn -> drawn.replaceFirst(".*\\] ", "").replaceFirst(" .*", ""))
          .containsExactly(
              "100/1000",
              "200/1000",
              "300/1000",
              "400/1000",
              "500/1000",
              "600/1000",
              "700/1000",
              "800/1000",
              "900/1000",
              "1000/1000");
    }
  }

  /// The bar is drawn ten times a second, its details twice; in the end only the bar is left.
  @Test
  void detailsAreBelowTheBar() {
    AtomicInteger asked = new AtomicInteger();
    Supplier<List<String>> details =
        () -> List.of("loss " + asked.incrementAndGet(), "seconds\033[2J");
    try (ProgressLine line = line(true, false, 9)) {
      for (int step = 1; step <= 6; step++) {
        now += 100 * MILLISECOND;
        line.update(step, "", details);
      }
    }
    assertThat(asked).hasValue(2);
    String bar = "\r\033\\[\\?7l[^\r\n]* %d/9 [^\r\n]*\033\\[K\033\\[\\?7h";
    String below =
        "\n\r\033\\[\\?7lloss %d\033\\[K\033\\[\\?7h\n\r\033\\[\\?7lseconds[^\r\n\033]*\033\\[K\033\\[\\?7h";
    StringBuilder expected = new StringBuilder(bar.formatted(1) + below.formatted(1));
    for (int step = 2; step <= 6; step++) {
      expected.append("\033\\[2A" + bar.formatted(step) + below.formatted(step < 6 ? 1 : 2));
    }
    assertThat(written()).matches(expected + "\033\\[2A" + bar.formatted(6) + "\033\\[J\n");
  }

  @Test
  void elsewhereThereIsAPlainLineEveryTwoSeconds() {
    try (ProgressLine line = line(false, false, 50)) {
      for (int step = 1; step <= 50; step++) {
        now += 100 * MILLISECOND;
        line.update(step, "loss " + step);
      }
    }
    assertThat(written().lines())
        .containsExactly("training 20/50  loss 20", "training 40/50  loss 40");
  }

  @Test
  void whatIsQuickOrQuietIsNotShown() {
    try (ProgressLine line = line(true, false, 1)) {
      now += 100 * MILLISECOND - 1;
      line.update(1, "");
    }
    try (ProgressLine line = line(true, true, 1)) {
      now += 3000 * MILLISECOND;
      line.update(1, "");
    }
    try (ProgressLine line = line(false, false, 1)) {
      now += 2000 * MILLISECOND - 1;
      line.update(1, "");
    }
    assertThat(written.size()).isZero();
  }
}
