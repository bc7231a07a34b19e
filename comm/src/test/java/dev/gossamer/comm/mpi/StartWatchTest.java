package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartWatchTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usr/bin/hydra_pmi_proxy",
        "/usr/bin/orted",
        "/usr/bin/orterun",
        "/opt/openmpi/bin/prted",
        "/opt/openmpi/bin/prterun",
        "/usr/sbin/slurmstepd",
        "/usr/bin/mpirun",
        "/usr/bin/mpiexec.hydra",
        "mpirun.openmpi"
      })
  void whatStartsRanksIsALauncher(String command) {
    assertThat(StartWatch.isLauncher(command)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/bin/bash", "/usr/bin/java", "/opt/mpirun/python3", "/usr/bin/srun", "/", ""})
  void aShellOrAProgramIsNone(String command) {
    assertThat(StartWatch.isLauncher(command)).isFalse();
  }
}
