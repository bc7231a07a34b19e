package dev.gossamer.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.LaunchEnvironment.Launcher;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaunchEnvironmentTest {
  @Test
  void readsHowManyProcessesShareTheMachine() {
    Map<String, String> openMpi =
        Map.of(
            "OMPI_COMM_WORLD_RANK", "2",
            "OMPI_COMM_WORLD_SIZE", "8",
            "OMPI_COMM_WORLD_LOCAL_SIZE", "4");
    assertThat(LaunchEnvironment.detect(openMpi).here()).isEqualTo(4);
    Map<String, String> mpich = Map.of("PMI_RANK", "0", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "2");
    assertThat(LaunchEnvironment.detect(mpich).here()).isEqualTo(2);
    assertThat(LaunchEnvironment.detect(Map.of()).here()).isEqualTo(1);
  }

  @Test
  void knowsTheLaunchers() {
    assertThat(
            LaunchEnvironment.detect(
                Map.of("OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "4")))
        .isEqualTo(new LaunchEnvironment(Launcher.OPEN_MPI, 2, 4, 1, "OMPI_COMM_WORLD_SIZE"));
    assertThat(LaunchEnvironment.detect(Map.of("PMI_RANK", "0", "PMI_SIZE", "1")))
        .isEqualTo(new LaunchEnvironment(Launcher.MPICH, 0, 1, 1, "PMI_SIZE"));
    assertThat(LaunchEnvironment.detect(Map.of("SLURM_PROCID", "7", "SLURM_STEP_NUM_TASKS", "8")))
        .isEqualTo(new LaunchEnvironment(Launcher.SLURM, 7, 8, 1, "SLURM_STEP_NUM_TASKS"));
    assertThat(
            LaunchEnvironment.detect(
                Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_STEP_ID", "0")))
        .isEqualTo(new LaunchEnvironment(Launcher.SLURM, 1, 2, 1, "SLURM_NTASKS"));
  }

  @Test
  void anInnerLauncherWins() {
    LaunchEnvironment found =
        LaunchEnvironment.detect(
            Map.of(
                "SLURM_PROCID", "0",
                "SLURM_STEP_NUM_TASKS", "1",
                "PMI_RANK", "3",
                "PMI_SIZE", "4"));
    assertThat(found.launcher()).isEqualTo(Launcher.MPICH);
    assertThat(found.isParallel()).isTrue();
  }

  @Test
  void aProgramStartedByHandIsAlone() {
    LaunchEnvironment alone = new LaunchEnvironment(Launcher.NONE, 0, 1, 1, "");
    assertThat(LaunchEnvironment.detect(Map.of())).isEqualTo(alone);
    // A batch script, which is one process of a job that may start many.
    assertThat(LaunchEnvironment.detect(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "64")))
        .isEqualTo(alone);
    assertThat(LaunchEnvironment.detect(Map.of("PMI_RANK", "4", "PMI_SIZE", "4"))).isEqualTo(alone);
    assertThat(LaunchEnvironment.detect(Map.of("PMI_RANK", "x", "PMI_SIZE", "4"))).isEqualTo(alone);
    assertThat(alone.isParallel()).isFalse();
  }
}
