package dev.gossamer.cli.report;

import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The figures of a training of this process, for the lines below its bar. Nothing is kept unless a
/// terminal shows them.
public final class LiveFigures {
  private final List<RunMetrics.Step> steps = new ArrayList<>();
  private final boolean shown;

  /// @param quiet whether nothing is shown in any case
  public LiveFigures(boolean quiet) {
    shown = !quiet && ProgressLine.isTerminal();
  }

  /// Adds a step.
  ///
  /// @param step asked for if it is shown
  public void add(Supplier<RunMetrics.Step> step) {
    if (shown) {
      steps.add(step.get());
    }
  }

  /// Returns the lines.
  ///
  /// @param estimate what was planned
  public List<String> lines(RunEstimate estimate) {
    return RunPanel.figures(steps, estimate);
  }
}
