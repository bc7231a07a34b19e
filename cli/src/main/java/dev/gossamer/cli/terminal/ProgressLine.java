package dev.gossamer.cli.terminal;

import java.io.PrintStream;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Progress on standard error: on a terminal a bar that is redrawn in place, perhaps with lines
/// below it; otherwise a plain line every two seconds. Work that ends before the first of either
/// prints nothing.
public final class ProgressLine implements AutoCloseable {
  private static final long PLAIN_NANOS = 2_000_000_000L;
  private static final long BAR_NANOS = 100_000_000L;
  private static final long BELOW_NANOS = 500_000_000L;
  private static final int BAR_WIDTH = 25;

  /// To the start of the line, and no line break at the terminal's edge: what does not fit is cut
  /// off, however wide the terminal is.
  private static final String START = "\r\033[?7l";

  /// Clears the rest of the line, and allows line breaks again.
  private static final String END = "\033[K\033[?7h";

  /// Clears the lines below.
  private static final String NOTHING_BELOW = "\033[J";

  /// The output and the clock.
  ///
  /// @param terminal whether `err` is a terminal that supports escape sequences; set by the
  ///   launcher
  /// @param clock of the process, in nanoseconds
  record Screen(PrintStream err, boolean terminal, LongSupplier clock) {}

  private final Screen screen;
  private final String task;
  private final String unit;
  private final long total;
  private final boolean quiet;
  private final long started;
  private long lastPrinted;
  private boolean drawn;
  private long done;
  private String message = "";
  private List<String> below = List.of();
  private long belowMade;

  /// Lines below the bar on the terminal.
  private int drawnBelow;

  /// @param task name of the work: `training`
  /// @param unit of the count: `epochs`
  public ProgressLine(String task, String unit, long total, boolean quiet) {
    this(new Screen(System.err, isTerminal(), System::nanoTime), task, unit, total, quiet);
  }

  ProgressLine(Screen screen, String task, String unit, long total, boolean quiet) {
    this.screen = screen;
    this.task = PlainText.of(task);
    this.unit = unit;
    this.total = total;
    this.quiet = quiet;
    started = screen.clock().getAsLong();
    lastPrinted = started;
  }

  /// @param newlyDone part of the total that is done
  /// @param newMessage shown after the bar
  public void update(long newlyDone, String newMessage) {
    update(newlyDone, newMessage, List::of);
  }

  /// @param newlyDone part of the total that is done
  /// @param newMessage shown after the bar
  /// @param details lines below the bar of a terminal, until the work is done; asked for twice a
  ///   second
  public void update(long newlyDone, String newMessage, Supplier<List<String>> details) {
    done = newlyDone;
    message = PlainText.of(newMessage);
    long now = screen.clock().getAsLong();
    if (quiet || now - lastPrinted < (screen.terminal() ? BAR_NANOS : PLAIN_NANOS)) {
      return;
    }
    lastPrinted = now;
    if (screen.terminal()) {
      if (!drawn || now - belowMade >= BELOW_NANOS) {
        below = details.get().stream().map(PlainText::of).toList();
        belowMade = now;
      }
      drawn = true;
      draw(now, "");
    } else {
      screen.err().printf("%s %d/%d  %s%n", task, done, total, message);
    }
  }

  /// Draws the final state of the bar, if there is one.
  @Override
  public void close() {
    if (drawn) {
      drawn = false;
      below = List.of();
      draw(screen.clock().getAsLong(), "\n");
    }
  }

  private void draw(long now, String after) {
    StringBuilder text = new StringBuilder();
    if (drawnBelow > 0) {
      text.append("\033[%dA".formatted(drawnBelow));
    }
    text.append(START).append(bar(now - started)).append(END);
    for (String line : below) {
      text.append('\n').append(START).append(line).append(END);
    }
    if (drawnBelow > below.size()) {
      text.append(NOTHING_BELOW);
    }
    drawnBelow = below.size();
    screen.err().print(text.append(after));
    screen.err().flush();
  }

  /// Returns `training 40% [==========> ] 40/100 epochs (0:00:02 / 0:00:03) loss 0.31`, with
  /// elapsed and remaining time.
  String bar(long nanos) {
    long most = Math.max(1, total);
    long part = Math.clamp(done, 0, most);
    int filled = (int) (BAR_WIDTH * (double) part / most);
    String head = filled == BAR_WIDTH ? "" : ">";
    return "%s %3d%% [%s%s%s] %d/%d%s (%s / %s) %s"
        .formatted(
            task,
            (long) (100.0 * part / most),
            "=".repeat(filled),
            head,
            " ".repeat(BAR_WIDTH - filled - head.length()),
            done,
            total,
            unit.isEmpty() ? "" : " " + unit,
            time(nanos),
            part == 0 ? "?" : time((long) ((double) nanos * (most - part) / part)),
            message);
  }

  /// Returns whether standard error is a terminal that supports escape sequences, which the
  /// launcher says.
  public static boolean isTerminal() {
    return Boolean.getBoolean("gossamer.terminal");
  }

  private static String time(long nanos) {
    return duration(nanos / 1_000_000_000L);
  }

  /// Returns `1:01:01` of hours, minutes and seconds.
  public static String duration(long seconds) {
    return "%d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
}
