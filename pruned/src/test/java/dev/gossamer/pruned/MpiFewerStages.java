package dev.gossamer.pruned;

import java.nio.file.Path;

/// What `mpirun` starts in [PrunedTrainingTest]: a run that goes on with fewer stages once its
/// network has been pruned.
final class MpiFewerStages {
  private MpiFewerStages() {}

  /// `text bytes-per-rank model`
  public static void main(String[] arguments) {
    PrunedResult run =
        TinyText.training(Path.of(arguments[0]))
            .automaticStages()
            .machine(TinyText.MACHINE.withMemoryPerRank(Long.parseLong(arguments[1])))
            .train();
    PrunedModel model = run.model();
    if (model != null) {
      model.write(Path.of(arguments[2]));
      System.out.println(
          "stages: " + run.result().records().stream().map(r -> r.grid().inter()).toList());
    }
  }
}
