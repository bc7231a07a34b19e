package dev.gossamer.cli.pruned;

import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.pruned.layers.DenseArchitecture;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "prune",
    description = "Train networks that are pruned during training, and use them.",
    mixinStandardHelpOptions = true,
    subcommands = {
      PruneTrainCommand.class,
      PrunePlanCommand.class,
      PruneEvaluateCommand.class,
      PruneGenerateCommand.class,
      PruneInspectCommand.class,
      PruneExportCommand.class,
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune train                a language model, pruned during training",
      "  gossamer prune plan --ranks 1..4    on how many ranks, and how, it is fastest",
      "  gossamer prune evaluate RUN         its loss on validation and test data",
      "  gossamer prune generate RUN --prompt 'java.util.'",
    })
public final class PruneCommand implements Runnable {
  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected a command, found none");
  }

  /// Returns the arguments with `prune plan` in place of `plan` if the network is one of `prune
  /// train`, so that users need not know which command trains it.
  public static String[] planned(String... arguments) {
    boolean layers =
        isOfLayers(ConfigFile.valueOf("--model", arguments))
            || ConfigFile.valueOf("--from", arguments) != null;
    if (!layers || !arguments[0].equals("plan")) {
      return arguments;
    }
    return Stream.concat(Stream.of("prune"), Arrays.stream(arguments)).toArray(String[]::new);
  }

  private static boolean isOfLayers(@Nullable String model) {
    return model != null && DenseArchitecture.NAMES.contains(model.toLowerCase(Locale.ROOT));
  }
}
