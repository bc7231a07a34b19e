package dev.gossamer.comm.mpi;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.MeteredCommunicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.comm.Traffic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Ranks that are processes under MPI.
///
/// Broadcast, maximum and similar operations use the library. Sums of floating-point numbers are
/// computed in rank order, as among threads, so that results are bit-identical; the library would
/// add in its own order. Exchanges of unequal blocks are sends and receives between the pairs that
/// have data for each other: offsets may exceed 32 bits, pairs without data cost nothing, and they
/// progress without calls to the library. Messages above the session's limit are sent in parts,
/// divided the same way on both sides.
final class MpiCommunicator extends MeteredCommunicator {
  /// Of the notes of the [Watchdog] among the messages inside collectives.
  private static final int NOTE_TAG = MAX_TAG;

  private final MpiSession session;
  private final MpiCalls calls;
  private final long comm;

  /// For messages inside collectives, which must not meet the user's.
  private final long inner;

  private final int[] worldRanks;

  private int exchanges;

  /// @param comm handle of the group
  /// @param worldRanks the numbers in the world of its ranks
  MpiCommunicator(MpiSession session, long comm, int rank, int[] worldRanks, Traffic traffic) {
    super(rank, worldRanks.length, traffic);
    this.session = session;
    this.comm = comm;
    this.worldRanks = worldRanks;
    calls = session.calls();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment duplicate = arena.allocate(Long.BYTES, 8);
      calls.commDup(comm, duplicate);
      inner = handle(duplicate);
    }
  }

  private long handle(MemorySegment at) {
    return calls.flavour().hasPointerHandles()
        ? at.get(ValueLayout.JAVA_LONG, 0)
        : at.get(ValueLayout.JAVA_INT, 0);
  }

  private void free(long group) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment at = arena.allocate(Long.BYTES, 8);
      if (calls.flavour().hasPointerHandles()) {
        at.set(ValueLayout.JAVA_LONG, 0, group);
      } else {
        at.set(ValueLayout.JAVA_INT, 0, (int) group);
      }
      calls.commFree(at);
    }
  }

  @Override
  protected int worldRank(int peer) {
    return worldRanks[peer];
  }

  /// The parts in which `bytes` bytes are sent; an empty message is one part.
  private int parts(long bytes) {
    return Math.toIntExact(Math.max(1, Math.ceilDiv(bytes, session.messageLimit())));
  }

  /// Whether an operation is begun in parts and waited for, instead of done in one blocking call.
  private boolean isInParts(MemorySegment segment) {
    return session.oneThreadAtATime() || segment.byteSize() > session.messageLimit();
  }

  private long partBytes(long bytes, int part) {
    return Math.min(session.messageLimit(), bytes - part * session.messageLimit());
  }

  private MemorySegment part(MemorySegment segment, int part) {
    return segment.asSlice(part * session.messageLimit(), partBytes(segment.byteSize(), part));
  }

  /// Runs a collective; if it fails here the other ranks would wait for ever, so all end.
  private void together(Runnable collective) {
    try {
      collective.run();
    } catch (RuntimeException e) {
      session.abort(e);
    }
  }

  @Override
  protected void moveBarrier() {
    together(() -> {
      if (session.oneThreadAtATime()) {
        MpiRequest request = new MpiRequest(session, "barrier", 1);
        calls.ibarrier(comm, request.next(MemorySegment.NULL));
        request.awaitStarted();
      } else {
        calls.barrier(comm);
      }
    });
  }

  @Override
  protected void moveBroadcast(int root, MemorySegment segment) {
    if (isInParts(segment)) {
      Memory.hold(() -> super.moveBroadcast(root, segment), segment);
      return;
    }
    int bytes = (int) segment.byteSize();
    together(() -> calls.bcast(segment, bytes, calls.flavour().typeByte(), root, comm));
  }

  @Override
  protected Request startBroadcast(int root, MemorySegment segment) {
    int parts = parts(segment.byteSize());
    MpiRequest request = new MpiRequest(session, "broadcast", parts);
    together(() -> {
      for (int i = 0; i < parts; i++) {
        MemorySegment part = part(segment, i);
        calls.ibcast(
            part,
            (int) part.byteSize(),
            calls.flavour().typeByte(),
            root,
            comm,
            request.next(segment));
      }
    });
    return request.started();
  }

  private long type(Element element) {
    return switch (element) {
      case FLOAT -> calls.flavour().typeFloat();
      case DOUBLE -> calls.flavour().typeDouble();
      case LONG -> calls.flavour().typeLong();
    };
  }

  private long op(Reduction reduction) {
    return switch (reduction) {
      case SUM -> calls.flavour().opSum();
      case MAX -> calls.flavour().opMax();
    };
  }

  private MemorySegment inPlace() {
    return MemorySegment.ofAddress(calls.flavour().inPlace());
  }

  private static int count(MemorySegment part, Element element) {
    return (int) (part.byteSize() / element.bytes());
  }

  /// Whether the order of the ranks decides the result: not of two numbers, nor of integers.
  private boolean hasOrder(Element element, Reduction reduction) {
    return reduction == Reduction.SUM && element != Element.LONG && size() > 2;
  }

  @Override
  protected void moveAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    if (hasOrder(element, reduction)) {
      allReduceInRankOrder(segment, element, reduction);
      return;
    }
    if (isInParts(segment)) {
      Memory.hold(() -> super.moveAllReduce(segment, element, reduction), segment);
      return;
    }
    int count = count(segment, element);
    together(() -> calls.allreduce(inPlace(), segment, count, type(element), op(reduction), comm));
  }

  /// What has an order is added before this returns: its second half depends on the first.
  @Override
  protected Request startAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    if (hasOrder(element, reduction)) {
      allReduceInRankOrder(segment, element, reduction);
      return new MpiRequest(session, "all-reduce", 0).started();
    }
    int parts = parts(segment.byteSize());
    MpiRequest request = new MpiRequest(session, "all-reduce", parts);
    together(() -> {
      for (int i = 0; i < parts; i++) {
        MemorySegment part = part(segment, i);
        calls.iallreduce(
            inPlace(),
            part,
            count(part, element),
            type(element),
            op(reduction),
            comm,
            request.next(segment));
      }
    });
    return request.started();
  }

  @Override
  protected void moveReduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    if (hasOrder(element, reduction)) {
      reduceScatterInRankOrder(send, receive, element, reduction);
      return;
    }
    together(() -> {
      if (isInParts(send)) {
        Memory.hold(() -> reduceBlocks(send, receive, element, reduction), send, receive);
      } else {
        calls.reduceScatterBlock(
            send, receive, count(receive, element), type(element), op(reduction), comm);
      }
    });
  }

  /// A reduction to each rank in turn, of its block, in parts.
  private void reduceBlocks(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    long bytes = receive.byteSize();
    int parts = parts(bytes);
    MpiRequest request =
        new MpiRequest(session, "reduce-scatter", Math.multiplyExact(size(), parts));
    for (int root = 0; root < size(); root++) {
      for (int i = 0; i < parts; i++) {
        MemorySegment from = part(send.asSlice(root * bytes, bytes), i);
        MemorySegment to = part(receive, i);
        calls.ireduce(
            from,
            to,
            count(to, element),
            type(element),
            op(reduction),
            root,
            comm,
            request.next(send));
      }
    }
    request.awaitStarted();
  }

  @Override
  protected void moveAllGather(MemorySegment send, MemorySegment receive) {
    long bytes = send.byteSize();
    if (isInParts(receive)) {
      Memory.hold(() -> super.moveAllGather(send, receive), send, receive);
      return;
    }
    boolean ownBlock = send.address() == receive.address() + rank() * bytes;
    long type = calls.flavour().typeByte();
    together(() -> calls.allgather(ownBlock ? inPlace() : send, receive, (int) bytes, type, comm));
  }

  @Override
  protected Request startAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    return exchange("all-gather", send, PeerBlocks.shared(size(), send.byteSize()), receive, blocks)
        .started();
  }

  @Override
  protected void moveAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    PeerBlocks own = PeerBlocks.shared(size(), send.byteSize());
    exchangeNow("all-gather", send, own, receive, blocks);
  }

  @Override
  protected void moveAllToAll(MemorySegment send, MemorySegment receive) {
    if (isInParts(send)) {
      Memory.hold(() -> super.moveAllToAll(send, receive), send, receive);
      return;
    }
    int bytes = (int) (send.byteSize() / size());
    long type = calls.flavour().typeByte();
    together(() -> calls.alltoall(send, receive, bytes, type, comm));
  }

  @Override
  protected Request startAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    return exchange("all-to-all", send, sendBlocks, receive, receiveBlocks).started();
  }

  @Override
  protected void moveAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    exchangeNow("all-to-all", send, sendBlocks, receive, receiveBlocks);
  }

  private void exchangeNow(
      String operation,
      MemorySegment send,
      PeerBlocks sendBlocks,
      MemorySegment receive,
      PeerBlocks receiveBlocks) {
    together(() ->
        Memory.hold(
            () -> exchange(operation, send, sendBlocks, receive, receiveBlocks).awaitStarted(),
            send,
            receive));
  }

  /// Copies the rank's own block, then begins all receives, then all sends, the next rank first.
  private MpiRequest exchange(
      String operation,
      MemorySegment send,
      PeerBlocks sendBlocks,
      MemorySegment receive,
      PeerBlocks receiveBlocks) {
    int tag = Math.floorMod(exchanges++, NOTE_TAG);
    int requests = 0;
    for (int step = 1; step < size(); step++) {
      int peer = (rank() + step) % size();
      requests = Math.addExact(requests, blockParts(sendBlocks, peer));
      requests = Math.addExact(requests, blockParts(receiveBlocks, peer));
    }
    MpiRequest request = new MpiRequest(session, operation, requests);
    together(() -> {
      block(receive, receiveBlocks, rank()).copyFrom(block(send, sendBlocks, rank()));
      for (int step = 1; step < size(); step++) {
        int peer = (rank() + size() - step) % size();
        receiveBlock(request, peer, tag, receive, receiveBlocks);
      }
      for (int step = 1; step < size(); step++) {
        sendBlock(request, (rank() + step) % size(), tag, send, sendBlocks);
      }
    });
    return request;
  }

  private void receiveBlock(
      MpiRequest request, int peer, int tag, MemorySegment receive, PeerBlocks blocks) {
    if (blocks.bytes(peer) > 0) {
      receiveParts(request, peer, tag, block(receive, blocks, peer), inner);
    }
  }

  private void sendBlock(
      MpiRequest request, int peer, int tag, MemorySegment send, PeerBlocks blocks) {
    if (blocks.bytes(peer) > 0) {
      sendParts(request, peer, tag, block(send, blocks, peer), inner);
    }
  }

  private int blockParts(PeerBlocks blocks, int peer) {
    return blocks.bytes(peer) == 0 ? 0 : parts(blocks.bytes(peer));
  }

  private void sendParts(MpiRequest request, int peer, int tag, MemorySegment segment, long group) {
    long type = calls.flavour().typeByte();
    for (int i = 0; i < parts(segment.byteSize()); i++) {
      MemorySegment part = part(segment, i);
      calls.isend(part, (int) part.byteSize(), type, peer, tag, group, request.next(part));
    }
  }

  private void receiveParts(
      MpiRequest request, int peer, int tag, MemorySegment segment, long group) {
    long type = calls.flavour().typeByte();
    for (int i = 0; i < parts(segment.byteSize()); i++) {
      MemorySegment part = part(segment, i);
      calls.irecv(part, (int) part.byteSize(), type, peer, tag, group, request.nextReceive(part));
    }
  }

  private static MemorySegment block(MemorySegment segment, PeerBlocks blocks, int peer) {
    long bytes = blocks.bytes(peer);
    return bytes == 0 ? MemorySegment.NULL : segment.asSlice(blocks.offset(peer), bytes);
  }

  @Override
  protected void moveSend(int peer, int tag, MemorySegment segment) {
    if (isInParts(segment)) {
      Memory.hold(() -> super.moveSend(peer, tag, segment), segment);
      return;
    }
    int bytes = (int) segment.byteSize();
    calls.send(segment, bytes, calls.flavour().typeByte(), peer, tag, comm);
  }

  @Override
  protected Request startSend(int peer, int tag, MemorySegment segment) {
    MpiRequest request = new MpiRequest(session, "send", parts(segment.byteSize()));
    sendParts(request, peer, tag, segment, comm);
    return request.started();
  }

  @Override
  protected void moveReceive(int peer, int tag, MemorySegment segment) {
    if (isInParts(segment)) {
      Memory.hold(() -> super.moveReceive(peer, tag, segment), segment);
      return;
    }
    int bytes = (int) segment.byteSize();
    long type = calls.flavour().typeByte();
    long found = calls.recv(segment, bytes, type, peer, tag, comm);
    if (found != bytes) {
      throw new CommunicationException(
          "receive on rank %d: expected a message of %d bytes from rank %d with tag %d, found one of %d"
              .formatted(worldRanks[rank()], bytes, worldRanks[peer], tag, found));
    }
  }

  @Override
  protected Request startReceive(int peer, int tag, MemorySegment segment) {
    MpiRequest request = new MpiRequest(session, "receive", parts(segment.byteSize()));
    receiveParts(request, peer, tag, segment, comm);
    return request.started();
  }

  @Override
  protected Communicator makeSplit(int color, int key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(Long.BYTES, 8);
      calls.commSplit(comm, color, key, out);
      long part = handle(out);
      int rank = calls.commRank(part);
      int size = calls.commSize(part);
      MemorySegment all = arena.allocate(ValueLayout.JAVA_INT, size);
      all.setAtIndex(ValueLayout.JAVA_INT, rank, worldRanks[rank()]);
      long type = calls.flavour().typeByte();
      calls.allgather(inPlace(), all, Integer.BYTES, type, part);
      return new MpiCommunicator(session, part, rank, all.toArray(ValueLayout.JAVA_INT), traffic());
    } catch (CommunicationException e) {
      session.abort(e);
      throw e;
    }
  }

  @Override
  public void abort(Throwable cause) {
    session.abort(cause);
  }

  /// A watchdog over the ranks of this group, not yet started. Collective.
  Watchdog watchdog(long timeoutNanos) {
    return new Watchdog(calls, rank(), size(), inner, NOTE_TAG, timeoutNanos, session::abort);
  }

  /// Frees what was duplicated; the world itself ends with MPI.
  void release() {
    free(inner);
  }

  @Override
  public void close() {
    if (comm != calls.flavour().commWorld()) {
      free(inner);
      free(comm);
    }
  }
}
