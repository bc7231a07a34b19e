package dev.gossamer.comm;

import static dev.gossamer.comm.MpiProgram.MPICH;
import static dev.gossamer.comm.MpiProgram.OPEN_MPI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.MpiProgram.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Starts real ranks with the launchers that are installed; skipped, with the reason, without them.
///
/// `.ci/run` meets each way to run and to fail once, the launchers in turn; the other launcher's
/// twin is a test of `.ci/endurance`.
@Tag("slow")
class MpiCommunicatorTest {
  @TempDir private Path folder;

  @Test
  void keepsTheContract() throws Exception {
    assertContract(3, run(OPEN_MPI, 3, "contract"));
  }

  @Tag("endurance")
  @ParameterizedTest
  @CsvSource({
    "mpirun.openmpi, 1", "mpirun.openmpi, 2", "mpirun.openmpi, 4", "mpirun.openmpi, 8",
    "mpirun.mpich, 1", "mpirun.mpich, 2", "mpirun.mpich, 4", "mpirun.mpich, 7"
  })
  void keepsTheContractInOtherSizes(String launcher, int size) throws Exception {
    assertContract(size, run(launcher, size, "contract"));
  }

  @ParameterizedTest
  @CsvSource({"mpirun.openmpi, 2, limit=4096", "mpirun.mpich, 2, one-thread"})
  void keepsTheContractInOtherWays(String launcher, int size, String way) throws Exception {
    assertContract(size, run(launcher, size, "contract", way));
  }

  @Tag("endurance")
  @ParameterizedTest
  @CsvSource({
    "mpirun.mpich, 3, limit=4096",
    "mpirun.openmpi, 3, limit=4096",
    "mpirun.openmpi, 2, one-thread"
  })
  void keepsTheContractInOtherWaysAndSizes(String launcher, int size, String way) throws Exception {
    keepsTheContractInOtherWays(launcher, size, way);
  }

  private static void assertContract(int size, Outcome outcome) {
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("checks " + size * CommunicatorContract.CHECKS);
  }

  @Test
  void endsAllRanksWhenOneThrows() throws Exception {
    assertThrown(OPEN_MPI);
  }

