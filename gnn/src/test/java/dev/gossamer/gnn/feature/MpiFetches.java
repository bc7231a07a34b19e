package dev.gossamer.gnn.feature;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;

/// What `mpirun` starts in [PartitionedFeaturesTest].
final class MpiFetches {
  private MpiFetches() {}

  public static void main(String[] arguments) {
    LaunchEnvironment launched = LaunchEnvironment.detect(System.getenv());
    // MPICH keeps a core busy while a rank waits in a call; with one thread at a time nobody does.
    boolean oneThread = launched.launcher() == LaunchEnvironment.Launcher.MPICH;
    MpiRanks.run(
        launched, MpiOptions.DEFAULT.withOneThreadAtATime(oneThread), MpiFetches::fetchAll);
  }

  private static void fetchAll(Communicator world) {
    int equal = 0;
    for (int replication = 1; replication * replication <= world.size(); replication++) {
      for (RankFetches.Case what : RankFetches.mpiCases(replication)) {
        RankFetches.requireEqual(world, what);
        equal++;
      }
    }
    if (world.rank() == 0) {
      System.out.println("equal fetches: " + equal);
    }
  }
}
