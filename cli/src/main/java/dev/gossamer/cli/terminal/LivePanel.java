package dev.gossamer.cli.terminal;

import java.io.PrintStream;
import java.util.List;

/// Lines on a terminal that are drawn over themselves.
public final class LivePanel {
  /// No line break at the terminal's edge: what does not fit is cut off.
  private static final String UNBROKEN = "\033[?7l";

  private static final String BROKEN = "\033[?7h";

  /// Clears the rest of a line.
  private static final String REST = "\033[K";

  /// Clears all lines from here on.
  private static final String BELOW = "\033[J";

  private final PrintStream terminal;
  private int drawn;

  /// @param terminal that supports escape sequences
  public LivePanel(PrintStream terminal) {
    this.terminal = terminal;
  }

  /// Draws lines in the place of the earlier ones.
  public void draw(List<String> lines) {
    StringBuilder text = new StringBuilder(start()).append(UNBROKEN);
    for (String line : lines) {
      text.append(PlainText.of(line)).append(REST).append('\n');
    }
    terminal.print(text.append(BELOW).append(BROKEN));
    terminal.flush();
    drawn = lines.size();
  }

  /// Clears the panel.
  public void clear() {
    terminal.print(start() + BELOW);
    terminal.flush();
    drawn = 0;
  }

  /// To where the panel begins.
  private String start() {
    return drawn == 0 ? "\r" : "\r\033[%dA".formatted(drawn);
  }
}
