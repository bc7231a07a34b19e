package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.mpi.FakeMpi.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The watchdog of one rank at times that are made up, with the notes of the others.
class WatchdogTest {
  private static final long MILLI = 1_000_000;
  private static final long NOTES = 0xd00;
  private static final int TAG = 9;

  private final List<String> endings = new ArrayList<>();
  private long now;

  private Watchdog watchdog(MpiCalls calls, int rank, long timeoutMillis) {
    return new Watchdog(
        calls,
        rank,
        4,
        NOTES,
        TAG,
        timeoutMillis * MILLI,
        (name, cause) -> endings.add(name + ": " + cause.getMessage()));
  }

  /// Another thread than that of the watchdog enters an operation, and stays in it.
  private static CallingThread wait(MpiCalls calls, String operation, long bytes)
      throws InterruptedException {
    AtomicReference<@Nullable CallingThread> entered = new AtomicReference<>();
    Thread.ofPlatform()
        .start(() -> {
          CallingThread thread = calls.threads().current();
          thread.enter(operation, bytes);
          entered.set(thread);
        })
        .join();
    return Objects.requireNonNull(entered.get());
  }

  /// Looks every 10 ms until a time, in milliseconds, or until the run has ended.
  private void lookUntil(Watchdog watchdog, long millis) {
    while (now < millis * MILLI && endings.isEmpty()) {
      now += 10 * MILLI;
      watchdog.look(now);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theFirstRankNamesWhoDidNotComplain(Kind kind) throws InterruptedException {
    FakeMpi fake = new FakeMpi(kind);
    MpiCalls calls = new MpiCalls(fake.library, false);
    Watchdog watchdog = watchdog(calls, 0, 1000);
    wait(calls, "all-reduce", 64);
    lookUntil(watchdog, 1500);
    fake.note(3, "all-reduce of 64 bytes");
    fake.note(1, "all-reduce of 64 bytes");
    lookUntil(watchdog, 2000);
    assertThat(endings).isEmpty();
    lookUntil(watchdog, 2100);
    assertThat(endings)
        .containsExactly("0: rank 0 waited more than 1.0 s in all-reduce of 64 bytes for rank 2");
    assertThat(fake.calls("MPI_Recv"))
        .hasSize(2)
        .allSatisfy(a -> assertThat(a.get(3)).isEqualTo(kind == Kind.MPICH ? -2 : -1))
        .allSatisfy(a -> assertThat(a.subList(4, 6)).containsExactly((long) TAG, NOTES));
  }

  /// A rank that came to the operation half the timeout later does not count as missing.
  @ParameterizedTest
  @CsvSource({"20000, 9900", "3600000, 29900", "100, 900"})
  void aRankThatComplainsLateIsNotMissing(long timeout, long late) throws InterruptedException {
    FakeMpi fake = new FakeMpi(Kind.OPEN_MPI);
    MpiCalls calls = new MpiCalls(fake.library, false);
    Watchdog watchdog = watchdog(calls, 0, timeout);
    wait(calls, "barrier", 0);
    lookUntil(watchdog, timeout + late);
    assertThat(endings).isEmpty();
    fake.note(1, "barrier");
    fake.note(2, "barrier");
    lookUntil(watchdog, timeout + late + 200);
    assertThat(endings)
        .containsExactly(
            "0: rank 0 waited more than %.1f s in barrier for rank 3".formatted(timeout / 1e3));
  }

  @Test
  void theFirstRankIsNamedIfItIsTheOneThatDoesNotWait() {
    FakeMpi fake = new FakeMpi(Kind.MPICH);
    Watchdog watchdog = watchdog(new MpiCalls(fake.library, false), 0, 1000);
    lookUntil(watchdog, 60_000);
    assertThat(endings).isEmpty();
    for (int peer = 3; peer > 0; peer--) {
      fake.note(peer, "receive of 8 bytes");
    }
    lookUntil(watchdog, 60_900);
    assertThat(endings).isEmpty();
    lookUntil(watchdog, 61_100);
    assertThat(endings)
        .containsExactly("1: rank 1 waited more than 1.0 s in receive of 8 bytes for rank 0");
  }

  @Test
  void severalMissingRanksAreAllNamed() throws InterruptedException {
    MpiCalls calls = new MpiCalls(new FakeMpi(Kind.MPICH).library, false);
    Watchdog watchdog = watchdog(calls, 0, 1000);
    wait(calls, "broadcast", 8);
    lookUntil(watchdog, 2100);
    assertThat(endings)
        .containsExactly(
            "0: rank 0 waited more than 1.0 s in broadcast of 8 bytes for rank 1, rank 2, rank 3");
  }

  @Test
  void ranksThatAllWaitEndTheRunAtOnce() throws InterruptedException {
    FakeMpi fake = new FakeMpi(Kind.OPEN_MPI);
    MpiCalls calls = new MpiCalls(fake.library, false);
    Watchdog watchdog = watchdog(calls, 0, 1000);
    for (int peer = 1; peer < 4; peer++) {
      fake.note(peer, "barrier");
    }
    lookUntil(watchdog, 10);
    assertThat(endings).isEmpty();
    watchdog.expire("receive");
    lookUntil(watchdog, 20);
    assertThat(endings)
        .containsExactly("0: rank 0 waited more than 1.0 s in receive, and so did all others");
  }

  @Test
  void operationsThatEndDoNotAddUp() throws InterruptedException {
    MpiCalls calls = new MpiCalls(new FakeMpi(Kind.MPICH).library, false);
    Watchdog watchdog = watchdog(calls, 0, 1000);
    CallingThread thread = wait(calls, "barrier", 0);
    for (int i = 1; i < 10; i++) {
      lookUntil(watchdog, i * 900L);
      thread.leave();
      thread.enter("barrier", 0);
    }
    thread.leave();
    lookUntil(watchdog, 60_000);
    assertThat(endings).isEmpty();
  }

  /// Rank 1 acts in the place of rank 0 two seconds after that should have, the others later.
  @ParameterizedTest
  @CsvSource({"1, 3000", "2, 6000", "3, 6000"})
  void anotherRankComplainsOnceAndActsIfTheFirstDoesNot(int rank, long acts)
      throws InterruptedException {
    List<String> sent = new ArrayList<>();
    FakeMpi fake =
        new FakeMpi(Kind.MPICH)
            .on(
                "MPI_Send",
                a -> {
                  MemorySegment note = MemorySegment.ofAddress(a[0]).reinterpret(a[1]);
                  sent.add(
                      "%d: %s to %d with tag %d in %x"
                          .formatted(
                              note.get(ValueLayout.JAVA_INT, 0),
                              note.getString(Integer.BYTES),
                              a[3],
                              a[4],
                              a[5]));
                  return 0;
                });
    MpiCalls calls = new MpiCalls(fake.library, false);
    Watchdog watchdog = watchdog(calls, rank, 1000);
    wait(calls, "all-gather", 32);
    lookUntil(watchdog, 1000);
    assertThat(sent).isEmpty();
    lookUntil(watchdog, 1000 + acts);
    assertThat(endings).isEmpty();
    lookUntil(watchdog, 1100 + acts);
    assertThat(endings)
        .containsExactly(
            "%d: rank %d waited more than 1.0 s in all-gather of 32 bytes; rank 0 does not answer"
                .formatted(rank, rank));
    assertThat(sent)
        .containsExactly("%d: all-gather of 32 bytes to 0 with tag 9 in d00".formatted(rank));
  }
}
