package dev.gossamer.comm.threads;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/// State shared by the ranks of one communicator: collectives that not all ranks have reached yet,
/// and messages that wait for their partner.
final class RankGroup {
  final ThreadWorld world;
  private final int[] worldRanks;
  private final Map<Long, Meeting> meetings = new HashMap<>();
  private final Mailbox[] mailboxes;

  /// @param worldRanks the numbers in the world of this group's ranks
  RankGroup(ThreadWorld world, int[] worldRanks) {
    this.world = world;
    this.worldRanks = worldRanks;
    mailboxes = new Mailbox[worldRanks.length];
    for (int rank = 0; rank < mailboxes.length; rank++) {
      mailboxes[rank] = new Mailbox(this, rank);
    }
  }

  int size() {
    return worldRanks.length;
  }

  int worldRank(int rank) {
    return worldRanks[rank];
  }

  /// A rank in the words of a message: by its number in the world.
  String name(int rank) {
    return "rank " + worldRanks[rank];
  }

  /// [ThreadWorld#deliver] between two ranks of this group.
  long deliver(int sender, int receiver, long notBefore, long bytes) {
    return world.deliver(worldRanks[sender], worldRanks[receiver], notBefore, bytes);
  }

  void ring(int rank) {
    world.ring(worldRanks[rank]);
  }

  Mailbox mailbox(int receiver) {
    return mailboxes[receiver];
  }

  /// The meeting of all ranks for their collective number `sequence`; the first to come makes it.
  ///
  /// @throws dev.gossamer.comm.CommunicationException if the ranks that came before called
  ///   something else
  Meeting meeting(long sequence, Signature signature, int rank, Supplier<? extends Meeting> maker) {
    synchronized (meetings) {
      Meeting meeting = meetings.computeIfAbsent(sequence, ignored -> maker.get());
      meeting.admit(sequence, signature, rank);
      if (meeting.hasAll()) {
        meetings.remove(sequence);
      }
      return meeting;
    }
  }
}
