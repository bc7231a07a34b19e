package dev.gossamer.comm.threads;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.MeteredCommunicator;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.comm.Traffic;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/// Ranks that are threads of one process.
///
/// Data are copied directly from the sender's segment to the receiver's. There is no background
/// thread: once both partners have arrived (and the `Link`, if there is one, has carried the data),
/// whichever of them waits or polls first copies. An operation therefore completes while its other
/// ranks compute, and a link's time passes while all do.
final class ThreadCommunicator extends MeteredCommunicator {
  private final RankGroup group;
  private long collectives;

  ThreadCommunicator(RankGroup group, int rank, Traffic traffic) {
    super(rank, group.size(), traffic);
    this.group = group;
  }

  @Override
  protected int worldRank(int peer) {
    return group.worldRank(peer);
  }

  private Request request(PendingOperation progress) {
    return new ThreadRequest(group, rank(), progress);
  }

  /// Constants, so that naming what is reduced costs nothing.
  private static String detail(Element element, Reduction reduction) {
    return switch (element) {
      case FLOAT -> reduction == Reduction.SUM ? "(sum of floats)" : "(maximum of floats)";
      case DOUBLE -> reduction == Reduction.SUM ? "(sum of doubles)" : "(maximum of doubles)";
      case LONG -> reduction == Reduction.SUM ? "(sum of longs)" : "(maximum of longs)";
    };
  }

  private static Signature signature(Operation operation, long bytes, String detail) {
    return new Signature(operation, bytes, detail);
  }

  private <M extends Meeting> M meet(Class<M> type, Signature signature, Supplier<M> maker) {
    group.world.check();
    return type.cast(group.meeting(++collectives, signature, rank(), maker));
  }

  @Override
  protected void moveBarrier() {
    var meeting =
        meet(
            JointMeeting.Barrier.class,
            signature(Operation.BARRIER, -1, ""),
            () -> new JointMeeting.Barrier(group));
    meeting.come(rank(), true);
    request(meeting).await();
  }

  @Override
  protected Request startBroadcast(int root, MemorySegment segment) {
    var meeting =
        meet(
            CopyMeeting.class,
            signature(Operation.BROADCAST, segment.byteSize(), "from rank " + root),
            () -> new CopyMeeting(group));
    long bytes = segment.byteSize();
    PeerBlocks none = PeerBlocks.shared(size(), 0);
    if (rank() == root) {
      meeting.comeAsRoot(
          root,
          new CopyMeeting.Share(
              segment, PeerBlocks.toOthers(size(), root, bytes), MemorySegment.NULL, none));
    } else {
      meeting.come(
          rank(),
          new CopyMeeting.Share(
              MemorySegment.NULL, none, segment, PeerBlocks.single(size(), root, bytes)));
    }
    return request(meeting);
  }

  @Override
  protected Request startAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    return reduce(Operation.ALL_REDUCE, segment, segment, element, reduction);
  }

  @Override
  protected void moveReduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    reduce(Operation.REDUCE_SCATTER, send, receive, element, reduction).await();
  }

  private Request reduce(
      Operation operation,
      MemorySegment from,
      MemorySegment to,
      Element element,
      Reduction reduction) {
    long elements = to.byteSize() / element.bytes();
    var meeting =
        meet(
            ReduceMeeting.class,
            signature(operation, to.byteSize(), detail(element, reduction)),
            () ->
                new ReduceMeeting(
                    group, element, reduction, elements, operation == Operation.REDUCE_SCATTER));
    meeting.come(rank(), new ReduceMeeting.Operands(from, to));
    return request(meeting);
  }

  @Override
  protected Request startAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    return copy(
        Operation.ALL_GATHER,
        new CopyMeeting.Share(send, PeerBlocks.shared(size(), send.byteSize()), receive, blocks));
  }

  @Override
  protected Request startAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    return copy(
        Operation.ALL_TO_ALL, new CopyMeeting.Share(send, sendBlocks, receive, receiveBlocks));
  }

  private Request copy(Operation operation, CopyMeeting.Share share) {
    var meeting =
        meet(CopyMeeting.class, signature(operation, -1, ""), () -> new CopyMeeting(group));
    meeting.come(rank(), share);
    return request(meeting);
  }

  @Override
  protected Request startSend(int peer, int tag, MemorySegment segment) {
    group.world.check();
    return request(group.mailbox(peer).send(rank(), tag, segment));
  }

  @Override
  protected Request startReceive(int peer, int tag, MemorySegment segment) {
    group.world.check();
    return request(group.mailbox(rank()).receive(peer, tag, segment));
  }

  @Override
  protected Communicator makeSplit(int color, int key) {
    var meeting =
        meet(
            SplitMeeting.class,
            signature(Operation.BARRIER, -1, "for a split"),
            () -> new SplitMeeting(group));
    meeting.come(rank(), new SplitMeeting.Choice(color, key));
    request(meeting).await();
    SplitMeeting.Place place = meeting.place(rank());
    return new ThreadCommunicator(place.part(), place.rank(), traffic());
  }

  @Override
  public void abort(Throwable cause) {
    group.world.fail(group.worldRank(rank()), cause);
    group.world.check();
  }

  @Override
  public void close() {
    // A group of threads holds nothing but memory.
  }
}
