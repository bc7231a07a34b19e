package dev.gossamer.comm.threads;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// A collective that starts when all ranks have arrived: barrier, split, reductions.
///
/// When the last rank has arrived, the work is a sequence of independent pieces; every rank that
/// waits or polls takes the next one until none is left.
///
/// @param <S> type of a rank's arguments
abstract class JointMeeting<S> extends Meeting {
  final AtomicReferenceArray<S> shares;
  private final AtomicInteger missing;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger unfinished = new AtomicInteger();
  private final long[] ends;
  private volatile boolean open;
  private volatile long worked;
  private int pieces;

  JointMeeting(RankGroup group) {
    super(group);
    shares = new AtomicReferenceArray<>(group.size());
    missing = new AtomicInteger(group.size());
    ends = new long[group.size()];
  }

  /// Called when a rank arrives, before its arguments are used; schedules its messages on the link.
  abstract void depart(int rank, S share);

  /// Called when all ranks have arrived: returns the number of pieces of work and sets `ends`.
  ///
  /// @param ends to fill: when the operation ends on each rank, by the world's clock
  abstract int begin(long[] ends);

  /// Does a piece of the work.
  abstract void work(int piece);

  final void come(int rank, S share) {
    depart(rank, share);
    shares.set(rank, share);
    if (missing.decrementAndGet() == 0) {
      pieces = begin(ends);
      unfinished.set(pieces);
      worked = group.world.now();
      open = true;
      for (int peer = 0; peer < group.size(); peer++) {
        group.ring(peer);
      }
    }
  }

  @Override
  public final boolean advance(int rank) {
    if (!open) {
      return false;
    }
    for (int piece = take(); piece < pieces; piece = take()) {
      work(piece);
      worked = group.world.now();
      if (unfinished.decrementAndGet() == 0) {
        for (int peer = 0; peer < group.size(); peer++) {
          group.ring(peer);
        }
      }
    }
    return unfinished.get() == 0
        && (!group.world.isLinked() || group.world.now() - ends[rank] >= 0);
  }

  private int take() {
    return next.get() >= pieces ? pieces : next.getAndIncrement();
  }

  @Override
  public final boolean isUnderWay(int rank) {
    return open;
  }

  @Override
  public final long arrival(int rank) {
    return unfinished.get() == 0 ? ends[rank] : group.world.now() + 1_000_000;
  }

  /// Returns when the data of the last rank had arrived and the work was done.
  @Override
  public final long completed(int rank) {
    return later(ends[rank], worked);
  }

  @Override
  public final BitSet absent(int rank) {
    BitSet absent = new BitSet();
    for (int peer = 0; peer < group.size(); peer++) {
      if (shares.get(peer) == null) {
        absent.set(peer);
      }
    }
    return absent;
  }

  /// The later of two times.
  static long later(long a, long b) {
    return a - b > 0 ? a : b;
  }

  /// A barrier.
  static final class Barrier extends JointMeeting<Boolean> {
    Barrier(RankGroup group) {
      super(group);
    }

    @Override
    void depart(int rank, Boolean share) {}

    @Override
    int begin(long[] ends) {
      int size = ends.length;
      Arrays.fill(ends, group.world.now());
      for (int distance = 1; distance < size; distance <<= 1) {
        long[] before = ends.clone();
        for (int rank = 0; rank < size; rank++) {
          int peer = (rank + distance) % size;
          long arrival = group.deliver(rank, peer, before[rank], 0);
          ends[peer] = later(ends[peer], arrival);
        }
      }
      return 0;
    }

    @Override
    void work(int piece) {}
  }
}
