package dev.gossamer.cli.graph;

import dev.gossamer.Architecture;
import dev.gossamer.GraphRun;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.TrainingMode;
import dev.gossamer.cli.settings.CommandWords;
import dev.gossamer.cli.settings.FlagValues;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The command that trains with a planned strategy, with the flags that differ from the defaults.
public final class TrainArguments {
  private TrainArguments() {}

  /// Returns the command for a shell.
  ///
  /// @param asked the run that was planned for
  static String command(GraphRun asked, PlannedStrategy strategy) {
    PlannedStrategy.Place place = strategy.place();
    String launcher =
        place.processes()
            ? "mpirun -np %d --map-by ppr:%d:node ".formatted(place.ranks(), place.ranksOfNode())
            : "";
    GraphRun run = asked.withTraining(strategy.settings(asked.training()));
    return launcher + "gossamer train" + CommandWords.joined(words(run, place.processes()));
  }

  /// Returns hints for the launcher of processes.
  static String launch(PlannedStrategy strategy) {
    return "that of Open MPI, which for root needs --allow-run-as-root too; of MPICH, -ppn %d instead of --map-by. Nodes: --hostfile FILE"
        .formatted(strategy.place().ranksOfNode());
  }

  /// Returns the words after `gossamer train`.
  ///
  /// @param launched whether the ranks are the processes of a launcher, which sets their number
  public static List<String> words(GraphRun run, boolean launched) {
    Map<String, Object> said = new LinkedHashMap<>(FlagValues.of(run));
    Map<String, Object> usual = new LinkedHashMap<>(FlagValues.of(usual(run)));
    if (launched) {
      said.remove("ranks");
    }
    if (run.training().mode() instanceof TrainingMode.Minibatch) {
      // What minibatches are drawn by is said, even if it is what is usual.
      usual.keySet().removeAll(List.of("mode", "sampler"));
    }
    Architecture network = run.training().architecture();
    if (!network.hidden().equals(Architecture.of(network.kind()).hidden())) {
      // What is usual for one kind of layer need not be for another.
      usual.remove("hidden");
    }
    return CommandWords.of(said, usual);
  }

  /// The run that no flags make; of minibatches, the usual ones for as many layers.
  private static GraphRun usual(GraphRun run) {
    MinibatchSettings batches = run.training().architecture().usualMinibatches();
    TrainingMode mode =
        run.training().mode() instanceof TrainingMode.Minibatch
            ? new TrainingMode.Minibatch(batches)
            : new TrainingMode.Auto(batches);
    return GraphRun.DEFAULT.withTraining(GraphRun.DEFAULT.training().withMode(mode));
  }
}
