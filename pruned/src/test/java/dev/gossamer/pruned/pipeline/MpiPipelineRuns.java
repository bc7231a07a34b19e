package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.pipeline.PipelineRuns.Case;
import java.nio.file.Path;
import java.util.List;

/// What `mpirun` starts in [PipelineTrainingTest]: runs on 2 x 2 ranks, whose losses it prints.
final class MpiPipelineRuns {
  private MpiPipelineRuns() {}

  /// Activations travel in float32, then in 16 bits.
  static final List<Case> CASES =
      List.of(
          Case.on(2, 2).with(NumberFormat.BF16),
          Case.on(2, 2).with(NumberFormat.BF16).withActivations(NumberFormat.BF16));

  /// `text folder folder`
  public static void main(String[] arguments) {
    MpiRanks.run(
        LaunchEnvironment.detect(System.getenv()),
        MpiOptions.DEFAULT,
        world -> {
          for (int i = 0; i < CASES.size(); i++) {
            Path run = Path.of(arguments[i + 1]);
            List<Double> losses =
                PipelineRuns.losses(
                    world, Path.of(arguments[0]), run, CASES.get(i), Integer.MAX_VALUE);
            if (world.rank() == 0) {
              System.out.println("losses: " + losses);
            }
          }
        });
  }
}
