package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.partition.Partition;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GraphPartitioningTest {
  @TempDir Path temporary;

  @ParameterizedTest
  @ValueSource(strings = {"gvb", "block", "random"})
  void everyVertexIsInAPart(String method) {
    try (Dataset dataset = ExampleGraphs.dense(120, 1)) {
      GraphPartitioning.Result result =
          GraphPartitioning.of(dataset)
              .machine(ExampleGraphs.MACHINE)
              .parts(3)
              .method(method)
              .run();
      int[] parts = result.partition().toArray();
      assertThat(parts).hasSize(120).containsOnly(0, 1, 2);
      assertThat(result.quality().parts()).isEqualTo(3);
      assertThat(result.quality().edgeCut()).isBetween(1L, dataset.edges());
      for (int part = 0; part < 3; part++) {
        int wanted = part;
        assertThat(Arrays.stream(parts).filter(p -> p == wanted).count()).isBetween(25L, 55L);
      }
      Path file = temporary.resolve("example.part");
      result.write(file);
      assertThat(Partition.read(file, 120).toArray()).isEqualTo(parts);
    }
  }

  @Test
  void sameSeedGivesSamePartsOnAnyNumberOfThreads() {
    try (Dataset dataset = ExampleGraphs.dense(200, 1)) {
      GraphPartitioning partitioning = GraphPartitioning.of(dataset).parts(3).seed(7);
      assertThat(partitioning.machine(ExampleGraphs.MACHINE.withThreads(1)).run().partition())
          .extracting(Partition::toArray)
          .isEqualTo(
              partitioning
                  .machine(ExampleGraphs.MACHINE.withThreads(4))
                  .run()
                  .partition()
                  .toArray());
    }
  }

  @Test
  void whatCannotBeDividedIsRefused() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphPartitioning partitioning = GraphPartitioning.of(dataset);
      assertThatThrownBy(() -> partitioning.parts(0))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageMatching("parts: expected 1 to \\d+, found 0");
      assertThatThrownBy(() -> partitioning.method("best"))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("method: expected one of ");
      assertThatThrownBy(partitioning.machine(MachineSettings.DEFAULT.withMemory(16))::run)
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("memory: partitioning with gvb needs ");
    }
  }
}
