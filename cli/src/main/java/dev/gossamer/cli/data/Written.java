package dev.gossamer.cli.data;

import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;

/// Reports a data set folder that was written.
final class Written {
  private Written() {}

  static void report(CommandSpec spec, CommonOptions common, GraphData dataset, Path folder) {
    if (common.json) {
      try (ProgressSteps progress = new ProgressSteps(common.quiet)) {
        DatasetFacts facts = DatasetFacts.of(dataset, progress);
        spec.commandLine().getOut().println(facts.with("folder", folder.toString()).json());
      }
    } else {
      DatasetText.print(dataset, spec.commandLine().getOut());
      spec.commandLine().getOut().printf("written  %s%n", folder);
    }
    spec.commandLine().getOut().flush();
  }
}
