package dev.gossamer.cli.data;

import dev.gossamer.DataSettings;
import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.VertexData;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.terminal.CacheReport;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.run.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The model of a training run, and the data that it was trained on.
///
/// @param path the folder of the run, or its `model.safetensors`
public record TrainedRun(Path path) {
  /// Returns the model.
  ///
  /// @throws InvalidInputException if there is none, with the command that makes it
  public GraphModel model() {
    if (Files.isDirectory(path) && !Files.exists(new RunFolder(path).model())) {
      Path model = RunFolder.open(path).model();
      throw new InvalidInputException(
          "%s: expected a trained model, found none; finish the run with: gossamer train --resume %s"
              .formatted(model, path));
    }
    return GraphModel.open(path);
  }

  /// Opens a data set, with the split of the run.
  ///
  /// @param model whose features it must have
  /// @param data the data set; null for that of the run
  /// @throws InvalidInputException if nothing names one
  public Dataset dataset(GraphModel model, @Nullable String data, CommonOptions common) {
    DataSettings settings = settings(data);
    return open(model, data == null ? settings : settings.withData(data), common);
  }

  /// Opens the data set of the run with its own labels, whatever the model predicts.
  ///
  /// @param model whose features it must have
  /// @throws InvalidInputException if nothing names one
  public Dataset ownDataset(GraphModel model, CommonOptions common) {
    return open(model, settings(null).withVertexData(VertexData.OWN), common);
  }

  private DataSettings settings(@Nullable String data) {
    RunFolder folder = new RunFolder(path);
    if (Files.isRegularFile(folder.config())) {
      return ConfigFile.read(folder.config()).fill(new VertexDataOptions()).settings();
    }
    if (data == null) {
      throw new InvalidInputException(
          "--data: expected a data set, since %s has no config.yaml that names one"
              .formatted(path));
    }
    return DataSettings.DEFAULT;
  }

  private static Dataset open(GraphModel model, DataSettings settings, CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return settings.openFor(model, report);
    }
  }
}