  private void assertThrown(String launcher) throws Exception {
    Outcome outcome = run(launcher, 3, "throw");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output().lines().filter(line -> line.contains(" failed: ")))
        .containsExactly("rank 1 of 3 failed: java.lang.IllegalStateException: no more rows");
  }

  @Test
  void endsWithStatusTwoOnBadInput() throws Exception {
    Outcome outcome = run(MPICH, 2, "bad-input");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.output()).contains("rank 1 of 2 failed: data: no such folder");
  }

  @Test
  void endsWithStatusThreeWhenATrainingFails() throws Exception {
    Outcome outcome = run(OPEN_MPI, 2, "diverge");
    assertThat(outcome.status()).isEqualTo(3);
    assertThat(outcome.output()).contains("rank 1 of 2 failed: epoch 2: the loss is NaN");
  }

  @Test
  void namesTheSenderOfAMessageThatIsTooShort() throws Exception {
    Outcome outcome = run(MPICH, 2, "disagree");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output())
        .contains("expected a message of 100 bytes from rank 1 with tag 5, found one of 99");
  }

  @ParameterizedTest
  @CsvSource({"mpirun.openmpi, limit=4096", "mpirun.mpich, one-thread"})
  void holdsTheMemoryOfAReceiveThatWaits(String launcher, String option) throws Exception {
    assertHeld(launcher, option);
  }

  @Tag("endurance")
  @ParameterizedTest
  @ValueSource(strings = {OPEN_MPI, MPICH})
  void holdsTheMemoryOfAReceiveOfOnePart(String launcher) throws Exception {
    assertHeld(launcher, "limit=1000000000");
  }

  private void assertHeld(String launcher, String option) throws Exception {
    Outcome outcome = run(launcher, 2, "closing", option);
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("acquired by").contains("received");
  }

  @Test
  void saysThatTheMemoryOfARequestWasClosed() throws Exception {
    assertClosed(MPICH);
  }

  private void assertClosed(String launcher) throws Exception {
    Outcome outcome = run(launcher, 2, "closed");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output()).contains("java.lang.IllegalStateException: Already closed");
  }

  @Test
  void endsAllRanksWhenOneIsKilled() throws Exception {
    assertKilled(OPEN_MPI, run(OPEN_MPI, 4, "killed"));
  }

  /// The rank came to where it is killed, and the launcher says what became of it.
  private void assertKilled(String launcher, Outcome outcome) {
    assertThat(folder.resolve("killed")).as(outcome.output()).exists();
    boolean isOpen = launcher.equals(OPEN_MPI);
    assertThat(outcome.status()).as(outcome.output()).isEqualTo(isOpen ? 128 + 9 : 9);
    assertThat(outcome.output())
        .contains(isOpen ? "exited on signal 9 (Killed)" : "EXIT STRING: Killed (signal 9)");
  }

  @Tag("endurance")
  @ParameterizedTest
  @CsvSource({
    "mpirun.openmpi, killed-early", "mpirun.mpich, killed-early",
    "mpirun.openmpi, killed-starting", "mpirun.mpich, killed-starting"
  })
  void endsAllRanksWhenOneIsKilledBeforeMpiStarts(String launcher, String scenario)
      throws Exception {
    Outcome outcome = run(launcher, 3, scenario);
    assertKilled(launcher, outcome);
  }

  /// Launchers do not mind a rank that ends without an error.
  @Test
  void endsAllRanksWhenOneEndsBeforeMpiStarts() throws Exception {
    assertEndedEarly(OPEN_MPI);
  }

  private void assertEndedEarly(String launcher) throws Exception {
    Outcome outcome = run(launcher, 3, "ended-early");
    // Both others end with 1. MPICH kills the second as soon as it sees the first, and then says 9.
    assertThat(outcome.status()).as(outcome.output()).isIn(1, launcher.equals(MPICH) ? 9 : 1);
    assertThat(outcome.output())
        .containsPattern(
            "rank [02] of 3 failed: another of the 3 processes of this machine has ended before MPI"
                + " started");
  }

  @Tag("endurance")
  @Test
  void endsAllRanksWhenOneThrowsUnderTheOtherLauncher() throws Exception {
    assertThrown(MPICH);
  }

  @Tag("endurance")
  @Test
  void saysThatTheMemoryOfARequestWasClosedUnderTheOtherLauncher() throws Exception {
    assertClosed(OPEN_MPI);
  }

  @Tag("endurance")
  @Test
  void endsAllRanksWhenOneIsKilledUnderTheOtherLauncher() throws Exception {
    assertKilled(MPICH, run(MPICH, 4, "killed"));
  }

  @Tag("endurance")
  @Test
  void endsAllRanksWhenOneEndsBeforeMpiStartsUnderTheOtherLauncher() throws Exception {
    assertEndedEarly(MPICH);
  }

  /// Who is named depends on who came last, and on a busy machine that may be another: see below.
  @Test
  void endsAllRanksWhenOneDoesNotCome() throws Exception {
    Outcome outcome = run(OPEN_MPI, 4, "blocked-2", "contract", "timeout=2000");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output().lines().filter(line -> line.contains(" failed: ")))
        .singleElement()
        .asString()
        .containsPattern("rank \\d waited more than 2.0 s in all-reduce of 64 bytes");
  }

  @Tag("endurance")
  @ParameterizedTest
  @CsvSource({
    "mpirun.openmpi, blocked-2, contract, rank 0, all-reduce of 64 bytes for rank 2",
    "mpirun.mpich, blocked-2, contract, rank 0, all-reduce of 64 bytes for rank 2",
    "mpirun.mpich, blocked-0, one-thread, rank 1, all-reduce for rank 0"
  })
  void namesTheRankThatDoesNotCome(
      String launcher, String scenario, String threads, String who, String what) throws Exception {
    assertMissed(launcher, scenario, threads, who, what);
  }

  /// All ranks are up before the first waits, and each may come up to ten seconds after another
  /// before it counts as missing.
  private void assertMissed(
      String launcher, String scenario, String threads, String who, String what) throws Exception {
    Outcome outcome = run(launcher, 4, scenario, threads, "timeout=20000");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output().lines().filter(line -> line.contains(" failed: ")))
        .singleElement()
        .asString()
        .endsWith("%s waited more than 20.0 s in %s".formatted(who, what));
  }

  @Test
  void refusesALibraryThatDoesNotBelongToTheLauncher() throws Exception {
    MpiProgram.assumeInstalled(MPICH);
    Outcome outcome = run(OPEN_MPI, 2, "contract", "library=libmpich.so.12");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.output())
        .contains("OMPI_COMM_WORLD_SIZE promised 2 ranks")
        .contains("libmpich.so.12 sees 1");
  }

  @Test
  void saysThatThereIsNoLibrary() throws Exception {
    Outcome outcome = run(OPEN_MPI, 1, "contract", "library=libnothing.so");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.output()).contains("no usable library among libnothing.so; install");
  }

  private Outcome run(String launcher, int size, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("signs=" + folder);
    return MpiProgram.run(
        folder, launcher, size, MpiContractProgram.class, all.toArray(String[]::new));
  }
}
