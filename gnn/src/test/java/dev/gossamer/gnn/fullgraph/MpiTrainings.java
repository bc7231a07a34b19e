package dev.gossamer.gnn.fullgraph;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.gnn.fullgraph.RankTrainings.Case;
import dev.gossamer.gnn.fullgraph.RankTrainings.Network;
import java.util.Arrays;
import java.util.List;

/// What `mpirun` starts in [RankTrainingTest]: trainings of [RankTrainings#mpiCases] with networks
/// of some numbers of layers, or one in whose midst a rank throws.
final class MpiTrainings {
  private MpiTrainings() {}

  /// `all` or `half` of the cases and numbers of layers, or `throw`.
  public static void main(String[] arguments) {
    LaunchEnvironment launched = LaunchEnvironment.detect(System.getenv());
    // MPICH keeps a core busy while a rank waits in a call, and here there are more ranks than
    // cores; with one thread at a time nobody waits in a call.
    boolean oneThread = launched.launcher() == LaunchEnvironment.Launcher.MPICH;
    MpiRanks.run(
        launched,
        MpiOptions.DEFAULT.withOneThreadAtATime(oneThread),
        world -> {
          List<Case> cases = RankTrainings.mpiCases(!arguments[0].equals("half"));
          if (arguments[0].equals("throw")) {
            train(world, new int[] {1}, cases, true);
          } else {
            int[] layers = Arrays.stream(arguments).skip(1).mapToInt(Integer::parseInt).toArray();
            train(world, layers, cases, false);
          }
        });
  }

  private static void train(
      Communicator world, int[] layersOfNetworks, List<Case> cases, boolean fails) {
    int equal = 0;
    for (int layers : layersOfNetworks) {
      try (Network network = RankTrainings.network(layers)) {
        for (Case what : cases) {
          if (fails && equal == 3 && world.rank() == 2) {
            throw new IllegalStateException("no more rows");
          }
          RankTrainings.assertEqualsSerial(
              RankTrainings.distributed(world, network, what), network);
          equal++;
        }
      }
    }
    if (world.rank() == 0) {
      System.out.println("equal trainings: " + equal);
    }
  }
}
