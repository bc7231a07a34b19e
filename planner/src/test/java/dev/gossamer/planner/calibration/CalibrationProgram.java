package dev.gossamer.planner.calibration;

import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.graph.Progress;
import dev.gossamer.planner.ClusterFile;
import java.nio.file.Path;

/// One of the ranks of [CalibrationUnderMpiTest].
final class CalibrationProgram {
  private CalibrationProgram() {}

  /// @param arguments the file to write, and how many ranks are taken for a node
  public static void main(String[] arguments) {
    int here = Integer.parseInt(arguments[1]);
    MpiRanks.run(ranks -> {
      Calibration measured =
          Calibration.ofRanks(ranks, "node" + ranks.rank() / here, Effort.QUICK, Progress.SILENT);
      if (ranks.rank() == 0) {
        ClusterFile.write(Path.of(arguments[0]), measured.cluster());
        System.out.println("between " + measured.between().isPresent());
      }
    });
  }
}
