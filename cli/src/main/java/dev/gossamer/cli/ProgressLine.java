package dev.gossamer.cli;

import java.io.PrintStream;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/// Progress on standard error: a bar on a terminal, otherwise a plain line every two seconds.
final class ProgressLine implements AutoCloseable {
  private static final long PLAIN_NANOS = 2_000_000_000L;

  private final PrintStream err = System.err;
  private final String task;
  private final long total;
  private final boolean quiet;
  private final @Nullable ProgressBar bar;
  private long lastPrinted = System.nanoTime();

  /// @param task what is going on: `training`
  /// @param unit what is counted: `epochs`
  ProgressLine(String task, String unit, long total, boolean quiet) {
    this.task = PlainText.of(task);
    this.total = total;
    this.quiet = quiet;
    boolean terminal = Boolean.getBoolean("gossamer.terminal");
    bar =
        quiet || !terminal
            ? null
            : new ProgressBarBuilder()
                .setTaskName(this.task)
                .setUnit(" " + unit, 1)
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(100)
                .build();
  }

  /// @param done how much of the total is done
  /// @param message what there is to say beside it
  void update(long done, String message) {
    if (bar != null) {
      bar.stepTo(done).setExtraMessage(" " + message);
    } else if (!quiet && System.nanoTime() - lastPrinted >= PLAIN_NANOS) {
      lastPrinted = System.nanoTime();
      err.printf("%s %d/%d  %s%n", task, done, total, PlainText.of(message));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
