package dev.gossamer.comm.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.net.MeetingPoint.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What somebody on the line between two ranks can learn and do.
@Timeout(120)
class EncryptedRanksTest {
  private static final NetOptions ENCRYPTED = MeetingPoint.OPTIONS.withEncryption();

  private static final Tap.Interference NONE = (_, piece, out) -> out.write(piece);

  /// What no other bytes look like.
  private static final String MARK = "the degree of vertex 17 is 4242.";

  private static List<Outcome> run(NetOptions options, Tap tap) throws Exception {
    return MeetingPoint.run(
        2,
        _ -> options,
        (rank, gathering) -> rank == 1 ? tap.before(gathering) : gathering,
        EncryptedRanksTest::exchange);
  }

  /// Short and long messages in both directions, full of marks.
  private static void exchange(Communicator world) {
    int peer = 1 - world.rank();
    try (Arena arena = Arena.ofShared()) {
      for (int marks : new int[] {1, 100, 10_000}) {
        byte[] text = MARK.repeat(marks).getBytes(ISO_8859_1);
        MemorySegment send = arena.allocate(text.length).copyFrom(MemorySegment.ofArray(text));
        MemorySegment receive = arena.allocate(text.length);
        var arriving = world.beginReceive(peer, 1, receive);
        world.send(peer, 1, send);
        arriving.await();
        assertThat(receive.mismatch(send)).isEqualTo(-1);
      }
    }
  }

  @Test
  void nothingThatIsSaidIsOnTheLine() throws Exception {
    try (Tap tap = new Tap(NONE)) {
      String[] token = new String[1];
      List<Outcome> outcomes =
          MeetingPoint.run(
              2,
              _ -> ENCRYPTED,
              (rank, gathering) -> {
                if (rank == 0) {
                  return line -> {
                    token[0] = new String(RawPeer.token(line).bytes(), ISO_8859_1);
                    return gathering.allGather(line);
                  };
                }
                return tap.before(gathering);
              },
              EncryptedRanksTest::exchange);
      assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.failure()).isNull());
      String recorded = tap.recorded();
      assertThat(recorded.length()).isGreaterThan(2 * 10_101 * MARK.length());
      assertThat(recorded.contains(MARK.substring(0, 8))).isFalse();
      assertThat(recorded.contains(token[0])).isFalse();
    }
  }

  /// The same tap hears ranks that do not encrypt.
  @Test
  void inTheClearItIs() throws Exception {
    try (Tap tap = Tap.ofClear()) {
      assertThat(run(MeetingPoint.OPTIONS, tap))
          .allSatisfy(outcome -> assertThat(outcome.failure()).isNull());
      assertThat(tap.recorded().contains(MARK.repeat(100))).isTrue();
    }
  }

  /// Rank 0 says what came; rank 1 hears that, or finds the connection closed.
  private static void assertRefused(Tap.Interference ofRecords, String words) throws Exception {
    try (Tap tap = new Tap(Tap.ofRecords(ofRecords))) {
      List<Outcome> outcomes = run(ENCRYPTED, tap);
      assertThat(outcomes)
          .allSatisfy(outcome ->
              assertThat(outcome.failure())
                  .isInstanceOf(RankFailedException.class)
                  .hasMessageContaining("the connection to it has broken: ")
                  .hasMessageNotContaining("\n"));
      assertThat(outcomes.getFirst().failure())
          .hasMessageStartingWith("rank 1 of 2 failed: ")
          .hasMessageContaining(words);
    }
  }

  private static String shut(int number) {
    return "broken: record %d was changed, lost or repeated on its way".formatted(number);
  }

  /// One bit of the length, of the text or of the tag.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 20, -1, -16})
  void aFlippedBitEndsTheRun(int at) throws Exception {
    for (int record : new int[] {0, 3}) {
      assertRefused(
          (number, piece, out) -> {
            if (number == record) {
              piece[at < 0 ? piece.length + at : at] ^= 1;
            }
            out.write(piece);
          },
          shut(record));
    }
  }

  @Test
  void aRecordThatIsMissingEndsTheRun() throws Exception {
    assertRefused(
        (number, piece, out) -> {
          if (number != 1) {
            out.write(piece);
          }
        },
        shut(1));
  }

  @Test
  void aRecordThatIsRepeatedEndsTheRun() throws Exception {
    assertRefused(
        (number, piece, out) -> {
          out.write(piece);
          if (number == 1) {
            out.write(piece);
          }
        },
        shut(2));
  }

  /// A sign of life follows within a second.
  @Test
  void recordsInAnotherOrderEndTheRun() throws Exception {
    List<byte[]> held = new ArrayList<>();
    assertRefused(
        (number, piece, out) -> {
          if (number == 0) {
            held.add(piece);
          } else {
            out.write(piece);
            writeAll(held, out);
          }
        },
        shut(0));
  }

  private static void writeAll(List<byte[]> pieces, OutputStream out) throws IOException {
    for (byte[] piece : pieces) {
      out.write(piece);
    }
    pieces.clear();
  }

  @Test
  void foreignRecordsEndTheRun() throws Exception {
    assertRefused(
        (number, piece, out) -> {
          if (number == 2) {
            byte[] garbage = new byte[piece.length - Short.BYTES];
            new Random(5).nextBytes(garbage);
            System.arraycopy(garbage, 0, piece, Short.BYTES, garbage.length);
          }
          out.write(piece);
        },
        shut(2));
  }

  /// Between records, or within one.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 30})
  void aStreamThatIsCutEndsTheRun(int rest) throws Exception {
    assertRefused(
        (number, piece, out) -> {
          if (number == 2) {
            out.write(Arrays.copyOf(piece, rest));
            out.close();
          }
          out.write(piece);
        },
        "the connection to it has broken: ");
  }
}
