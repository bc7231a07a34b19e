package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTailTest {
  @TempDir Path folder = Path.of("");

  private static EpochRecord record(int epoch) {
    return new EpochRecord(
        epoch,
        1.0 / epoch,
        0.01,
        2.5,
        new EpochCosts(Map.of(), Map.of(), 0, Double.NaN, Double.NaN),
        null);
  }

  @Test
  void eachStepIsReadOnce() {
    Path file = folder.resolve("metrics.jsonl");
    try (MetricsFile out = MetricsFile.open(file, 0);
        MetricsTail tail = MetricsTail.open(file)) {
      assertThat(tail.next()).isEmpty();
      out.append(record(1));
      out.append(record(2));
      assertThat(tail.next()).extracting(RunMetrics.Step::number).containsExactly(1, 2);
      assertThat(tail.next()).isEmpty();
      out.append(record(3));
      assertThat(tail.next()).isEqualTo(RunMetrics.read(file).steps().subList(2, 3));
      assertThat(tail.next()).isEmpty();
    }
  }

  /// More than any buffer on the way.
  @Test
  void longFilesAreRead() {
    Path file = folder.resolve("metrics.jsonl");
    try (MetricsFile out = MetricsFile.open(file, 0);
        MetricsTail tail = MetricsTail.open(file)) {
      for (int epoch = 1; epoch <= 1000; epoch++) {
        out.append(record(epoch));
      }
      assertThat(tail.next()).isEqualTo(RunMetrics.read(file).steps()).hasSize(1000);
      out.append(record(1001));
      assertThat(tail.next()).hasSize(1);
    }
  }

  @Test
  void somethingElseIsRefused() throws IOException {
    Path file =
        Files.writeString(folder.resolve("metrics.jsonl"), "{\"epoch\":1,\"loss\":1}\n[]\n");
    try (MetricsTail tail = MetricsTail.open(file)) {
      assertThatThrownBy(tail::next)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(file + ": line 2: expected an object");
    }
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> MetricsTail.open(missing))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("missing");
  }
}
