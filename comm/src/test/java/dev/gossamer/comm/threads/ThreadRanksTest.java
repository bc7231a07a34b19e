package dev.gossamer.comm.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.comm.StandingClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What only ranks that are threads can promise: names, failures, timeouts, the link's clock.
@Timeout(120)
class ThreadRanksTest {
  private static final ThreadOptions IMPATIENT =
      ThreadOptions.DEFAULT.withTimeout(Duration.ofMillis(300));

  private final StandingClock clock = new StandingClock();
  private final WatchedRanks ranks = new WatchedRanks();

  @Test
  void namesTheThreads() {
    Map<String, Integer> names = new ConcurrentHashMap<>();
    ThreadRanks.run(3, world -> names.put(Thread.currentThread().getName(), world.rank()));
    assertThat(names)
        .containsOnly(Map.entry("rank-0", 0), Map.entry("rank-1", 1), Map.entry("rank-2", 2));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void nobodyPassesABarrierBeforeTheLastHasCome(int size) {
    AtomicInteger come = new AtomicInteger();
    ThreadRanks.run(
        size,
        world -> {
          for (int round = 1; round <= 200; round++) {
            come.incrementAndGet();
            world.barrier();
            assertThat(come.get()).isBetween(round * size, (round + 1) * size);
            world.barrier();
            assertThat(come.get()).isGreaterThanOrEqualTo(round * size);
          }
        });
    assertThat(come.get()).isEqualTo(200 * size);
  }

  @Test
  void aRankThatCannotBeStartedEndsTheOthers() {
    List<Thread> begun = new ArrayList<>();
    ThreadFactory scarce =
        task -> {
          if (begun.size() == 2) {
            throw new OutOfMemoryError("no third thread");
          }
          begun.add(Thread.ofPlatform().daemon().unstarted(task));
          return begun.getLast();
        };
    assertThatThrownBy(() ->
            ThreadRanks.run(
                4, ThreadOptions.DEFAULT, Communicator::barrier, scarce, new StandingClock()))
        .isInstanceOfSatisfying(RankFailedException.class, e -> assertThat(e.rank()).isEqualTo(2))
        .hasRootCauseMessage("no third thread");
    assertThat(begun).hasSize(2).noneMatch(Thread::isAlive);
  }

  @ParameterizedTest
  @ValueSource(strings = {"all-reduce", "receive", "send", "barrier", "compute"})
  void aRankThatThrowsEndsTheOthers(String waitingIn) {
    Map<Integer, Throwable> seen = new ConcurrentHashMap<>();
    CountDownLatch never = new CountDownLatch(1);
    assertThatThrownBy(() ->
            ranks.run(
                4,
                ThreadOptions.DEFAULT,
                clock,
                world -> {
                  if (world.rank() == 2) {
                    for (int waiting : List.of(0, 1, 3)) {
                      ranks.awaitParked(waiting);
                    }
                    throw new IllegalStateException("no more rows");
                  }
                  try {
                    wait(world, waitingIn, never);
                  } catch (RankFailedException | InterruptedException e) {
                    seen.put(world.rank(), e);
                    throw e;
                  }
                }))
        .isInstanceOf(RankFailedException.class)
        .hasMessage("rank 2 of 4 failed: java.lang.IllegalStateException: no more rows")
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(seen).containsOnlyKeys(0, 1, 3);
    assertThat(seen.values())
        .allSatisfy(e -> {
          if (waitingIn.equals("compute")) {
            assertThat(e).isInstanceOf(InterruptedException.class);
          } else {
            assertThat(e).hasMessageStartingWith("rank 2 of 4 failed");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"all-reduce", "receive", "send", "barrier"})
  void aRankThatComesAfterwardsIsToldAtOnce(String comingTo) {
    CountDownLatch failed = new CountDownLatch(1);
    Map<Integer, Throwable> seen = new ConcurrentHashMap<>();
    assertThatThrownBy(() ->
            ranks.run(
                3,
                ThreadOptions.DEFAULT,
                clock,
                world -> {
                  if (world.rank() == 2) {
                    try {
                      world.abort(new IllegalStateException("no more rows"));
                    } finally {
                      failed.countDown();
                    }
                  }
                  failed.await();
                  try {
                    wait(world, comingTo, failed);
                  } catch (RankFailedException e) {
                    seen.put(world.rank(), e);
                  }
                }))
        .hasMessage("rank 2 of 3 failed: java.lang.IllegalStateException: no more rows");
    assertThat(seen).containsOnlyKeys(0, 1);
    assertThat(seen.values())
        .allSatisfy(e -> assertThat(e).hasMessageStartingWith("rank 2 of 3 failed"));
  }

  @Tag("slow")
  @Test
  void aRankThatNeitherCallsNorEndsIsLeftBehind() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Map<Integer, Thread> threads = new ConcurrentHashMap<>();
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  threads.put(world.rank(), Thread.currentThread());
                  if (world.rank() == 0) {
                    begun.await();
                    world.abort(new IllegalStateException("no more rows"));
                  }
                  begun.countDown();
                  while (released.getCount() > 0) {
                    try {
                      released.await();
                    } catch (InterruptedException e) {
                      interrupted.countDown();
                    }
                  }
                }))
        .hasMessage("rank 0 of 2 failed: java.lang.IllegalStateException: no more rows");
    Thread left = Objects.requireNonNull(threads.get(1));
    interrupted.await();
    assertThat(left.isAlive()).isTrue();
    assertThat(left.isDaemon()).isTrue();
    released.countDown();
    left.join();
  }

  private static void wait(Communicator world, String where, CountDownLatch never)
      throws InterruptedException {
    MemorySegment segment = Arena.ofAuto().allocate(8);
    switch (where) {
      case "all-reduce" -> world.allReduce(segment, Element.FLOAT, Reduction.SUM);
      case "receive" -> world.receive(2, 0, segment);
      case "send" -> world.send(2, 0, segment);
      case "barrier" -> world.barrier();
      default -> never.await();
    }
  }

  @Test
  void aRankThatGivesUpEndsTheOthers() {
    assertThatThrownBy(() ->
            ThreadRanks.run(
                3,
                world -> {
                  if (world.rank() == 1) {
                    world.abort(new IllegalStateException("out of patience"));
                  }
                  world.barrier();
                }))
        .hasMessage("rank 1 of 3 failed: java.lang.IllegalStateException: out of patience");
  }

  /// Moves the clock on once the other ranks wait, and sees the run end.
  private void loseThePatienceOf(List<Integer> others, Communicator world) {
    others.forEach(ranks::awaitParked);
    clock.advance(Duration.ofMillis(300).toNanos() + 1);
    Request never = world.beginReceive(0, 77, Arena.ofAuto().allocate(1));
    while (!never.test()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aRankThatWaitsTooLongEndsAllAndNamesTheMissing() {
    assertThatThrownBy(() ->
            ranks.run(
                3,
                IMPATIENT,
                clock,
                world -> {
                  if (world.rank() == 2) {
                    loseThePatienceOf(List.of(0, 1), world);
                  }
                  world.allReduce(Arena.ofAuto().allocate(64), Element.LONG, Reduction.MAX);
                }))
        .isInstanceOf(RankFailedException.class)
        .hasMessageMatching(
            ".*: rank [01] waited 0[.,]3 s in all-reduce of 64 bytes .*\\(collective number 1\\) for rank 2");
  }

  @Test
  void awaitAnyIsBoundedToo() {
    assertThatThrownBy(() ->
            ranks.run(
                2,
                IMPATIENT,
                clock,
                world -> {
                  if (world.rank() == 1) {
                    loseThePatienceOf(List.of(0), world);
                  }
                  Request.awaitAny(
                      List.of(
                          world.beginReceive(1, 0, Arena.ofAuto().allocate(1)),
                          world.beginReceive(1, 1, Arena.ofAuto().allocate(1))));
                }))
        .hasMessageContaining("message with tag 0 from rank 1 to rank 0 for rank 1");
  }

  @Test
  void aRankThatHasEndedIsNotWaitedFor() {
    assertThatThrownBy(() ->
            ThreadRanks.run(
                3,
                world -> {
                  if (world.rank() != 1) {
                    world.barrier();
                  }
                }))
        .hasMessageContaining("rank 1 has ended, but rank")
        .hasMessageContaining("waits for it in barrier");
  }

  @Test
  void differentOperationsAreFound() {
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  MemorySegment segment = Arena.ofAuto().allocate(64);
                  world.barrier();
                  if (world.rank() == 0) {
                    world.allReduce(segment, Element.FLOAT, Reduction.SUM);
                  } else {
                    world.broadcast(0, segment);
                  }
                }))
        .hasMessageContaining("ranks disagree in their collective number 2")
        .hasMessageContaining("rank 0 called all-reduce of 64 bytes (sum of floats)")
        .hasMessageContaining("rank 1 called broadcast of 64 bytes from rank 0");
  }

  @Test
  void differentSizesAreFound() {
    assertThatThrownBy(() ->
            ThreadRanks.run(
                3,
                world ->
                    world.allReduce(
                        Arena.ofAuto().allocate(world.rank() == 2 ? 16 : 8),
                        Element.DOUBLE,
                        Reduction.SUM)))
        .hasMessageContaining("rank 2 called all-reduce of 16 bytes")
        .hasMessageContaining("called all-reduce of 8 bytes");
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  PeerBlocks sends = PeerBlocks.packed(0, world.rank() == 0 ? 5 : 0);
                  PeerBlocks receives = PeerBlocks.packed(world.rank() == 1 ? 6 : 0, 0);
                  world.allToAllV(
                      Arena.ofAuto().allocate(5), sends, Arena.ofAuto().allocate(6), receives);
                }))
        .hasMessageContaining("rank 0 sends 5 bytes to rank 1, which expects 6");
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  MemorySegment segment = Arena.ofAuto().allocate(4 + world.rank());
                  if (world.rank() == 0) {
                    world.send(1, 9, segment);
                  } else {
                    world.receive(0, 9, segment);
                  }
                }))
        .hasMessageContaining("rank 0 sent 4 bytes with tag 9 to rank 1, which expected 5");
  }

  @Test
  void ranksWithNothingForEachOtherDoNotWait() {
    CountDownLatch done = new CountDownLatch(2);
    ThreadRanks.run(
        3,
        world -> {
          if (world.rank() == 2) {
            done.await();
          }
          long[] counts = new long[3];
          if (world.rank() < 2) {
            counts[1 - world.rank()] = 8;
          }
          PeerBlocks blocks = PeerBlocks.packed(counts);
          world.allToAllV(Arena.ofAuto().allocate(8), blocks, Arena.ofAuto().allocate(8), blocks);
          done.countDown();
        });
    assertThat(done.getCount()).isZero();
  }

  @Test
  void aReceiverThatComputesHoldsNobodyUp() {
    CountDownLatch sent = new CountDownLatch(1);
    ThreadRanks.run(
        2,
        world -> {
          MemorySegment segment = Arena.ofAuto().allocate(8);
          if (world.rank() == 0) {
            Request receive = world.beginReceive(1, 0, segment);
            sent.await();
            assertThat(receive.test()).isTrue();
            assertThat(segment.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
          } else {
            segment.set(ValueLayout.JAVA_LONG, 0, 77);
            world.send(0, 0, segment);
            sent.countDown();
          }
        });
    assertThat(sent.getCount()).isZero();
  }

  /// All ranks have come here; then the clock moves on, and all see it.
  private CyclicBarrier moving(int size, long nanos) {
    return new CyclicBarrier(size, () -> clock.advance(nanos));
  }

  @Test
  void aLinkWorksWhileItsRankDoesNot() throws InterruptedException {
    CyclicBarrier together = new CyclicBarrier(2);
    CyclicBarrier almost = moving(2, 39_999_999);
    CyclicBarrier justThen = moving(2, 1);
    CyclicBarrier muchLater = moving(2, 1_000_000_000);
    ranks.run(
        2,
        ThreadOptions.DEFAULT.withLink(new Link(20e-3, 0)),
        clock,
        world -> {
          MemorySegment segment = Arena.ofAuto().allocate(64);
          long begin = clock.getAsLong();
          Request request = world.beginAllReduce(segment, Element.LONG, Reduction.SUM);
          together.await();
          assertThat(request.test()).isFalse();
          together.await();
          // Two messages, one after the other.
          almost.await();
          assertThat(request.test()).isFalse();
          justThen.await();
          assertThat(request.test()).isTrue();
          assertThat(request.completedNanos()).isEqualTo(begin + 40_000_000);
          together.await();
          Request second = world.beginAllReduce(segment, Element.LONG, Reduction.SUM);
          muchLater.await();
          if (world.rank() == 0) {
            assertThat(second.test()).isTrue();
          }
          together.await();
          second.await();
          // The link was done long before, but the sum was not: the first to ask did it.
          assertThat(second.completedNanos()).isEqualTo(begin + 1_040_000_000);
        });
  }

  @Test
  void whoWaitsForALinkWaitsUntilItHasCarriedAll() throws InterruptedException {
    AtomicBoolean ready = new AtomicBoolean();
    ranks.run(
        2,
        ThreadOptions.DEFAULT.withLink(new Link(20e-3, 0)),
        clock,
        world -> {
          MemorySegment segment = Arena.ofAuto().allocate(8);
          if (world.rank() == 0) {
            world.receive(1, 0, segment);
            assertThat(ready.get()).isTrue();
          } else {
            Request sent = world.beginSend(0, 0, segment);
            ranks.awaitParked(0);
            clock.advance(19_999_999);
            ranks.awaitParked(0);
            assertThat(sent.test()).isFalse();
            ready.set(true);
            clock.advance(1);
            sent.await();
          }
        });
  }

  @Test
  void ranksThatSendToOneAtOnceShareItsLink() throws InterruptedException {
    CyclicBarrier thirtyMillis = moving(4, 30_000_000);
    Map<Integer, Long> carried = new ConcurrentHashMap<>();
    ranks.run(
        4,
        ThreadOptions.DEFAULT.withLink(new Link(10e-3, 0)),
        clock,
        world -> {
          PeerBlocks none = PeerBlocks.shared(4, 0);
          PeerBlocks toFirst = PeerBlocks.single(4, 0, 8);
          PeerBlocks fromOthers = PeerBlocks.packed(0, 8, 8, 8);
          MemorySegment memory = Arena.ofAuto().allocate(64);
          Request exchange =
              world.rank() == 0
                  ? world.beginAllToAllV(memory, none, memory, fromOthers)
                  : world.beginAllToAllV(memory, toFirst, memory, none);
          assertThat(exchange.test()).isFalse();
          thirtyMillis.await();
          // A sender may be at the copying.
          exchange.await();
          carried.put(world.rank(), exchange.completedNanos() - StandingClock.BEGIN);
        });
    assertThat(carried).containsEntry(0, 30_000_000L);
    assertThat(carried.values())
        .containsExactlyInAnyOrder(30_000_000L, 10_000_000L, 20_000_000L, 30_000_000L);
  }

  @Test
  void offsetsMayExceedThirtyTwoBits(@TempDir Path folder) throws Exception {
    long far = 5L << 30;
    Path file = folder.resolve("sparse");
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment map = channel.map(FileChannel.MapMode.READ_WRITE, 0, far + 100, arena);
      map.set(ValueLayout.JAVA_BYTE, far + 7, (byte) 42);
      ThreadRanks.run(
          2,
          world -> {
            MemorySegment receive = arena.allocate(10);
            int other = 1 - world.rank();
            PeerBlocks sends = PeerBlocks.of(new long[] {far, far}, new long[] {10, 10});
            PeerBlocks receives = PeerBlocks.single(2, other, 10);
            PeerBlocks mine = PeerBlocks.of(new long[] {far, far}, counts(other, 10));
            assertThat(sends.end()).isEqualTo(far + 10);
            world.allToAllV(map, mine, receive, receives);
            assertThat(receive.get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 42);
            assertThat(world.traffic().snapshot().totalBytes()).isEqualTo(10);
          });
    }
  }

  private static long[] counts(int peer, long bytes) {
    long[] counts = new long[2];
    counts[peer] = bytes;
    return counts;
  }

  @Test
  void wrongSizesAreRefused() {
    assertThatThrownBy(() -> ThreadRanks.run(0, world -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ranks: expected at least 1, found 0");
    assertThatThrownBy(() -> ThreadOptions.DEFAULT.withTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
