package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.comm.mpi.FakeMpi.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which calls of the library the operations of a rank become.
@Timeout(120)
class MpiMessagesTest {
  private static final long DUPLICATE = 0xd00;
  private static final long GIBI = 1L << 30;

  /// Five GiB and one element, which nobody touches.
  private static final MemorySegment HUGE =
      MemorySegment.ofAddress(1L << 44).reinterpret(5 * GIBI + Double.BYTES);

  private static FakeMpi fake(Kind kind, int rank, int size) {
    FakeMpi fake = new FakeMpi(kind);
    fake.rank = rank;
    fake.size = size;
    return fake;
  }

  private static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 8);
  }

  /// The calls of a function, without the place of their request.
  private static List<List<Long>> begun(FakeMpi fake, String function) {
    return fake.calls(function).stream().map(a -> a.subList(0, a.size() - 1)).toList();
  }

  private static List<Long> list(long... numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  @ParameterizedTest
  @EnumSource
  void messagesAboveTheLimitGoInParts(Kind kind) {
    FakeMpi fake = fake(kind, 0, 2);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT.withMessageLimitBytes(8))) {
      MpiFlavour flavour = fake.library.flavour();
      MemorySegment segment = memory(20);
      long at = segment.address();
      session.world().beginSend(1, 7, segment).await();
      session.world().beginReceive(1, 6, segment).await();
      session.world().send(1, 5, segment.asSlice(0, 8));
      long type = flavour.typeByte();
      long comm = flavour.commWorld();
      assertThat(begun(fake, "MPI_Isend"))
          .containsExactly(
              list(at, 8, type, 1, 7, comm),
              list(at + 8, 8, type, 1, 7, comm),
              list(at + 16, 4, type, 1, 7, comm));
      assertThat(begun(fake, "MPI_Irecv"))
          .containsExactly(
              list(at, 8, type, 1, 6, comm),
              list(at + 8, 8, type, 1, 6, comm),
              list(at + 16, 4, type, 1, 6, comm));
      assertThat(fake.calls("MPI_Send")).containsExactly(list(at, 8, type, 1, 5, comm));
      // The library's handles lie side by side.
      List<Long> places = fake.calls("MPI_Isend").stream().map(List::getLast).toList();
      assertThat(places.get(1) - places.get(0)).isEqualTo(kind.handleBytes);
      assertThat(places.get(2) - places.get(0)).isEqualTo(2L * kind.handleBytes);
    }
  }

  @ParameterizedTest
  @EnumSource
  void countsBeyondThirtyTwoBitsAreSplit(Kind kind) {
    FakeMpi fake = fake(kind, 0, 2);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      Communicator world = session.world();
      MpiFlavour flavour = fake.library.flavour();
      world.send(1, 7, HUGE);
      world.receive(1, 7, HUGE);
      world.broadcast(1, HUGE);
      world.allReduce(HUGE, Element.DOUBLE, Reduction.MAX);
      long type = flavour.typeByte();
      long comm = flavour.commWorld();
      List<List<Long>> messages = new ArrayList<>();
      List<List<Long>> broadcasts = new ArrayList<>();
      List<List<Long>> sums = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        long at = HUGE.address() + i * GIBI;
        long bytes = i < 5 ? GIBI : Double.BYTES;
        messages.add(list(at, bytes, type, 1, 7, comm));
        broadcasts.add(list(at, bytes, type, 1, comm));
        sums.add(
            list(flavour.inPlace(), at, bytes / 8, flavour.typeDouble(), flavour.opMax(), comm));
      }
      assertThat(begun(fake, "MPI_Isend")).isEqualTo(messages);
      assertThat(begun(fake, "MPI_Irecv")).isEqualTo(messages);
      assertThat(begun(fake, "MPI_Ibcast")).isEqualTo(broadcasts);
      assertThat(begun(fake, "MPI_Iallreduce")).isEqualTo(sums);
      assertThat(world.traffic().snapshot().totalMessages()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shortOperationsAreOneCallEach(Kind kind) {
    FakeMpi fake = fake(kind, 1, 2);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      Communicator world = session.world();
      MpiFlavour flavour = fake.library.flavour();
      MemorySegment a = memory(32);
      MemorySegment b = memory(32);
      long type = flavour.typeByte();
      long comm = flavour.commWorld();
      fake.forgetCalls();
      world.barrier();
      world.broadcast(0, a);
      world.allReduce(a, Element.FLOAT, Reduction.SUM);
      world.reduceScatter(a, b.asSlice(0, 16), Element.LONG, Reduction.SUM);
      world.allGather(a.asSlice(0, 16), b);
      world.allGather(b.asSlice(16), b);
      world.allToAll(a, b);
      world.send(0, 1, a);
      world.receive(0, 2, b);
      assertThat(fake.names())
          .containsExactly(
              "MPI_Barrier",
              "MPI_Bcast",
              "MPI_Allreduce",
              "MPI_Reduce_scatter_block",
              "MPI_Allgather",
              "MPI_Allgather",
              "MPI_Alltoall",
              "MPI_Send",
              "MPI_Recv");
      long from = a.address();
      long to = b.address();
      assertThat(fake.calls("MPI_Barrier")).containsExactly(list(comm));
      assertThat(fake.calls("MPI_Bcast")).containsExactly(list(from, 32, type, 0, comm));
      assertThat(fake.calls("MPI_Allreduce"))
          .containsExactly(
              list(flavour.inPlace(), from, 8, flavour.typeFloat(), flavour.opSum(), comm));
      assertThat(fake.calls("MPI_Reduce_scatter_block"))
          .containsExactly(list(from, to, 2, flavour.typeLong(), flavour.opSum(), comm));
      // The second gathers what lies in its place already.
      assertThat(fake.calls("MPI_Allgather"))
          .containsExactly(
              list(from, 16, type, to, 16, type, comm),
              list(flavour.inPlace(), 16, type, to, 16, type, comm));
      assertThat(fake.calls("MPI_Alltoall"))
          .containsExactly(list(from, 16, type, to, 16, type, comm));
      assertThat(fake.calls("MPI_Send")).containsExactly(list(from, 32, type, 0, 1, comm));
      assertThat(fake.calls("MPI_Recv").getFirst().subList(0, 6))
          .isEqualTo(list(to, 32, type, 0, 2, comm));
    }
  }

  @Test
  void withOneThreadAtATimeNoCallBlocks() {
    FakeMpi fake = fake(Kind.OPEN_MPI, 0, 2);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT.withOneThreadAtATime(true))) {
      Communicator world = session.world();
      MemorySegment a = memory(16);
      fake.forgetCalls();
      world.barrier();
      world.broadcast(0, a);
      world.allReduce(a, Element.FLOAT, Reduction.SUM);
      world.send(1, 1, a);
      world.receive(1, 2, a);
      assertThat(fake.names())
          .containsExactly(
              "MPI_Ibarrier", "MPI_Ibcast", "MPI_Iallreduce", "MPI_Isend", "MPI_Irecv");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEmptyMessageIsOnePart(Kind kind) {
    FakeMpi fake = fake(kind, 0, 2);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT.withMessageLimitBytes(8))) {
      MemorySegment empty = memory(8).asSlice(8);
      session.world().beginSend(1, 7, empty).await();
      assertThat(fake.calls("MPI_Isend")).hasSize(1).allSatisfy(a -> assertThat(a.get(1)).isZero());
    }
  }

  @ParameterizedTest
  @EnumSource
  void blocksAboveTheLimitAreReducedToEachRankInTurn(Kind kind) {
    FakeMpi fake = fake(kind, 0, 2);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT.withMessageLimitBytes(16))) {
      MpiFlavour flavour = fake.library.flavour();
      MemorySegment send = memory(48);
      MemorySegment receive = memory(24);
      session.world().reduceScatter(send, receive, Element.LONG, Reduction.MAX);
      long from = send.address();
      long to = receive.address();
      long type = flavour.typeLong();
      long max = flavour.opMax();
      long comm = flavour.commWorld();
      assertThat(begun(fake, "MPI_Ireduce"))
          .containsExactly(
              list(from, to, 2, type, max, 0, comm),
              list(from + 16, to + 16, 1, type, max, 0, comm),
              list(from + 24, to, 2, type, max, 1, comm),
              list(from + 40, to + 16, 1, type, max, 1, comm));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anExchangeBeginsAllReceivesThenAllSends(Kind kind) {
    FakeMpi fake = fake(kind, 1, 4);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      MpiFlavour flavour = fake.library.flavour();
      MemorySegment send = memory(64);
      MemorySegment receive = memory(64);
      send.set(ValueLayout.JAVA_LONG, 8, 77);
      PeerBlocks sends = PeerBlocks.of(new long[] {0, 8, 16, 40}, new long[] {8, 8, 24, 0});
      PeerBlocks receives = PeerBlocks.of(new long[] {0, 16, 24, 32}, new long[] {16, 8, 0, 32});
      fake.forgetCalls();
      session.world().allToAllV(send, sends, receive, receives);
      session.world().beginAllToAllV(send, sends, receive, receives).await();
      assertThat(receive.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(77);
      long type = flavour.typeByte();
      long to = receive.address();
      long from = send.address();
      List<List<Long>> received = new ArrayList<>();
      List<List<Long>> sent = new ArrayList<>();
      for (int tag = 0; tag < 2; tag++) {
        received.add(list(to, 16, type, 0, tag, DUPLICATE));
        received.add(list(to + 32, 32, type, 3, tag, DUPLICATE));
        sent.add(list(from + 16, 24, type, 2, tag, DUPLICATE));
        sent.add(list(from, 8, type, 0, tag, DUPLICATE));
      }
      assertThat(begun(fake, "MPI_Irecv")).isEqualTo(received);
      assertThat(begun(fake, "MPI_Isend")).isEqualTo(sent);
      assertThat(fake.names().subList(0, 4))
          .containsExactly("MPI_Irecv", "MPI_Irecv", "MPI_Isend", "MPI_Isend");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMessageThatIsTooShortIsNamed(Kind kind) {
    FakeMpi fake = fake(kind, 0, 2);
    fake.missing = 1;
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      MemorySegment segment = memory(104);
      assertThatThrownBy(() -> session.world().receive(1, 5, segment.asSlice(0, 100)))
          .isInstanceOf(CommunicationException.class)
          .hasMessage(
              "receive on rank 0: expected a message of 100 bytes from rank 1 with tag 5, found one"
                  + " of 99");
      // So that the rank sees it, and not the progress thread, which would end the run.
      fake.complete = false;
      Request receive = session.world().beginReceive(1, 5, segment);
      assertThatThrownBy(receive::await)
          .isInstanceOf(CommunicationException.class)
          .hasMessage("receive on rank 0: expected a message of 104 bytes, found one of 103");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRequestIsCompleteWhenTheLibrarySaysSo(Kind kind) {
    FakeMpi fake = fake(kind, 0, 2);
    fake.complete = false;
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      Request send = session.world().beginSend(1, 7, memory(8));
      assertThat(send.test()).isFalse();
      assertThat(send.test()).isFalse();
      fake.complete = true;
      assertThat(send.test()).isTrue();
      int asked = fake.calls("MPI_Testall").size();
      assertThat(send.test()).isTrue();
      send.await();
      assertThat(fake.calls("MPI_Testall")).hasSize(asked);
      assertThat(fake.calls("MPI_Waitall")).isEmpty();
    }
  }

  @Test
  void aRequestThatIsNotWhollyBegunIsADefect() {
    FakeMpi fake = fake(Kind.MPICH, 0, 1);
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      MpiRequest request = new MpiRequest(session, "send", 2);
      MemorySegment _ = request.next(memory(8));
      assertThatThrownBy(request::started)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("send: 2 requests planned, 1 begun");
      assertThat(new MpiRequest(session, "all-to-all", 0).started().test()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPartOfTheWorldHasItsOwnNumbers(Kind kind) {
    long part = 0x5b;
    FakeMpi fake = fake(kind, 2, 4);
    fake.on("MPI_Comm_rank", a -> number(a, part, 1, 2))
        .on("MPI_Comm_size", a -> number(a, part, 2, 4))
        .on(
            "MPI_Allgather",
            a -> {
              FakeMpi.setInt(a[3], 0);
              return 0;
            });
    try (MpiSession session = fake.start(MpiOptions.DEFAULT)) {
      MpiFlavour flavour = fake.library.flavour();
      MemorySegment segment = memory(8);
      try (Communicator half = session.world().split(0, 5)) {
        assertThat(fake.calls("MPI_Comm_split").getFirst().subList(0, 3))
            .isEqualTo(list(flavour.commWorld(), 0, 5));
        assertThat(half.rank()).isEqualTo(1);
        assertThat(half.size()).isEqualTo(2);
        half.send(0, 3, segment);
        assertThat(fake.calls("MPI_Send"))
            .containsExactly(list(segment.address(), 8, flavour.typeByte(), 0, 3, part));
        fake.missing = 1;
        assertThatThrownBy(() -> half.receive(0, 3, segment))
            .hasMessageStartingWith("receive on rank 2: expected a message of 8 bytes from rank 0");
        fake.forgetCalls();
      }
      assertThat(fake.names()).containsExactly("MPI_Comm_free", "MPI_Comm_free");
    }
  }

  private static int number(long[] arguments, long part, int ofPart, int ofWorld) {
    FakeMpi.setInt(arguments[1], arguments[0] == part ? ofPart : ofWorld);
    return 0;
  }
}
