package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunEstimateTest {
  @TempDir Path folder;

  @Test
  void isReadAsItWasWritten() {
    Path file = folder.resolve("plan.json");
    RunEstimate estimate =
        new RunEstimate(
            new MemoryEstimate(
                List.of(
                    new MemoryEstimate.Item("weights", 40, false),
                    new MemoryEstimate.Item("mapped features", 1L << 40, true))),
            Map.of("spmm", 0.25, "matmul", 0.5));
    estimate.write(file);
    assertThat(RunEstimate.read(file)).isEqualTo(estimate);
    assertThat(RunEstimate.read(file).seconds()).isEqualTo(0.75);
    new RunEstimate(MemoryEstimate.builder().build(), Map.of()).write(file);
    assertThat(RunEstimate.read(file).memory().bytes()).isZero();
    assertThat(RunEstimate.read(file).seconds()).isZero();
  }

  @Test
  void aRunThatIsResumedKeepsTheFirst() {
    RunFolder run = new RunFolder(folder);
    RunEstimate first = new RunEstimate(MemoryEstimate.builder().add("a", 1).build(), Map.of());
    run.keep(first);
    run.keep(new RunEstimate(MemoryEstimate.builder().add("b", 2).build(), Map.of()));
    assertThat(RunEstimate.read(run.plan())).isEqualTo(first);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "{\"memory\":[]}",
        "{\"format\":\"gossamer-plan\"}",
        "{\"format\":\"gossamer-plan\",\"memory\":[1]}",
        "{\"format\":\"gossamer-plan\",\"memory\":[{\"name\":\"a\",\"bytes\":-1}]}",
        "{\"format\":\"gossamer-plan\",\"memory\":[{\"name\":\"a\",\"bytes\":1e3}]}",
        "{\"format\":\"gossamer-plan\",\"memory\":[{\"name\":1,\"bytes\":1}]}",
        "{\"format\":\"gossamer-plan\",\"memory\":[],\"epoch_seconds\":{\"a\":\"b\"}}",
        "{\"format\":\"gossamer-plan\",\"memory\":[],\"epoch_seconds\":{\"a\":-1}}"
      })
  void somethingElseIsRefused(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("plan.json"), text);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> RunEstimate.read(file))
        .withMessageStartingWith(file + ": ")
        .withMessageContaining("expected ")
        .withMessageContaining(", found something else");
  }
}
