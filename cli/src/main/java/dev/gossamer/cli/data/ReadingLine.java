package dev.gossamer.cli.data;

import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.pruned.corpus.ReadingProgress;
import org.jspecify.annotations.Nullable;

/// Shows the progress of reading a corpus.
public final class ReadingLine implements ReadingProgress, AutoCloseable {
  private final boolean quiet;
  private @Nullable ProgressLine line;
  private String label = "";

  public ReadingLine(boolean quiet) {
    this.quiet = quiet;
  }

  @Override
  public void at(String newLabel, long done, long total) {
    if (line == null || !newLabel.equals(label)) {
      close();
      label = newLabel;
      line = new ProgressLine(newLabel, "bytes", total, quiet);
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
