package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.FakeMpi.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class MpiSessionTest {
  @ParameterizedTest
  @EnumSource
  void startsAndEndsTheLibrary(Kind kind) {
    FakeMpi fake = new FakeMpi(kind);
    fake.rank = 2;
    fake.size = 5;
    MpiFlavour flavour = fake.library.flavour();
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      assertThat(session.world().rank()).isEqualTo(2);
      assertThat(session.world().size()).isEqualTo(5);
      assertThat(session.messageLimit()).isEqualTo(1 << 30);
      assertThat(session.watchdog().timeoutNanos())
          .isEqualTo(MpiOptions.DEFAULT.timeout().toNanos());
      assertThat(fake.calls("MPI_Comm_set_errhandler"))
          .containsExactly(List.of(flavour.commWorld(), flavour.errorsReturn()));
      assertThat(fake.names()).startsWith("MPI_Init_thread").doesNotContain("MPI_Finalize");
      fake.forgetCalls();
    }
    // Of the world only what was duplicated is freed.
    assertThat(fake.names()).containsExactly("MPI_Barrier", "MPI_Comm_free", "MPI_Finalize");
  }

  /// Levels 2 and 3 of the MPI standard: threads that do not enter at once, and threads that do.
  @ParameterizedTest
  @CsvSource({
    "false, 3, 3, false",
    "false, 2, 3, true",
    "false, 1, 3, true",
    "true, 3, 2, true",
    "true, 2, 2, true"
  })
  void entersWithOneThreadWhereMoreAreNotGrantedOrNotWanted(
      boolean wanted, int granted, long required, boolean oneAtATime) {
    FakeMpi fake = new FakeMpi(Kind.MPICH);
    fake.granted = granted;
    try (MpiSession session = fake.start(MpiOptions.DEFAULT.withOneThreadAtATime(wanted))) {
      assertThat(session.oneThreadAtATime()).isEqualTo(oneAtATime);
      assertThat(fake.calls("MPI_Init_thread").getFirst().get(2)).isEqualTo(required);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLibraryThatSeesOtherRanksThanWerePromisedIsRefused(Kind kind) {
    FakeMpi fake = new FakeMpi(kind);
    LaunchEnvironment promised =
        LaunchEnvironment.detect(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "4"));
    assertThatThrownBy(() -> MpiSession.start(fake.library, promised, MpiOptions.DEFAULT))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "MPI: OMPI_COMM_WORLD_SIZE promised 4 ranks, but the library libfake.so sees 1;"
                + " name the library of the MPI whose mpirun you use, or start with srun --mpi=pmix");
    assertThat(fake.names()).endsWith("MPI_Finalize");
  }

  @ParameterizedTest
  @EnumSource
  void aProgramStartedByHandTakesWhatTheLibrarySees(Kind kind) {
    FakeMpi fake = new FakeMpi(kind);
    fake.size = 3;
    LaunchEnvironment byHand = LaunchEnvironment.detect(Map.of());
    try (MpiSession session = MpiSession.start(fake.library, byHand, MpiOptions.DEFAULT)) {
      assertThat(session.world().size()).isEqualTo(3);
    }
  }
}
