package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.mpi.FakeMpi.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class MpiCallsTest {
  private static final long COMM = 0x44000000;

  @ParameterizedTest
  @EnumSource
  void argumentsArriveAsTheyAreGiven(Kind kind) {
    FakeMpi fake = new FakeMpi(kind);
    MpiCalls calls = new MpiCalls(fake.library, false);
    MemorySegment segment = Arena.ofAuto().allocate(64);
    long at = segment.address();
    long type = calls.flavour().typeDouble();
    calls.send(segment, 5, type, 1, 7, COMM);
    calls.iallreduce(MemorySegment.ofAddress(-1), segment, 8, type, 9, COMM, segment);
    calls.bcast(segment, Integer.MAX_VALUE, type, 3, COMM);
    assertThat(fake.calls("MPI_Send")).containsExactly(List.of(at, 5L, type, 1L, 7L, COMM));
    assertThat(fake.calls("MPI_Iallreduce"))
        .containsExactly(List.of(-1L, at, 8L, type, 9L, COMM, at));
    assertThat(fake.calls("MPI_Bcast"))
        .containsExactly(List.of(at, (long) Integer.MAX_VALUE, type, 3L, COMM));
  }

  @ParameterizedTest
  @EnumSource
  void aReceiveSaysHowMuchCame(Kind kind) {
    FakeMpi fake = new FakeMpi(kind);
    MpiCalls calls = new MpiCalls(fake.library, false);
    MemorySegment segment = Arena.ofAuto().allocate(64);
    assertThat(calls.recv(segment, 64, 1, 0, 7, COMM)).isEqualTo(64);
    fake.missing = 3;
    assertThat(calls.recv(segment, 64, 1, 0, 7, COMM)).isEqualTo(61);
  }

  @ParameterizedTest
  @EnumSource
  void anErrorNamesFunctionAndRankInTheWordsOfTheLibrary(Kind kind) {
    FakeMpi fake = new FakeMpi(kind).on("MPI_Barrier", a -> 15).on("MPI_Send", a -> 16);
    fake.words = "no such luck,\n  error stack:\n";
    MpiCalls calls = new MpiCalls(fake.library, false);
    calls.setRank(3);
    assertThatThrownBy(() -> calls.barrier(COMM))
        .isInstanceOf(CommunicationException.class)
        .hasMessage("MPI_Barrier failed on rank 3: no such luck, error stack:");
    MemorySegment segment = Arena.ofAuto().allocate(8);
    assertThatThrownBy(() -> calls.send(segment, 8, 1, 0, 0, COMM))
        .hasMessageStartingWith("MPI_Send failed on rank 3: no such luck");
    assertThat(fake.calls("MPI_Error_string")).extracting(List::getFirst).containsExactly(15L, 16L);
    // The rank waits for nobody any more.
    assertThat(calls.threads().current().steps()).isEqualTo(4);
  }

  @Test
  void anErrorWithoutWordsHasItsNumber() {
    FakeMpi fake =
        new FakeMpi(Kind.MPICH).on("MPI_Comm_rank", a -> 15).on("MPI_Error_string", a -> 1);
    MpiCalls calls = new MpiCalls(fake.library, false);
    assertThatThrownBy(() -> calls.commRank(COMM))
        .hasMessage("MPI_Comm_rank failed on rank -1: error 15");
  }

  @Test
  void aLibraryThatLacksAFunctionIsRefused() {
    MpiLibrary library = new FakeMpi(Kind.MPICH).without("MPI_Ireduce").library;
    assertThatThrownBy(() -> new MpiCalls(library, false))
        .isInstanceOf(CommunicationException.class)
        .hasMessage("MPI: libfake.so has no MPI_Ireduce");
  }

  @Test
  void memoryThatWasClosedNeverReachesTheLibrary() {
    FakeMpi fake = new FakeMpi(Kind.OPEN_MPI);
    MpiCalls calls = new MpiCalls(fake.library, false);
    MemorySegment request = Arena.ofAuto().allocate(8);
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(8);
    arena.close();
    assertThatThrownBy(() -> calls.isend(segment, 8, 1, 0, 0, COMM, request))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> calls.recv(segment, 8, 1, 0, 0, COMM))
        .isInstanceOf(IllegalStateException.class);
    assertThat(fake.names()).isEmpty();
  }

  @Test
  void memoryThatACallWorksOnCannotBeClosed() {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(8);
    int[] refused = new int[1];
    FakeMpi fake =
        new FakeMpi(Kind.MPICH)
            .on(
                "MPI_Bcast",
                a -> {
                  try {
                    arena.close();
                  } catch (IllegalStateException e) {
                    refused[0]++;
                  }
                  return 0;
                });
    new MpiCalls(fake.library, false).bcast(segment, 8, 1, 0, COMM);
    assertThat(refused[0]).isEqualTo(1);
    arena.close();
  }

  @Test
  void oneThreadAtATimeEnters() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    FakeMpi fake =
        new FakeMpi(Kind.MPICH)
            .on(
                "MPI_Barrier",
                a -> {
                  entered.countDown();
                  await(released);
                  return 0;
                });
    MpiCalls calls = new MpiCalls(fake.library, true);
    Thread first = Thread.ofPlatform().start(() -> calls.barrier(COMM));
    entered.await();
    Thread second = Thread.ofPlatform().start(() -> calls.commSize(COMM));
    while (second.getState() != Thread.State.WAITING
        && second.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
    assertThat(fake.names()).containsExactly("MPI_Barrier");
    released.countDown();
    first.join();
    second.join();
    assertThat(fake.names()).containsExactly("MPI_Barrier", "MPI_Comm_size");
  }

  @Test
  void aCallThatFailedLetsTheNextThreadEnter() throws InterruptedException {
    FakeMpi fake = new FakeMpi(Kind.MPICH).on("MPI_Barrier", a -> 15);
    MpiCalls calls = new MpiCalls(fake.library, true);
    assertThatThrownBy(() -> calls.barrier(COMM)).isInstanceOf(CommunicationException.class);
    Thread.ofPlatform().start(() -> calls.commSize(COMM)).join();
    assertThat(fake.calls("MPI_Comm_size")).hasSize(1);
  }

  @Test
  void anyNumberOfThreadsEntersWhereTheLibraryAllowsIt() throws InterruptedException {
    CyclicBarrier inside = new CyclicBarrier(2);
    FakeMpi fake =
        new FakeMpi(Kind.MPICH)
            .on(
                "MPI_Barrier",
                a -> {
                  try {
                    return inside.await() < 2 ? 0 : 1;
                  } catch (InterruptedException | BrokenBarrierException e) {
                    return 1;
                  }
                });
    MpiCalls calls = new MpiCalls(fake.library, false);
    Thread other = Thread.ofPlatform().start(() -> calls.barrier(COMM));
    calls.barrier(COMM);
    other.join();
    assertThat(fake.calls("MPI_Barrier")).hasSize(2);
  }

  @Test
  void whatACallThrowsKeepsItsKind() {
    RuntimeException known = new IllegalStateException("closed");
    assertThat(MpiCalls.unexpected(known)).isSameAs(known);
    Exception checked = new Exception("checked");
    assertThat(MpiCalls.unexpected(checked)).isInstanceOf(IllegalStateException.class);
    assertThat(MpiCalls.unexpected(checked)).hasCause(checked);
    Error error = new StackOverflowError("deep");
    assertThatThrownBy(() -> MpiCalls.unexpected(error)).isSameAs(error);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
