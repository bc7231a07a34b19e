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

/// What `mpirun` starts in [RankMinibatchTest]: each of the [RankMinibatches#fewTrainings] on a
/// case of the [RankMinibatches#mpiCases], or on all, and the first or all of the
/// [HistoricalTrainings#mpiCases], also from a checkpoint. Arguments: a folder, and `all` or
/// nothing.
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
                HistoricalTrainings.settings(what, HistoricalSettings.DEFAULT.withLife(3), false)
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
