package dev.gossamer.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What only ranks that are threads can promise: names, failures, timeouts, the link's clock.
@Timeout(30)
class ThreadRanksTest {
  private static final ThreadOptions IMPATIENT =
      ThreadOptions.DEFAULT.withTimeout(Duration.ofMillis(300));

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
    assertThatThrownBy(
            () -> ThreadRanks.run(4, ThreadOptions.DEFAULT, Communicator::barrier, scarce))
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
            ThreadRanks.run(
                4,
                world -> {
                  if (world.rank() == 2) {
                    Thread.sleep(50);
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
    if (!waitingIn.equals("compute")) {
      assertThat(seen.values())
          .allSatisfy(e -> assertThat(e).hasMessageStartingWith("rank 2 of 4 failed"));
    }
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

  @Test
  void aRankThatWaitsTooLongEndsAllAndNamesTheMissing() {
    CountDownLatch never = new CountDownLatch(1);
    assertThatThrownBy(() ->
            ThreadRanks.run(
                3,
                IMPATIENT,
                world -> {
                  if (world.rank() == 2) {
                    never.await();
                  }
                  world.allReduce(Arena.ofAuto().allocate(64), Element.LONG, Reduction.MAX);
                }))
        .isInstanceOf(RankFailedException.class)
        .hasMessageMatching(
            ".*: rank [01] waited .* s in all-reduce of 64 bytes .*\\(collective number 1\\) for( rank [01],)? rank 2");
  }

  @Test
  void awaitAnyIsBoundedToo() {
    CountDownLatch never = new CountDownLatch(1);
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                IMPATIENT,
                world -> {
                  if (world.rank() == 1) {
                    never.await();
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

  @Test
  void aLinkWorksWhileItsRankDoesNot() {
    Link link = new Link(20e-3, 0);
    CountDownLatch tested = new CountDownLatch(1);
    ThreadRanks.run(
        2,
        ThreadOptions.DEFAULT.withLink(link),
        world -> {
          MemorySegment segment = Arena.ofAuto().allocate(64);
          long begin = System.nanoTime();
          Request request = world.beginAllReduce(segment, Element.LONG, Reduction.SUM);
          // Two messages, one after the other, whenever the other rank comes.
          assertThat(request.test() && System.nanoTime() - begin < 40_000_000).isFalse();
          request.await();
          assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(40_000_000);
          world.barrier();
          Request second = world.beginAllReduce(segment, Element.LONG, Reduction.SUM);
          MemorySegment token = Arena.ofAuto().allocate(1);
          Request send = world.beginSend(1 - world.rank(), 0, token);
          world.receive(1 - world.rank(), 0, Arena.ofAuto().allocate(1));
          send.await();
          if (world.rank() == 0) {
            Thread.sleep(60);
            assertThat(second.test()).isTrue();
            tested.countDown();
          }
          tested.await();
          second.await();
        });
  }

  @Test
  void ranksThatSendToOneAtOnceShareItsLink() {
    long begin = System.nanoTime();
    ThreadRanks.run(
        4,
        ThreadOptions.DEFAULT.withLink(new Link(10e-3, 0)),
        world -> {
          PeerBlocks none = PeerBlocks.shared(4, 0);
          PeerBlocks toFirst = PeerBlocks.single(4, 0, 8);
          PeerBlocks fromOthers = PeerBlocks.packed(0, 8, 8, 8);
          MemorySegment memory = Arena.ofAuto().allocate(64);
          Request exchange =
              world.rank() == 0
                  ? world.beginAllToAllV(memory, none, memory, fromOthers)
                  : world.beginAllToAllV(memory, toFirst, memory, none);
          exchange.await();
          if (world.rank() == 0) {
            assertThat(exchange.completedNanos() - begin).isGreaterThanOrEqualTo(30_000_000);
          }
        });
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
