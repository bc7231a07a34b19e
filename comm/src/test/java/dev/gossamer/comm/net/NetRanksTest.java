package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.comm.net.MeetingPoint.Outcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// How runs end, well or not, in the clear and encrypted.
@Timeout(120)
@ParameterizedClass
@MethodSource("bothOptions")
class NetRanksTest {
  private final NetOptions options;

  NetRanksTest(NetOptions options) {
    this.options = options;
  }

  static List<NetOptions> bothOptions() {
    return List.of(MeetingPoint.OPTIONS, MeetingPoint.OPTIONS.withEncryption());
  }

  private static void assertAllNamed(List<Outcome> outcomes, int rank, String words) {
    assertThat(outcomes)
        .allSatisfy(outcome ->
            assertThat(outcome.failure())
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank %d of %d failed: ".formatted(rank, outcomes.size()))
                .hasMessageContaining(words)
                .hasMessageNotContaining("\n"));
  }

  @Test
  void aRankThatThrowsEndsAllRanks() throws Exception {
    IllegalStateException thrown = new IllegalStateException("no more rows");
    List<Outcome> outcomes =
        MeetingPoint.run(
            3,
            options,
            world -> {
              world.barrier();
              if (world.rank() == 1) {
                throw thrown;
              }
              world.barrier();
            });
    assertAllNamed(outcomes, 1, "failed: java.lang.IllegalStateException: no more rows");
    assertThat(outcomes.get(1).failure()).hasCause(thrown);
  }

