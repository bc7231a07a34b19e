package dev.gossamer.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.trace.Interval;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.comm.threads.WatchedRanks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.LongAdder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a rank's timeline shows of its communication.
@Timeout(120)
class PassageTest {
  private static final String EXCHANGE = "dev.gossamer.Exchange";

  private static Timeline recording(Communicator world) {
    Timeline timeline = new Timeline(1, 1000);
    timeline.beginEpoch(1);
    world.traffic().drawOn(timeline);
    return timeline;
  }

  private static List<Interval.Transfer> transfers(Timeline timeline) {
    return timeline.intervals().stream().map(Interval.Transfer.class::cast).toList();
  }

  @Test
  void everyCountedByteIsDrawnOnce() {
    ThreadRanks.run(
        3,
        world -> {
          Timeline timeline = recording(world);
          try (Arena arena = Arena.ofShared();
              Communicator part = world.split(world.rank() / 2, 0)) {
            MemorySegment a = arena.allocate(600, 8);
            MemorySegment b = arena.allocate(600, 8);
            world.broadcast(1, a.asSlice(0, 88));
            world.allReduce(a.asSlice(0, 40), Element.FLOAT, Reduction.SUM);
            world.reduceScatter(a, b.asSlice(0, 200), Element.FLOAT, Reduction.SUM);
            world.allGather(a.asSlice(0, 100), b.asSlice(0, 300));
            world.allToAll(a, b);
            world.barrier();
            Request sum = part.beginAllReduce(b.asSlice(0, 16), Element.LONG, Reduction.MAX);
            Request from = world.beginReceive((world.rank() + 2) % 3, 4, b.asSlice(100, 24));
            world.send((world.rank() + 1) % 3, 4, a.asSlice(100, 24));
            Request.awaitAll(List.of(from, sum));
          }
          List<Interval.Transfer> drawn = transfers(timeline);
          assertThat(drawn.stream().map(Interval.Transfer::operation))
              .containsExactlyInAnyOrder(
                  "broadcast",
                  "all-reduce",
                  "reduce-scatter",
                  "all-gather",
                  "all-to-all",
                  "barrier",
                  "all-reduce",
                  "send",
                  "receive");
          assertThat(drawn.stream().mapToLong(Interval.Transfer::bytesSent).sum())
              .isEqualTo(world.traffic().snapshot().totalBytes());
          Interval.Transfer received =
              drawn.stream().filter(t -> t.operation().equals("receive")).findFirst().orElseThrow();
          assertThat(received.bytesReceived()).isEqualTo(24);
          assertThat(received.peers()).containsExactly((world.rank() + 2) % 3);
        });
  }

  @Test
  void aFlightRecorderShowsEveryCountedByte(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("exchanges.jfr");
    LongAdder counted = new LongAdder();
    try (Recording recording = new Recording()) {
      recording.enable(EXCHANGE).withoutThreshold();
      recording.start();
      ThreadRanks.run(
          3,
          world -> {
            try (Arena arena = Arena.ofShared()) {
              MemorySegment a = arena.allocate(600, 8);
              MemorySegment b = arena.allocate(600, 8);
              world.beginAllReduce(a.asSlice(0, 40), Element.FLOAT, Reduction.SUM).await();
              world.allToAll(a, b);
              Request from = world.beginReceive((world.rank() + 2) % 3, 4, b.asSlice(100, 24));
              world.send((world.rank() + 1) % 3, 4, a.asSlice(100, 24));
              from.await();
            }
            counted.add(world.traffic().snapshot().totalBytes());
          });
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals(EXCHANGE))
            .toList();
    assertThat(events.stream().map(event -> event.getString("operation")))
        .containsOnly("all-reduce", "all-to-all", "send", "receive")
        .hasSize(12);
    assertThat(events.stream().mapToLong(event -> event.getLong("sent")).sum())
        .isEqualTo(counted.sum());
    assertThat(events.stream().mapToLong(event -> event.getLong("received")).sum()).isPositive();
  }

  @Test
  void aTransferEndsWhenTheLinkHasCarriedItAndNotWhenSomebodyAsks() throws InterruptedException {
    StandingClock clock = new StandingClock();
    long begin = StandingClock.BEGIN;
    CyclicBarrier asked = new CyclicBarrier(2, () -> clock.advance(1_000_000));
    new WatchedRanks()
        .run(
            2,
            ThreadOptions.DEFAULT.withLink(Link.parse("50us,0")),
            clock,
            world -> {
              Timeline timeline = recording(world);
              int rank = world.rank();
              try (Arena arena = Arena.ofShared()) {
                MemorySegment segment = arena.allocate(64);
                PeerBlocks blocks = PeerBlocks.uniform(2, 32);
                Request exchange =
                    world.beginAllToAllV(segment, blocks, arena.allocate(64), blocks);
                Request message =
                    rank == 0
                        ? world.beginSend(1, 3, segment)
                        : world.beginReceive(0, 3, arena.allocate(64));
                asked.await();
                Request.awaitAll(List.of(exchange, message));
                assertThat(exchange.completedNanos()).isEqualTo(begin + 50_000);
                // The message queues behind the block on both links.
                assertThat(message.completedNanos()).isEqualTo(begin + 100_000);
                assertThat(transfers(timeline))
                    .containsExactly(
                        drawn("all-to-all", begin + 50_000, 1 - rank, 32, 32),
                        rank == 0
                            ? drawn("send", begin + 100_000, 1, 64, 0)
                            : drawn("receive", begin + 100_000, 0, 0, 64));
              }
            });
  }

  private static Interval.Transfer drawn(
      String operation, long end, int peer, long sent, long received) {
    return new Interval.Transfer(
        operation, operation, 1, StandingClock.BEGIN, end, List.of(peer), sent, received);
  }

  @Test
  void carriesTheNameOfTheComputationThatBeganIt() {
    ThreadRanks.run(
        2,
        world -> {
          Timeline timeline = recording(world);
          try (Arena arena = Arena.ofShared()) {
            timeline.begin("exchange", "gather rows", 10);
            Request request = world.beginBroadcast(0, arena.allocate(8));
            timeline.end(11);
            request.await();
            request.await();
            assertThat(request.test()).isTrue();
            world.barrier();
          }
          assertThat(timeline.intervals().stream().map(Interval::name))
              .containsExactly("gather rows", "gather rows", "barrier");
        });
  }

  @Test
  void nothingIsDrawnWithoutATimeline() {
    ThreadRanks.run(
        2,
        world -> {
          Timeline timeline = new Timeline(1, 1000);
          world.traffic().drawOn(timeline);
          world.barrier();
          assertThat(timeline.intervals()).isEmpty();
          assertThat(world.traffic().snapshot().totalMessages()).isEqualTo(1);
        });
  }

  @Test
  void ranksOfOneClockAgreeOnItUpToTheError() {
    ThreadRanks.run(
        4,
        world -> {
          ClockOffset offset = ClockOffset.agree(world);
          assertThat(Math.abs(offset.nanos())).isLessThanOrEqualTo(offset.errorNanos());
          if (world.rank() == 0) {
            assertThat(offset).isEqualTo(ClockOffset.NONE);
          } else {
            assertThat(offset.errorNanos()).isPositive();
          }
        });
  }
}
