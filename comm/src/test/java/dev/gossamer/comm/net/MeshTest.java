package dev.gossamer.comm.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.net.MeetingPoint.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who is let in.
@Timeout(120)
class MeshTest {
  /// Says something to the port of the first rank before the others come.
  @FunctionalInterface
  private interface Intruder {
    /// @param line of the first rank
    /// @return a connection that stays while the ranks run
    RawPeer come(String line) throws IOException;
  }

  /// Two ranks and an intruder at the first one's port, who comes before the second.
  private static RawPeer runBeside(Intruder intruder) throws Exception {
    return runBeside(MeetingPoint.OPTIONS, intruder);
  }

  private static RawPeer runBeside(NetOptions options, Intruder intruder) throws Exception {
    MeetingPoint point = new MeetingPoint(2);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<?> first =
          threads.submit(() -> NetRanks.run(0, 2, point.of(0), options, world -> world.barrier()));
      Callable<RawPeer> second =
          () -> {
            RawPeer[] come = new RawPeer[1];
            Gathering late =
                line -> {
                  List<String> lines = point.of(1).allGather(line);
                  come[0] = intruder.come(lines.getFirst());
                  return lines;
                };
            NetRanks.run(1, 2, late, options, world -> world.barrier());
            return come[0];
          };
      RawPeer peer = threads.submit(second).get();
      first.get();
      return peer;
    }
  }

  private static final Greeting GREETING = new Greeting(Greeting.VERSION, false, 1, 0, 2);
  private static final Greeting ENCRYPTED = new Greeting(Greeting.VERSION, true, 1, 0, 2);

  @Test
  void aWrongTokenIsRefusedWithoutAWord() throws Exception {
    try (RawPeer peer =
        runBeside(line -> {
          byte[] token = RawPeer.token(line).bytes();
          token[Token.BYTES - 1] ^= 1;
          return new RawPeer(line).say(GREETING, Token.of(token));
        })) {
      assertThat(peer.listen()).isZero();
    }
  }

  @Test
  void garbageIsRefused() throws Exception {
    try (RawPeer peer =
        runBeside(line ->
            new RawPeer(line)
                .say("GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n".getBytes(US_ASCII)))) {
      assertThat(peer.listen()).isZero();
    }
  }

  @Test
  void oneThatSaysNothingDelaysNobody() throws Exception {
    try (RawPeer peer = runBeside(RawPeer::new);
        RawPeer half =
            runBeside(line -> new RawPeer(line).say(Arrays.copyOf(GREETING.bytes(), 20)))) {
      assertThat(peer.listen()).isZero();
      assertThat(half.listen()).isZero();
    }
  }

  @Test
  void anotherVersionIsToldOursAndRefused() throws Exception {
    int[] told = new int[1];
    try (RawPeer peer =
        runBeside(line -> {
          Greeting later = new Greeting(Greeting.VERSION + 1, false, 1, 0, 2);
          RawPeer come = new RawPeer(line).say(later, RawPeer.token(line));
          told[0] = come.greeting().version();
          return come;
        })) {
      assertThat(told[0]).isEqualTo(Greeting.VERSION);
      assertThat(peer.listen()).isZero();
    }
  }

  @Test
  void ranksThatDoNotBelongHereAreRefused() throws Exception {
    for (int[] fromToSize : new int[][] {{1, 0, 3}, {1, 1, 2}, {0, 0, 2}, {2, 0, 2}, {-1, 0, 2}}) {
      try (RawPeer peer =
          runBeside(line ->
              new RawPeer(line)
                  .say(
                      new Greeting(
                          Greeting.VERSION, false, fromToSize[0], fromToSize[1], fromToSize[2]),
                      RawPeer.token(line)))) {
        assertThat(peer.listen()).isZero();
      }
    }
  }

  /// The first to come with the token is the rank.
  @Test
  void aRankComesOnce() {
    RawPeer[] come = new RawPeer[2];
    Gathering others =
        line -> {
          Greeting greeting = new Greeting(Greeting.VERSION, false, 1, 0, 3);
          Token token = RawPeer.token(line);
          Thread.ofVirtual()
              .start(() -> {
                try {
                  come[0] = new RawPeer(line).say(greeting, token);
                  come[0].greeting();
                  come[1] = new RawPeer(line).say(greeting, token);
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
          return List.of(line, RawPeer.LINE, RawPeer.LINE);
        };
    NetOptions soon = MeetingPoint.OPTIONS.withAssembly(Duration.ofSeconds(1));
    assertThatThrownBy(() -> NetRanks.run(0, 3, others, soon, world -> {}))
        .hasMessage("rank 0 waited 1 s for rank 2 to connect");
    // The answer to the second may leave while the first is let in.
    int answer = GREETING.bytes().length + Token.BYTES;
    assertThat(come[1]).satisfies(second -> assertThat(second.listen()).isIn(0, answer));
  }

  /// The last of three has told its address and ends before it has called the others, which would
  /// wait for it for minutes.
  @Test
  void aRankThatEndsBeforeItConnectsIsNamed() throws Exception {
    MeetingPoint point = new MeetingPoint(3);
    NetOptions patient = MeetingPoint.OPTIONS.withAssembly(Duration.ofHours(1));
    Gathering ending =
        line -> {
          point.of(2).allGather(line);
          throw new IllegalStateException("the end of rank 2");
        };
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<?>> others =
          IntStream.range(0, 2)
              .<Future<?>>mapToObj(rank ->
                  threads.submit(() -> NetRanks.run(rank, 3, point.of(rank), patient, world -> {})))
              .toList();
      assertThatThrownBy(() -> NetRanks.run(2, 3, ending, patient, world -> {}))
          .hasMessage("the end of rank 2");
      for (int rank = 0; rank < 2; rank++) {
        assertThatThrownBy(others.get(rank)::get)
            .hasMessageContaining(
                "rank %d waits for rank 2, which has ended: nobody answers at ", rank);
      }
    }
  }

  /// The second of two comes when it has been looked for.
  @Test
  void aRankThatIsLateIsWaitedFor() throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    CountDownLatch connected = new CountDownLatch(1);
    try (var port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ExecutorService threads = Executors.newFixedThreadPool(1)) {
      Gathering others =
          line -> {
            first.complete(line);
            return List.of(
                line,
                "127.0.0.1 %d %s clear".formatted(port.getLocalPort(), "0f".repeat(Token.BYTES)));
          };
      Future<?> run =
          threads.submit(() ->
              NetRanks.run(0, 2, others, MeetingPoint.OPTIONS, world -> connected.countDown()));
      try (var look = port.accept()) {
        assertThat(look.getInputStream().readAllBytes())
            .startsWith(new Greeting(Greeting.VERSION, false, 0, 1, 2).bytes())
            .endsWith(RawPeer.token(first.get()).bytes());
      }
      try (RawPeer late = new RawPeer(first.get()).say(GREETING, RawPeer.token(first.get()))) {
        assertThat(late.greeting()).isEqualTo(GREETING.answer());
        connected.await();
      }
      assertThatThrownBy(run::get).hasMessageContaining("rank 1 of 2 failed");
    }
  }

  /// A process of another version answers at the port of the first rank.
  @Test
  void anotherVersionIsNotJoined() throws Exception {
    try (var port = new ServerSocket(0);
        ExecutorService threads = Executors.newFixedThreadPool(1)) {
      String line =
          "127.0.0.1 %d %s clear".formatted(port.getLocalPort(), "0f".repeat(Token.BYTES));
      byte[] answer = new Greeting(7, false, 0, 1, 2).bytes();
      Future<byte[]> heard =
          threads.submit(() -> {
            try (var arrival = port.accept()) {
              arrival.getOutputStream().write(answer);
              return arrival.getInputStream().readAllBytes();
            }
          });
      assertThatThrownBy(() ->
              NetRanks.run(1, 2, own -> List.of(line, own), MeetingPoint.OPTIONS, world -> {}))
          .isInstanceOf(CommunicationException.class)
          .hasMessage(
              "rank 1 cannot reach rank 0 at 127.0.0.1:%d: it speaks version 7 of the protocol, this rank version 1; run the same Gossamer everywhere",
              port.getLocalPort());
      assertThat(heard.get()).hasSize(answer.length + Token.BYTES);
    }
  }

  @Test
  void aRankWhosePortIsClosedIsNamed() throws Exception {
    int closed;
    try (var port = new ServerSocket(0)) {
      closed = port.getLocalPort();
    }
    String line = "127.0.0.1 %d %s clear".formatted(closed, "00".repeat(Token.BYTES));
    assertThatThrownBy(
            () -> NetRanks.run(1, 2, own -> List.of(line, own), MeetingPoint.OPTIONS, world -> {}))
        .hasMessage("rank 1 cannot reach rank 0 at 127.0.0.1:%d: Connection refused", closed);
  }

  @Test
  void anAddressThatIsNotOfThisMachineIsNamed() {
    assertThatThrownBy(() ->
            NetRanks.run(0, 1, List::of, MeetingPoint.OPTIONS.withHost("192.0.2.1"), world -> {}))
        .isInstanceOf(CommunicationException.class)
        .hasMessageStartingWith("rank 0 of 1 has no port at 192.0.2.1: ");
  }

  /// No server is asked for a name with a bracket.
  @Test
  void aHostThatIsNotFoundIsNamed() {
    NetOptions unknown = MeetingPoint.OPTIONS.withHost("[nowhere");
    assertThatThrownBy(() -> NetRanks.run(0, 1, List::of, unknown, world -> {}))
        .isInstanceOf(CommunicationException.class)
        .hasMessageStartingWith("rank 0 of 1 has no port at [nowhere: ");
    String line = "[nowhere 7 %s clear".formatted("00".repeat(Token.BYTES));
    assertThatThrownBy(
            () -> NetRanks.run(1, 2, own -> List.of(line, own), MeetingPoint.OPTIONS, world -> {}))
        .isInstanceOf(CommunicationException.class)
        .hasMessageStartingWith("rank 1 cannot reach rank 0 at [nowhere:7: [nowhere: ");
  }

  @Test
  void ranksOfWhichOneDoesNotEncryptAreNamed() throws Exception {
    NetOptions clear = MeetingPoint.OPTIONS;
    NetOptions encrypted = clear.withEncryption();
    for (int[] differing : new int[][] {{0, 1}, {0, 2}, {1, 0}, {2, 0}}) {
      int encrypts = differing[0];
      int doesNot = differing[1];
      int alone = Math.max(encrypts, doesNot);
      boolean others = encrypts != alone;
      List<Outcome> outcomes =
          MeetingPoint.run(
              3,
              rank -> others == (rank != alone) ? encrypted : clear,
              (_, gathering) -> gathering,
              world -> {});
      assertThat(outcomes)
          .allSatisfy(outcome ->
              assertThat(outcome.failure())
                  .isInstanceOf(CommunicationException.class)
                  .hasMessage(
                      "ranks disagree: rank %d encrypts its connections but rank %d does not; give all ranks the same NetOptions",
                      encrypts, doesNot));
    }
  }

  @Test
  void whoDoesNotEncryptIsRefusedByThoseThatDo() throws Exception {
    NetOptions encrypted = MeetingPoint.OPTIONS.withEncryption();
    try (RawPeer clear =
            runBeside(encrypted, line -> new RawPeer(line).say(GREETING, RawPeer.token(line)));
        RawPeer opposite =
            runBeside(line -> {
              Admission admission = Admission.of(true, ENCRYPTED, RawPeer.token(line));
              return new RawPeer(line).say(ENCRYPTED.bytes()).say(admission.say());
            })) {
      assertThat(clear.listen()).isZero();
      assertThat(opposite.listen()).isZero();
    }
  }

  /// Each byte of the greeting and of the words after it, and words by another token.
  @Test
  void changedWordsOfOneThatEncryptsAreRefusedWithoutAWord() throws Exception {
    int[] heard = new int[1];
    try (RawPeer last =
        runBeside(
            MeetingPoint.OPTIONS.withEncryption(),
            line -> {
              Token token = RawPeer.token(line);
              int greeting = ENCRYPTED.bytes().length;
              for (int at = 0; at < greeting + NoiseHandshake.OVERHEAD; at++) {
                byte[] words = Arrays.copyOf(ENCRYPTED.bytes(), greeting + NoiseHandshake.OVERHEAD);
                byte[] first = Admission.of(true, ENCRYPTED, token).say();
                System.arraycopy(first, 0, words, greeting, first.length);
                words[at] ^= 2;
                try (RawPeer peer = new RawPeer(line).say(words)) {
                  heard[0] += peer.listen();
                }
              }
              Admission stranger = Admission.of(true, ENCRYPTED, Token.drawn());
              return new RawPeer(line).say(ENCRYPTED.bytes()).say(stranger.say());
            })) {
      assertThat(heard[0]).isZero();
      assertThat(last.listen()).isZero();
    }
  }

  /// Words of a rank come again from somebody who has recorded them: answered, but not let in.
  @Test
  void wordsThatAreRepeatedLetNobodyIn() throws Exception {
    try (RawPeer peer =
        runBeside(
            MeetingPoint.OPTIONS.withEncryption(),
            line -> {
              byte[] words = Admission.of(true, ENCRYPTED, RawPeer.token(line)).say();
              return new RawPeer(line)
                  .say(ENCRYPTED.bytes())
                  .say(words)
                  .say(new byte[NoiseCipher.TAG]);
            })) {
      assertThat(peer.greeting()).isEqualTo(ENCRYPTED.answer());
      assertThat(peer.listen()).isEqualTo(NoiseHandshake.OVERHEAD);
    }
  }

  /// It answers as the first rank, but does not know the token.
  @Test
  void anAnswerByAnotherProcessIsNotJoined() throws Exception {
    byte[] answer = Arrays.copyOf(ENCRYPTED.answer().bytes(), 28 + NoiseHandshake.OVERHEAD);
    try (var port = new ServerSocket(0);
        ExecutorService threads = Executors.newFixedThreadPool(1)) {
      String line = "127.0.0.1 %d %s encrypted".formatted(port.getLocalPort(), Token.drawn().hex());
      Future<byte[]> heard =
          threads.submit(() -> {
            try (var arrival = port.accept()) {
              arrival.getOutputStream().write(answer);
              return arrival.getInputStream().readAllBytes();
            }
          });
      NetOptions options = MeetingPoint.OPTIONS.withEncryption();
      assertThatThrownBy(() -> NetRanks.run(1, 2, own -> List.of(line, own), options, world -> {}))
          .isInstanceOf(CommunicationException.class)
          .hasMessage(
              "rank 1 cannot reach rank 0 at 127.0.0.1:%d: another process answers at that port",
              port.getLocalPort());
      assertThat(heard.get()).hasSameSizeAs(answer);
    }
  }
}
