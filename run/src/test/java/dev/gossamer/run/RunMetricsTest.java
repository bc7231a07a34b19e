package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.nn.clock.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunMetricsTest {
  @TempDir Path folder = Path.of("");

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("metrics.jsonl"), text);
  }

  @Test
  void whatATrainingWritesIsRead() {
    Path file = folder.resolve("metrics.jsonl");
    Evaluation.Scores scores =
        new Evaluation.Scores(4, Map.of(Metric.LOSS, 0.5, Metric.ACCURACY, 0.75));
    try (MetricsFile out = MetricsFile.open(file, 0)) {
      EpochCosts first =
          new EpochCosts(Map.of(), Map.of(Phase.SPMM, 1.25), 4000, Double.NaN, Double.NaN);
      EpochCosts second = new EpochCosts(Map.of(), Map.of(), 4096, 0.75, 1.5);
      out.append(new EpochRecord(1, 1.5, 0.01, 2.5, first, null));
      out.append(
          new EpochRecord(2, 1.25, 0.01, 0.5, second, new Evaluation(scores, scores, scores)));
    }
    List<RunMetrics.Step> steps = RunMetrics.read(file).steps();
    assertThat(steps).extracting(RunMetrics.Step::number).containsExactly(1, 2);
    assertThat(steps).extracting(RunMetrics.Step::unit).containsOnly("epoch");
    assertThat(steps.getFirst().number("loss")).isEqualTo(1.5);
    assertThat(steps.getFirst().phases()).containsEntry("spmm", 1.25);
    assertThat(steps.getFirst().score("test", "accuracy")).isNaN();
    assertThat(steps.getLast().score("test", "accuracy")).isEqualTo(0.75);
    assertThat(steps.getLast().number("sparsity")).isNaN();
    assertThat(steps).extracting(s -> s.number(MetricsFile.SENT)).containsExactly(4000.0, 4096.0);
    assertThat(steps.getFirst().numbers())
        .doesNotContainKeys(MetricsFile.HIT_RATE, MetricsFile.STALENESS);
    assertThat(steps.getLast().number(MetricsFile.HIT_RATE)).isEqualTo(0.75);
    assertThat(steps.getLast().number(MetricsFile.STALENESS)).isEqualTo(1.5);
  }

  @Test
  void aLineThatIsBeingWrittenIsLeftOut() throws IOException {
    Path file = file("{\"iteration\":1,\"loss\":2,\"skipped\":false}\n{\"iteration\":2,\"lo");
    List<RunMetrics.Step> steps = RunMetrics.read(file).steps();
    assertThat(steps).hasSize(1);
    assertThat(steps.getFirst().unit()).isEqualTo("iteration");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no JSON",
        "[]",
        "{\"epoch\":0,\"loss\":1}",
        "{\"epoch\":1}",
        "{\"epoch\":1.5,\"loss\":1}",
        "{\"epoch\":1,\"loss\":\"high\"}"
      })
  void somethingElseIsRefusedWithItsLine(String line) throws IOException {
    Path file = file("{\"epoch\":1,\"loss\":1}\n" + line + "\n");
    assertThatThrownBy(() -> RunMetrics.read(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "%s: line 2: expected an object with 'epoch' or 'iteration' and 'loss', found something else",
            file);
  }
}
