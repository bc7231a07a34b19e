package dev.gossamer.minibatch;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.MpiOptions;
import dev.gossamer.comm.MpiRanks;
import dev.gossamer.minibatch.RankMinibatches.Case;
import dev.gossamer.minibatch.RankMinibatches.Training;
import java.util.List;

/// What `mpirun` starts in [RankMinibatchTest]: each training of [RankMinibatches#mpiCases].
final class MpiMinibatches {
  private MpiMinibatches() {}

  public static void main(String[] arguments) {
    LaunchEnvironment launched = LaunchEnvironment.detect(System.getenv());
    // See MpiTrainings: there are more ranks than cores.
    boolean oneThread = launched.launcher() == LaunchEnvironment.Launcher.MPICH;
    MpiRanks.run(
        launched,
        MpiOptions.DEFAULT.withOneThreadAtATime(oneThread),
        world -> {
          int equal = 0;
          List<Training> trainings = RankMinibatches.trainings();
          for (Training training : trainings) {
            for (Case what : RankMinibatches.mpiCases()) {
              RankMinibatches.assertEqualsSerial(
                  RankMinibatches.distributed(world, training, what), training);
              equal++;
            }
            training.close();
          }
          if (world.rank() == 0) {
            System.out.println("equal trainings: " + equal);
          }
        });
  }
}
