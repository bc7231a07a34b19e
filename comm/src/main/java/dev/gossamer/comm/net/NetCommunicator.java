package dev.gossamer.comm.net;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.MeteredCommunicator;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.comm.Traffic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Ranks that are connected by sockets.
///
/// Every collective is a set of messages between the pairs that have data for each other, matched
/// by the number of the collective in its group. Reductions are computed in rank order, as among
/// threads, so that results are bit-identical.
final class NetCommunicator extends MeteredCommunicator {
  private final NetWorld world;
  private final long group;
  private final int[] worldRanks;
  private int collectives;
  private int splits;

  /// @param group number that no other group of these ranks has
  /// @param worldRanks the numbers in the world of its ranks
  NetCommunicator(NetWorld world, long group, int rank, int[] worldRanks, Traffic traffic) {
    super(rank, worldRanks.length, traffic);
    this.world = world;
    this.group = group;
    this.worldRanks = worldRanks;
  }

  @Override
  protected int worldRank(int peer) {
    return worldRanks[peer];
  }

  private Frame.Key tag(int tag) {
    return new Frame.Key(group, tag);
  }

  /// Of the messages of the next collective: below those of the user.
  private Frame.Key collective() {
    int number = collectives;
    collectives = number == Integer.MAX_VALUE ? 0 : number + 1;
    return new Frame.Key(group, -1 - number);
  }

  /// By dissemination: after round `k`, a rank has heard from the `2^k` ranks before it.
  @Override
  protected void moveBarrier() {
    Frame.Key key = collective();
    for (int distance = 1; distance < size(); distance <<= 1) {
      NetRequest request = new NetRequest(world, Operation.BARRIER);
      request.receive(
          worldRanks[Math.floorMod(rank() - distance, size())], key, MemorySegment.NULL);
      request.send(worldRanks[(rank() + distance) % size()], key, MemorySegment.NULL);
      request.begun().await();
    }
  }

  @Override
  protected Request startBroadcast(int root, MemorySegment segment) {
    return spreading(root, segment).inBackground();
  }

  @Override
  protected void moveBroadcast(int root, MemorySegment segment) {
    spreading(root, segment).begun().await();
  }

  private NetRequest spreading(int root, MemorySegment segment) {
    PeerBlocks all = PeerBlocks.toOthers(size(), root, segment.byteSize());
    PeerBlocks none = PeerBlocks.uniform(size(), 0);
    return rank() == root
        ? exchange(Operation.BROADCAST, segment, all, segment, none)
        : exchange(
            Operation.BROADCAST,
            segment,
            none,
            segment,
            PeerBlocks.single(size(), root, segment.byteSize()));
  }

  @Override
  protected void moveAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    allReduceInRankOrder(segment, element, reduction);
  }

  /// Complete before this returns: its second half depends on the first.
  @Override
  protected Request startAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    allReduceInRankOrder(segment, element, reduction);
    return new NetRequest(world, Operation.ALL_REDUCE).begun();
  }

  @Override
  protected void moveReduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    reduceScatterInRankOrder(send, receive, element, reduction);
  }

  @Override
  protected Request startAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    return gathering(send, receive, blocks).inBackground();
  }

  @Override
  protected void moveAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    gathering(send, receive, blocks).begun().await();
  }

  private NetRequest gathering(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    PeerBlocks own = PeerBlocks.shared(size(), send.byteSize());
    return exchange(Operation.ALL_GATHER, send, own, receive, blocks);
  }

  @Override
  protected Request startAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    return exchange(Operation.ALL_TO_ALL, send, sendBlocks, receive, receiveBlocks).inBackground();
  }

  @Override
  protected void moveAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    exchange(Operation.ALL_TO_ALL, send, sendBlocks, receive, receiveBlocks).begun().await();
  }

  /// Copies the rank's own block, then begins all receives, then all sends, the next rank first.
  private NetRequest exchange(
      Operation operation,
      MemorySegment send,
      PeerBlocks sendBlocks,
      MemorySegment receive,
      PeerBlocks receiveBlocks) {
    Frame.Key key = collective();
    NetRequest request = new NetRequest(world, operation, send, receive);
    if (receiveBlocks.bytes(rank()) > 0) {
      block(receive, receiveBlocks, rank()).copyFrom(block(send, sendBlocks, rank()));
    }
    for (int step = 1; step < size(); step++) {
      int peer = Math.floorMod(rank() - step, size());
      if (receiveBlocks.bytes(peer) > 0) {
        request.receive(worldRanks[peer], key, block(receive, receiveBlocks, peer));
      }
    }
    for (int step = 1; step < size(); step++) {
      int peer = (rank() + step) % size();
      if (sendBlocks.bytes(peer) > 0) {
        request.send(worldRanks[peer], key, block(send, sendBlocks, peer));
      }
    }
    return request;
  }

  private static MemorySegment block(MemorySegment segment, PeerBlocks blocks, int peer) {
    return segment.asSlice(blocks.offset(peer), blocks.bytes(peer));
  }

  @Override
  protected Request startSend(int peer, int tag, MemorySegment segment) {
    return sending(peer, tag, segment).inBackground();
  }

  @Override
  protected void moveSend(int peer, int tag, MemorySegment segment) {
    sending(peer, tag, segment).begun().await();
  }

  private NetRequest sending(int peer, int tag, MemorySegment segment) {
    NetRequest request = new NetRequest(world, Operation.SEND, segment);
    request.send(worldRanks[peer], tag(tag), segment);
    return request;
  }

  @Override
  protected Request startReceive(int peer, int tag, MemorySegment segment) {
    return receiving(peer, tag, segment).inBackground();
  }

  @Override
  protected void moveReceive(int peer, int tag, MemorySegment segment) {
    receiving(peer, tag, segment).begun().await();
  }

  private NetRequest receiving(int peer, int tag, MemorySegment segment) {
    NetRequest request = new NetRequest(world, Operation.SEND, segment);
    request.receive(worldRanks[peer], tag(tag), segment);
    return request;
  }

  /// A rank of this group and where it wants to be.
  private record Choice(int rank, int color, int key) {}

  @Override
  protected Communicator makeSplit(int color, int key) {
    List<Choice> part = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment own = arena.allocateFrom(ValueLayout.JAVA_INT, color, key);
      MemorySegment all = arena.allocate(own.byteSize() * size(), Integer.BYTES);
      moveAllGather(own, all);
      for (int peer = 0; peer < size(); peer++) {
        int of = all.getAtIndex(ValueLayout.JAVA_INT, 2L * peer);
        if (of == color) {
          part.add(new Choice(peer, of, all.getAtIndex(ValueLayout.JAVA_INT, 2L * peer + 1)));
        }
      }
    }
    part.sort(Comparator.comparingInt(Choice::key).thenComparingInt(Choice::rank));
    int[] ranks = part.stream().mapToInt(each -> worldRanks[each.rank()]).toArray();
    int place = part.stream().map(Choice::rank).toList().indexOf(rank());
    return new NetCommunicator(world, partNumber(color), place, ranks, traffic());
  }

  /// A number for a part, which all its ranks compute: 64 mixed bits of its group, of how many
  /// splits that has seen, and of its color.
  private long partNumber(int color) {
    long mixed = mix(group + 0x9e3779b97f4a7c15L * ++splits);
    return mix(mixed ^ (color + 1L));
  }

  /// Steele, Lea and Flood's finaliser of 64 bits.
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  @Override
  public void abort(Throwable cause) {
    world.fail(world.rank(), cause);
    world.check();
  }

  @Override
  public void close() {
    // A group of connected ranks holds nothing but memory.
  }
}
