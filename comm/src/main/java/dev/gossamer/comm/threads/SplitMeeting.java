package dev.gossamer.comm.threads;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/// Ranks state their part and receive its group.
final class SplitMeeting extends JointMeeting<SplitMeeting.Choice> {
  /// The arguments of a rank; see `Communicator.split`.
  record Choice(int color, int key) {}

  /// A rank's place in its part.
  record Place(RankGroup part, int rank) {}

  private final Place[] places;

  SplitMeeting(RankGroup group) {
    super(group);
    places = new Place[group.size()];
  }

  @Override
  void depart(int rank, Choice share) {}

  @Override
  int begin(long[] ends) {
    Arrays.fill(ends, group.world.now());
    for (int rank = 0; rank < places.length; rank++) {
      if (places[rank] == null) {
        found(shares.get(rank).color);
      }
    }
    return 0;
  }

  private void found(int color) {
    int[] members =
        IntStream.range(0, places.length)
            .filter(rank -> shares.get(rank).color == color)
            .boxed()
            .sorted(Comparator.comparingInt(rank -> shares.get(rank).key))
            .mapToInt(Integer::intValue)
            .toArray();
    int[] worldRanks = Arrays.stream(members).map(group::worldRank).toArray();
    RankGroup part = new RankGroup(group.world, worldRanks);
    for (int rank = 0; rank < members.length; rank++) {
      places[members[rank]] = new Place(part, rank);
    }
  }

  @Override
  void work(int piece) {}

  /// Returns the place of a rank, after the meeting.
  Place place(int rank) {
    return places[rank];
  }
}
