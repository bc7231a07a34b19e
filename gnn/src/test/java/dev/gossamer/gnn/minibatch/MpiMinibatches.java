package dev.gossamer.gnn.minibatch;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.RankMinibatches.Case;
import dev.gossamer.gnn.minibatch.RankMinibatches.Training;
import dev.gossamer.matrix.format.RowFormat;
import java.nio.file.Path;
import java.util.List;

/// What `mpirun` starts in [RankMinibatchTest]: the [RankMinibatches#fewTrainings] on each of the
/// [RankMinibatches#mpiCases], and the [HistoricalTrainings#mpiCases], also from a checkpoint in
/// the folder that is the argument.
final class MpiMinibatches {
  private MpiMinibatches() {}

  public static void main(String[] arguments) {
    MpiRanks.run(
        LaunchEnvironment.detect(System.getenv()),
        MpiOptions.DEFAULT,
        world -> {
          int equal = 0;
          List<Training> trainings = RankMinibatches.fewTrainings();
          for (Training training : trainings) {
            for (Case what : RankMinibatches.mpiCases()) {
              RankMinibatches.assertEqualsSerial(
                  RankMinibatches.distributed(world, training, what), training);
              equal++;
            }
            training.close();
          }
          for (HistoricalTrainings.Case what : HistoricalTrainings.mpiCases()) {
            HistoricalTrainings.assertExactWithoutHits(world, what);
            HistoricalTrainings.assertResumable(
                world,
                what,
                HistoricalTrainings.settings(what, HistoricalSettings.DEFAULT, false)
                    .withWire(RowFormat.BF16),
                Path.of(arguments[0]));
            equal++;
          }
          if (world.rank() == 0) {
            System.out.println("equal trainings: " + equal);
          }
        });
  }
}
