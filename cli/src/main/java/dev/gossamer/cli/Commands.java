package dev.gossamer.cli;

import dev.gossamer.cli.data.DatasetCommand;
import dev.gossamer.cli.export.ExportCommand;
import dev.gossamer.cli.graph.BenchCommand;
import dev.gossamer.cli.graph.CalibrateCommand;
import dev.gossamer.cli.graph.EvaluateCommand;
import dev.gossamer.cli.graph.PartitionCommand;
import dev.gossamer.cli.graph.PlanCommand;
import dev.gossamer.cli.graph.PredictCommand;
import dev.gossamer.cli.graph.RecommendCommand;
import dev.gossamer.cli.graph.TrainCommand;
import dev.gossamer.cli.pruned.PruneCommand;
import dev.gossamer.cli.report.ReportCommand;
import dev.gossamer.cli.report.WatchCommand;
import java.util.List;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/// The commands below `gossamer`.
public final class Commands {
  /// In the order in which they are listed.
  private static final List<Class<?>> TYPES =
      List.of(
          TrainCommand.class,
          PlanCommand.class,
          EvaluateCommand.class,
          PredictCommand.class,
          CalibrateCommand.class,
          RecommendCommand.class,
          ExportCommand.class,
          ReportCommand.class,
          WatchCommand.class,
          DatasetCommand.class,
          PartitionCommand.class,
          PruneCommand.class,
          BenchCommand.class,
          InfoCommand.class,
          ShellCommand.class,
          SchemaCommand.class,
          CompletionCommand.class,
          ManCommand.class,
          HelpCommand.class);

  private Commands() {}

  /// {@return all commands with all their flags}
  public static CommandLine all() {
    return read(name -> true);
  }

  /// Returns the commands that a call needs. Reading the flags of all takes half of the time of a
  /// short command; of those that it does not name, names and descriptions are known, which is what
  /// a list of commands shows.
  ///
  /// @param arguments of the call
  static CommandLine named(List<String> arguments) {
    return read(arguments::contains);
  }

  private static CommandLine read(Predicate<String> wanted) {
    CommandLine root = new CommandLine(new GossamerCommand());
    for (Class<?> type : TYPES) {
      Command command = type.getAnnotation(Command.class);
      Object model = wanted.test(command.name()) ? type : unread(command);
      root.addSubcommand(command.name(), new CommandLine(model)); // applies its model transformer
    }
    return Main.prepared(root);
  }

  private static CommandSpec unread(Command command) {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage().description(command.description()).hidden(command.hidden());
    return spec;
  }
}
