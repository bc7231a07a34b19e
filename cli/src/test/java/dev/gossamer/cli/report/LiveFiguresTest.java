package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LiveFiguresTest {
  private static final RunEstimate ESTIMATE =
      new RunEstimate(
          new MemoryEstimate(List.of(new MemoryEstimate.Item("state", 3L << 20, false))),
          Map.of("compute", 0.5));

  private static RunMetrics.Step step(String unit, int number, double sparsity) {
    return new RunMetrics.Step(
        unit,
        number,
        Map.of(
            "loss", 2.0 / number, "seconds", 1.5, "peak_rss_bytes", 0x1p20, "sparsity", sparsity),
        Map.of("forward", 0.75, "update", 0.25),
        Map.of("validation", Map.of("loss", 1.25, "perplexity", 3.5)));
  }

  /// The same figures for an iteration of a pruned network as for an epoch.
  @Test
  void aStepOfAnyTrainerIsShown() {
    List<String> lines =
        RunPanel.figures(List.of(step("iteration", 1, 0), step("iteration", 2, 0.9)), ESTIMATE);
    assertThat(lines)
        .contains(
            "loss     1.0000  \u2588\u2581",
            "seconds  1.5000 per iteration (0.5000 planned at the end): forward 75 %, update 25 %",
            "memory   1.00 MiB peak, 3.00 MiB estimated",
            "pruned   90.0 % of the weights");
    assertThat(lines.getLast()).matches("validation +3.5000 +1.2500");
    assertThat(RunPanel.figures(List.of(step("epoch", 1, 0)), ESTIMATE))
        .contains("seconds  1.5000 per epoch (0.5000 planned): forward 75 %, update 25 %");
  }

  @Test
  void withoutTerminalNothingIsMadeOrKept() {
    LiveFigures figures = new LiveFigures(false);
    figures.add(() -> {
      throw new AssertionError("nobody sees it");
    });
    assertThat(figures.lines(ESTIMATE)).isEmpty();
  }
}
