package dev.gossamer.cli.terminal;

import dev.gossamer.graph.Progress;
import org.jspecify.annotations.Nullable;

/// Shows the steps of long work, one after the other, each as a [ProgressLine].
public final class ProgressSteps implements Progress, AutoCloseable {
  private final boolean quiet;
  private final String unit;
  private @Nullable ProgressLine line;
  private String current = "";

  /// Steps whose units have no name.
  public ProgressSteps(boolean quiet) {
    this(quiet, "");
  }

  /// @param unit name of what is counted, such as `bytes`
  public ProgressSteps(boolean quiet, String unit) {
    this.quiet = quiet;
    this.unit = unit;
  }

  @Override
  public void at(String label, long done, long total) {
    if (!label.equals(current) || line == null) {
      close();
      line = new ProgressLine(label, unit, total, quiet);
      current = label;
    }
    line.update(done, "");
  }

  @Override
  public void close() {
    if (line != null) {
      line.close();
      line = null;
    }
  }
}
