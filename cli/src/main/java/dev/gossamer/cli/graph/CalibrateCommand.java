package dev.gossamer.cli.graph;

import dev.gossamer.Calibration;
import dev.gossamer.CalibrationSettings;
import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "calibrate",
    description = {
      "Fit the probabilities of a trained model to the validation vertices.",
      "Divides all outputs by one temperature, which brings probabilities near to frequencies and leaves the likeliest"
          + " class as it is. With --threshold, also chooses from which probability on the second of two classes is"
          + " predicted.",
      "Writes both into the model of the run, or with --out into a copy of it; evaluate and predict then use them. Each"
          + " call replaces what an earlier one wrote, and leaves the weights as they are.",
    },
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer calibrate runs/20260131-101500-payments",
      "      fit the probabilities; classes stay as they are",
      "  gossamer calibrate runs/20260131-101500-payments --threshold f1",
      "      and predict the second class from the probability with the best F1",
      "  gossamer calibrate runs/20260131-101500-payments --threshold precision:0.9",
      "      as much of the second class as possible with nine of ten predictions right",
      "  gossamer calibrate runs/20260131-101500-payments --temperature 1",
      "      as after training",
    })
public final class CalibrateCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to use other data than that of the run, or fewer neighbours.")
  @Mixin
  ModelOptions options = new ModelOptions();

  @FlagGroup(
      value = "Decision:",
      sentence = "Needed to choose a threshold, to set what is not fitted, or to keep the model.")
  @Mixin
  CalibrationOptions decision = new CalibrationOptions();

  @FlagGroup("Output:")
  @Mixin
  MemoryOptions memory = new MemoryOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    options.use(common, memory, new Calibrating(decision.settings(), file()));
    return 0;
  }

  /// Returns the model file to write, after a check that it can be written.
  private Path file() {
    Path model = options.path();
    if (Files.isDirectory(model)) {
      model = new RunFolder(model).model();
    }
    Path file = decision.file(model);
    if (file.equals(model) && Files.exists(model)) {
      AtomicOutput.requireWritable(model);
    }
    return file;
  }

  private final class Calibrating implements ModelOptions.Purpose<Calibration> {
    private final CalibrationSettings settings;
    private final Path file;

    private Calibrating(CalibrationSettings settings, Path file) {
      this.settings = settings;
      this.file = file;
    }

    @Override
    public MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings inference) {
      return model.evaluationMemory(dataset, inference);
    }

    @Override
    public Calibration use(GraphModel model, Dataset dataset, InferenceSettings inference) {
      return model.calibrate(dataset, settings, inference);
    }

    @Override
    public void report(Dataset dataset, Calibration found) {
      found.model().write(file);
      new CalibrationReport(dataset.name(), found, file)
          .print(spec.commandLine().getOut(), common.json);
    }
  }
}
