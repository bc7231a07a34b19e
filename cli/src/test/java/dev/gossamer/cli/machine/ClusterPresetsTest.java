package dev.gossamer.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The clusters in the folder `config` can be planned for, and state all rates themselves.
class ClusterPresetsTest {
  @ParameterizedTest
  @ValueSource(strings = {"cluster", "perlmutter", "dgx-1", "dgx-a100", "summit", "xeon-8360y"})
  void statesAllRates(String name) throws IOException {
    Path file = Path.of("..", "config", name + ".yaml");
    Cluster cluster =
        ClusterFile.read(
            file,
            () -> {
              throw new AssertionError(file + ": no rates");
            });
    assertThat(cluster.rates().spmm(1 << 20, 16 << 20, 16, 1)).isPositive();
    assertThat(Files.readString(file)).startsWith("# ");
  }
}
