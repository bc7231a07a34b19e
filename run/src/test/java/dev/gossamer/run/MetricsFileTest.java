package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class MetricsFileTest {
  @TempDir Path folder;

  private static ObjectNode line(int epoch) {
    return new JsonMapper().createObjectNode().put("epoch", epoch);
  }

  @Test
  void isOfOneTrainingAtATime() throws IOException {
    Path file = folder.resolve("metrics.jsonl");
    try (MetricsFile metrics = MetricsFile.open(file, 0)) {
      metrics.append(line(1));
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MetricsFile.open(file, 1))
          .withMessageStartingWith(
              file + ": expected a run that nothing else writes to, found another");
      metrics.append(line(2));
    }
    try (MetricsFile metrics = MetricsFile.open(file, 1)) {
      metrics.append(line(2));
      metrics.append(line(3));
    }
    assertThat(Files.readAllLines(file))
        .containsExactly("{\"epoch\":1}", "{\"epoch\":2}", "{\"epoch\":3}");
  }
}
