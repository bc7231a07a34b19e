package dev.gossamer.cli.terminal;

import dev.gossamer.graph.Progress;
import org.jspecify.annotations.Nullable;

/// Shows the steps of long work, one after the other, each as a [ProgressLine].
public final class ProgressSteps implements Progress, AutoCloseable {
  private final boolean quiet;
  private @Nullable ProgressLine line;
  private String current = "";

  public ProgressSteps(boolean quiet) {
    this.quiet = quiet;
  }

  @Override
  public void at(String label, long done, long total) {
    if (!label.equals(current) || line == null) {
      close();
      line = new ProgressLine(label, "", total, quiet);
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