  /// It is in the middle of a message that takes its time, and hears of it all the same.
  @Test
  void aRankThatComputesLearnsOfAFailureFromItsNextOperation() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              if (world.rank() == 1) {
                Request large = world.beginSend(0, 1, Arena.ofAuto().allocate(64 << 20));
                assertThat(large.test()).isFalse();
                failed.countDown();
                throw new IllegalStateException("no more rows");
              }
              failed.await();
              world.barrier();
            });
    assertAllNamed(outcomes, 1, "no more rows");
  }

  static Stream<RuntimeException> failuresOfAll() {
    return Stream.of(
        new InvalidInputException("data: no such folder"),
        new TrainingFailedException("epoch 2: the loss is NaN"));
  }

  @ParameterizedTest
  @MethodSource("failuresOfAll")
  void whatIsNoFailureOfARankIsTheSameOnAll(RuntimeException failure) throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              if (world.rank() == 1) {
                throw failure;
              }
              world.barrier();
            });
    assertThat(outcomes)
        .allSatisfy(outcome ->
            assertThat(outcome.failure())
                .hasCauseInstanceOf(failure.getClass())
                .cause()
                .hasMessage(failure.getMessage()));
  }

  /// The receiver sees it of a short message, the sender of a long one.
  @ParameterizedTest
  @CsvSource({"99, 100, 0", "99999, 100000, 1"})
  void sidesThatDisagreeAboutAMessageAreNamed(long sent, long expected, int seenBy)
      throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              if (world.rank() == 1) {
                world.send(0, 5, Arena.ofAuto().allocate(sent));
              } else {
                world.receive(1, 5, Arena.ofAuto().allocate(expected));
              }
              world.barrier();
            });
    assertAllNamed(
        outcomes,
        seenBy,
        "send: rank 1 sends %d bytes with tag 5 to rank 0, which expects %d"
            .formatted(sent, expected));
  }

  /// More than the receiver keeps: the rest waits for it.
  @Test
  void shortMessagesWaitForAReceiverThatIsLate() throws Exception {
    int count = 10_000;
    CountDownLatch allBegun = new CountDownLatch(1);
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              MemorySegment numbers = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, count);
              if (world.rank() == 1) {
                List<Request> sends = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                  numbers.setAtIndex(ValueLayout.JAVA_LONG, i, i);
                  sends.add(world.beginSend(0, i % 7, numbers.asSlice(8L * i, 8)));
                }
                assertThat(sends.getLast().test()).isFalse();
                allBegun.countDown();
                Request.awaitAll(sends);
              } else {
                allBegun.await();
                for (int i = 0; i < count; i++) {
                  world.receive(1, i % 7, numbers.asSlice(8L * i, 8));
                  assertThat(numbers.getAtIndex(ValueLayout.JAVA_LONG, i)).isEqualTo(i);
                }
              }
            });
    assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.failure()).isNull());
  }

  @Test
  void ranksThatCallOtherCollectivesAreNamed() throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              MemorySegment sum = Arena.ofAuto().allocate(8);
              if (world.rank() == 1) {
                world.allToAll(sum, Arena.ofAuto().allocate(8));
              } else {
                world.allReduce(sum, Element.LONG, Reduction.SUM);
              }
            });
    assertThat(outcomes)
        .allSatisfy(outcome ->
            assertThat(outcome.failure())
                .hasMessageContaining("ranks disagree: rank ")
                .hasMessageContaining(" called all-to-all"));
  }

  /// The others wait for it in what it does not call.
  @Test
  void aRankThatEndsEarlyIsNamed() throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              if (world.rank() == 0) {
                world.allReduce(Arena.ofAuto().allocate(8), Element.LONG, Reduction.SUM);
              }
            });
    assertThat(outcomes)
        .allSatisfy(outcome ->
            assertThat(outcome.failure())
                .hasMessageContaining("ranks disagree")
                .hasMessageContaining("rank 1 called barrier"));
  }

  @Test
  void aRankThatDoesNotComeIsNamed() throws Exception {
    CountDownLatch missed = new CountDownLatch(1);
    List<Outcome> outcomes =
        MeetingPoint.run(
            3,
            options.withTimeout(Duration.ofMillis(200)),
            world -> {
              if (world.rank() == 2) {
                missed.await();
              }
              try {
                world.barrier();
              } finally {
                missed.countDown();
              }
            });
    assertThat(outcomes)
        .allSatisfy(outcome ->
            assertThat(outcome.failure())
                .hasMessageMatching(
                    "rank [01] of 3 failed: .*rank [01] waited \\d+\\.\\d s in barrier for rank 2"));
  }

  @Test
  void aRankThatIsInterruptedEndsAll() throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              if (world.rank() == 1) {
                Thread.currentThread().interrupt();
              }
              world.receive(1 - world.rank(), 0, Arena.ofAuto().allocate(8));
            });
    assertAllNamed(outcomes, 1, "interrupted in ");
  }

  @Test
  void memoryThatIsClosedWhileAMessageIsPendingIsNamed() throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              Arena arena = Arena.ofShared();
              Request request = world.beginReceive(1 - world.rank(), 5, arena.allocate(100));
              arena.close();
              request.await();
            });
    assertThat(outcomes)
        .allSatisfy(outcome ->
            assertThat(outcome.failure())
                .hasMessageContaining("java.lang.IllegalStateException: Already closed"));
  }

  @Test
  void abortEndsAllRanks() throws Exception {
    List<Outcome> outcomes =
        MeetingPoint.run(
            2,
            options,
            world -> {
              if (world.rank() == 0) {
                world.abort(new IllegalStateException("enough"));
              }
              world.barrier();
            });
    assertAllNamed(outcomes, 0, "enough");
  }

  /// Longer than any chunk and than what sockets hold, in both directions at once, while shorter
  /// messages pass it.
  @Tag("slow")
  @Test
  void shortMessagesPassALongOne() throws Exception {
    long bytes = (24L << 20) + 5;
    List<Outcome> outcomes =
        MeetingPoint.run(2, options, world -> exchangeLongAndShort(world, bytes));
    assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.failure()).isNull());
  }

  private static void exchangeLongAndShort(Communicator world, long bytes) {
    int peer = 1 - world.rank();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment send = arena.allocate(bytes);
      MemorySegment receive = arena.allocate(bytes);
      for (long i = 0; i < bytes; i += 4096) {
        send.set(ValueLayout.JAVA_BYTE, i, (byte) (i / 4096 * 31 + world.rank()));
      }
      Request arriving = world.beginReceive(peer, 1, receive);
      Request leaving = world.beginSend(peer, 1, send);
      MemorySegment number = arena.allocate(8);
      for (int i = 0; i < 100; i++) {
        number.set(ValueLayout.JAVA_LONG, 0, i);
        world.allReduce(number, Element.LONG, Reduction.SUM);
        assertThat(number.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2L * i);
      }
      arriving.await();
      leaving.await();
      for (long i = 0; i < bytes; i += 4096) {
        assertThat(receive.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) (i / 4096 * 31 + peer));
      }
    }
  }

  @Test
  void addressesThatCannotBeGatheredAreNoRun() {
    assertThatThrownBy(() -> NetRanks.run(0, 2, List::of, options, world -> {}))
        .isInstanceOf(CommunicationException.class)
        .hasMessage("ranks: expected the addresses of 2 ranks, found 1");
    assertThatThrownBy(() -> NetRanks.run(2, 2, List::of, options, world -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("found rank 2 of 2");
    Gathering nonsense = line -> List.of(line, "somewhere");
    assertThatThrownBy(() -> NetRanks.run(0, 2, nonsense, options, world -> {}))
        .hasMessage("ranks: expected HOST PORT TOKEN encrypted|clear of a rank, found 'somewhere'");
  }

  @Tag("slow")
  @Test
  void ranksThatDoNotConnectAreNamed() {
    Gathering deserted = line -> List.of(line, line, line);
    assertThatThrownBy(() ->
            NetRanks.run(0, 3, deserted, options.withAssembly(Duration.ofSeconds(1)), world -> {}))
        .hasMessage("rank 0 waited 1 s for rank 1, rank 2 to connect");
  }
}
