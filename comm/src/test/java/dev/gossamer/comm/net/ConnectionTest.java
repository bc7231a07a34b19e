package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.Operation;
import dev.gossamer.comm.RankFailedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A rank whose other side vanishes, or says what it must not.
@Timeout(120)
class ConnectionTest {
  /// What the other side does once it is let in.
  @FunctionalInterface
  private interface Behaviour {
    void of(RawPeer peer) throws IOException;
  }

  /// Rank 0 of 2 receives 100,000 bytes from a peer that behaves badly.
  private static void assertFails(Behaviour behaviour, NetOptions options, String words) {
    Thread[] other = new Thread[1];
    Gathering both =
        line -> {
          other[0] =
              Thread.ofVirtual()
                  .start(() -> {
                    try (RawPeer peer = RawPeer.admitted(line)) {
                      behaviour.of(peer);
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
          return List.of(line, RawPeer.LINE);
        };
    assertThatThrownBy(() ->
            NetRanks.run(
                0,
                2,
                both,
                options,
                world -> world.receive(1, 3, Arena.ofAuto().allocate(100_000))))
        .isInstanceOf(RankFailedException.class)
        .hasMessageStartingWith("rank 1 of 2 failed: ")
        .hasMessageContaining(words)
        .hasMessageNotContaining("\n");
  }

  private static void assertFails(Behaviour behaviour, String words) {
    assertFails(behaviour, MeetingPoint.OPTIONS, words);
  }

  @Test
  void aConnectionThatEndsIsALostRank() {
    assertFails(peer -> {}, "the connection to it has broken: ");
  }

  @Test
  void soIsOneThatEndsInAMessage() {
    assertFails(
        peer -> peer.say(RawPeer.message(3, 100_000)).say(new byte[99_999]),
        "the connection to it has broken: ");
  }

  /// Its process stands still, or its host is gone.
  @Test
  void aRankWithoutASignOfLifeIsLost() {
    assertFails(
        RawPeer::listen,
        MeetingPoint.OPTIONS.withPatience(Duration.ofMillis(100)),
        "no sign of life from it for 0 s");
  }

  @Test
  void framesThatMakeNoSenseEndTheRun() {
    String broken = "the connection to it has broken: expected another frame, found ";
    assertFails(peer -> peer.say(new byte[] {99}).say(new byte[23]), broken + "one of kind 99");
    assertFails(
        peer -> peer.say(RawPeer.message(4, 100_000)).listen(),
        broken + "a message that nobody receives");
    assertFails(
        peer -> peer.say(RawPeer.message(3, 99_999)).listen(),
        broken + "a message that nobody receives");
    Frame.Key key = new Frame.Key(0, 3);
    assertFails(
        peer -> peer.say(new Frame(Frame.Kind.SHORT, key, Operation.SEND, 4097)).listen(),
        broken + "a short message of 4097 bytes");
    assertFails(
        peer -> peer.say(Frame.of(Frame.Kind.MORE, 0)).listen(),
        broken + "more of a message that has not begun");
    assertFails(
        peer -> peer.say(Frame.of(Frame.Kind.FAILED, 1 << 20)).listen(),
        broken + "a failure of 1048576 bytes");
  }

  private static byte[] told(Failure failure) {
    ByteBuffer told = ByteBuffer.allocate(1000);
    failure.put(told);
    byte[] bytes = new byte[told.flip().remaining()];
    told.get(bytes);
    return bytes;
  }

  @Test
  void aFailureIsToldByAnotherRank() {
    byte[] bytes =
        told(new Failure(1, Failure.Kind.RANK, "java.lang.IllegalStateException: no more rows"));
    assertFails(
        peer -> {
          for (byte each : bytes) {
            peer.say(new byte[] {each});
          }
          peer.listen();
        },
        "java.lang.IllegalStateException: no more rows");
  }

  @Test
  void aFailureOfNoKnownKindIsRefused() {
    String words = "no more rows";
    byte[] bytes = told(new Failure(1, Failure.Kind.RANK, words));
    bytes[bytes.length - words.length() - 1] = 3;
    assertFails(
        peer -> peer.say(bytes).listen(),
        "the connection to it has broken: expected another frame, found a failure of kind 3");
  }
}
