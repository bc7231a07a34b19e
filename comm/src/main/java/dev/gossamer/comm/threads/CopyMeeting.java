package dev.gossamer.comm.threads;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.PeerBlocks;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// A collective that only copies blocks between ranks: broadcast, all-gather, all-to-all.
///
/// A block is copied once, from the sender's segment into the receiver's, as soon as both ranks
/// have arrived and their link has carried it, by whichever of the two checks first. A rank is done
/// when all its incoming and outgoing blocks are copied; it waits for no other rank.
final class CopyMeeting extends Meeting {
  private static final int OPEN = 0;
  private static final int TAKEN = 1;

  /// The arguments of a rank.
  record Share(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {}

  private final int size;
  private final AtomicReferenceArray<Share> shares;
  private final AtomicIntegerArray copies;
  private final AtomicIntegerArray remaining;

  /// When the block from `i` for `j` arrives, at `i size + j`; written by `i` before its share is
  /// seen.
  private final long[] arrivals;

  /// When each rank came; written before its share is seen.
  private final long[] comings;

  /// When the last of a rank's blocks so far had arrived, both partners having come.
  private final AtomicLongArray ends;

  CopyMeeting(RankGroup group) {
    super(group);
    size = group.size();
    shares = new AtomicReferenceArray<>(size);
    copies = new AtomicIntegerArray(size * size);
    remaining = new AtomicIntegerArray(size);
    arrivals = new long[size * size];
    comings = new long[size];
    ends = new AtomicLongArray(size);
  }

  /// Called when a rank arrives; sends its blocks in order, starting with the next rank's.
  void come(int rank, Share share) {
    ThreadWorld world = group.world;
    long now = world.now();
    for (int step = 1; step < size && world.isLinked(); step++) {
      int peer = (rank + step) % size;
      long bytes = share.sendBlocks.bytes(peer);
      if (bytes > 0) {
        arrivals[rank * size + peer] = group.deliver(rank, peer, now, bytes);
      }
    }
    publish(rank, share);
  }

  /// Called when the root of a broadcast arrives; sends its segment along a binomial tree.
  void comeAsRoot(int root, Share share) {
    ThreadWorld world = group.world;
    long[] reached = new long[size];
    reached[0] = world.now();
    long bytes = share.send.byteSize();
    for (int known = 1; known < size && world.isLinked(); known <<= 1) {
      for (int from = 0; from < known && from + known < size; from++) {
        int receiver = (root + from + known) % size;
        reached[from + known] = group.deliver((root + from) % size, receiver, reached[from], bytes);
        arrivals[root * size + receiver] = reached[from + known];
      }
    }
    publish(root, share);
  }

  private void publish(int rank, Share share) {
    int blocks = 0;
    for (int peer = 0; peer < size; peer++) {
      blocks += share.sendBlocks.bytes(peer) > 0 ? 1 : 0;
      blocks += share.receiveBlocks.bytes(peer) > 0 && peer != rank ? 1 : 0;
    }
    comings[rank] = group.world.now();
    ends.set(rank, comings[rank]);
    remaining.set(rank, blocks);
    shares.set(rank, share);
    for (int peer = 0; peer < size; peer++) {
      Share other = shares.get(peer);
      if (other != null && peer != rank) {
        checkAgreed(rank, share, peer, other);
        checkAgreed(peer, other, rank, share);
        group.ring(peer);
      }
    }
  }

  private void checkAgreed(int sender, Share from, int receiver, Share to) {
    long sent = from.sendBlocks.bytes(receiver);
    long expected = to.receiveBlocks.bytes(sender);
    if (sent != expected) {
      throw new CommunicationException(
          "%s: %s sends %d bytes to %s, which expects %d"
              .formatted(describe(), group.name(sender), sent, group.name(receiver), expected));
    }
  }

  @Override
  public boolean advance(int rank) {
    for (int step = 0; step < size && remaining.get(rank) > 0; step++) {
      copy((rank + step) % size, rank);
    }
    for (int step = 1; step < size && remaining.get(rank) > 0; step++) {
      copy(rank, (rank + step) % size);
    }
    return remaining.get(rank) == 0;
  }

  private void copy(int sender, int receiver) {
    int cell = sender * size + receiver;
    Share from = shares.get(sender);
    Share to = shares.get(receiver);
    if (from == null || to == null || copies.get(cell) != OPEN || !hasArrived(cell)) {
      return;
    }
    if (sender != receiver) {
      // The rank that came last may not have looked at the other's share yet.
      checkAgreed(sender, from, receiver, to);
    }
    long bytes = to.receiveBlocks.bytes(sender);
    if (bytes == 0 || !copies.compareAndSet(cell, OPEN, TAKEN)) {
      return;
    }
    MemorySegment.copy(
        from.send,
        from.sendBlocks.offset(receiver),
        to.receive,
        to.receiveBlocks.offset(sender),
        bytes);
    long end = group.world.isLinked() ? carried(sender, receiver) : group.world.now();
    finish(sender, end);
    if (receiver != sender) {
      finish(receiver, end);
    }
  }

  /// When the link had carried a block, but not before both had come.
  private long carried(int sender, int receiver) {
    long both = JointMeeting.later(comings[sender], comings[receiver]);
    long arrival = arrivals[sender * size + receiver];
    return arrival == 0 ? both : JointMeeting.later(arrival, both);
  }

  private boolean hasArrived(int cell) {
    return arrivals[cell] == 0 || group.world.now() - arrivals[cell] >= 0;
  }

  private void finish(int rank, long end) {
    ends.accumulateAndGet(rank, end, JointMeeting::later);
    if (remaining.decrementAndGet(rank) == 0) {
      group.ring(rank);
    }
  }

  @Override
  public long completed(int rank) {
    return ends.get(rank);
  }

  @Override
  public boolean isUnderWay(int rank) {
    return absent(rank).isEmpty();
  }

  @Override
  public BitSet absent(int rank) {
    BitSet absent = new BitSet();
    Share own = shares.get(rank);
    for (int peer = 0; peer < size; peer++) {
      if (shares.get(peer) == null
          && (own.sendBlocks.bytes(peer) > 0 || own.receiveBlocks.bytes(peer) > 0)) {
        absent.set(peer);
      }
    }
    return absent;
  }

  @Override
  public long arrival(int rank) {
    long now = group.world.now();
    long wait = Long.MAX_VALUE;
    for (int peer = 0; peer < size; peer++) {
      for (int cell : new int[] {peer * size + rank, rank * size + peer}) {
        if (arrivals[cell] != 0 && copies.get(cell) == OPEN) {
          wait = Math.min(wait, arrivals[cell] - now);
        }
      }
    }
    return wait == Long.MAX_VALUE ? now + 1_000_000 : now + wait;
  }
}
