package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.comm.LaunchEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpiLibraryTest {
  private static final LaunchEnvironment BY_HAND = LaunchEnvironment.detect(Map.of());

  @Test
  void theLibraryOfTheLauncherComesFirst() {
    LaunchEnvironment mpich = LaunchEnvironment.detect(Map.of("PMI_RANK", "0", "PMI_SIZE", "2"));
    assertThat(MpiLibrary.candidates(mpich))
        .containsExactly(
            "libmpich.so.12",
            "libmpi.so.12",
            "libmpich.so",
            "libmpi.so.40",
            "libmpi.so.80",
            "libmpi.so");
    LaunchEnvironment openMpi =
        LaunchEnvironment.detect(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2"));
    assertThat(MpiLibrary.candidates(openMpi))
        .containsExactly(
            "libmpi.so.40",
            "libmpi.so.80",
            "libmpich.so.12",
            "libmpi.so.12",
            "libmpich.so",
            "libmpi.so");
    LaunchEnvironment slurm =
        LaunchEnvironment.detect(Map.of("SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "2"));
    assertThat(MpiLibrary.candidates(slurm)).isEqualTo(MpiLibrary.candidates(openMpi));
    assertThat(MpiLibrary.candidates(BY_HAND)).isEqualTo(MpiLibrary.candidates(openMpi));
  }

  /// The second is a library, but none of MPI.
  @ParameterizedTest
  @ValueSource(strings = {"libnothing.so", "libc.so.6"})
  void whatIsNoMpiIsRefusedByItsName(String name) {
    assertRefused(name);
  }

  @Test
  void aFileThatIsNoLibraryIsRefused(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("libmpi.so"), "no library");
    assertRefused(file.toString());
  }

  private static void assertRefused(String name) {
    assertThatThrownBy(() -> MpiLibrary.load(name, BY_HAND))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "MPI: no usable library among %s; install Open MPI or MPICH, or name the library's file",
            name);
  }
}
