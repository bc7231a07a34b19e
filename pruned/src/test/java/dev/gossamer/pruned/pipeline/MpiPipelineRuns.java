package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.pipeline.PipelineRuns.Case;
import java.nio.file.Path;
import java.util.List;

/// What `mpirun` starts in [PipelineTrainingTest]: a run on 2 x 2 ranks, whose losses it prints.
final class MpiPipelineRuns {
  private MpiPipelineRuns() {}

  /// `text folder`
  public static void main(String[] arguments) {
    Case what = Case.on(2, 2).with(NumberFormat.BF16);
    MpiRanks.run(
        LaunchEnvironment.detect(System.getenv()),
        MpiOptions.DEFAULT,
        world -> {
          List<Double> losses =
              PipelineRuns.losses(
                  world, Path.of(arguments[0]), Path.of(arguments[1]), what, Integer.MAX_VALUE);
          if (world.rank() == 0) {
            System.out.println("losses: " + losses);
          }
        });
  }
}
