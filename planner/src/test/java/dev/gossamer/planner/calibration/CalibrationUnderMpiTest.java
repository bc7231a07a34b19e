package dev.gossamer.planner.calibration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.MpiProgram;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.SampleRates;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Real processes, of which some are taken for those of one node; skipped, with the reason, without
/// a launcher.
class CalibrationUnderMpiTest {
  @TempDir private Path folder;

  @Tag("endurance")
  @ParameterizedTest
  @CsvSource({
    "mpirun.openmpi, 2, 1",
    "mpirun.openmpi, 2, 2",
    "mpirun.openmpi, 4, 2",
    "mpirun.mpich, 2, 1"
  })
  void measuresTheCluster(String launcher, int ranks, int here) throws Exception {
    Path file = folder.resolve("cluster.yaml");
    MpiProgram.Outcome outcome =
        MpiProgram.run(
            MpiProgram.OPTIMISING,
            folder,
            launcher,
            ranks,
            CalibrationProgram.class,
            file.toString(),
            Integer.toString(here));
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("between " + (here < ranks));
    Cluster cluster = ClusterFile.read(file, SampleRates::of);
    assertThat(cluster.nodes()).isEqualTo(ranks / here);
    assertThat(cluster.ranksPerNode()).isEqualTo(here);
    for (LinkRates link : List.of(cluster.inside(), cluster.between())) {
      assertThat(link.latency()).isPositive().isFinite();
      assertThat(link.bandwidth()).isPositive().isFinite();
    }
    assertThat(cluster.rates()).isNotEqualTo(SampleRates.of());
  }
}
