package dev.gossamer.run;

import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/// The folder that one training run leaves: `config.yaml` (as resolved), `metrics.jsonl` (a line an
/// epoch), `checkpoint/`, `model.safetensors` (the best epoch's weights), `traffic.json` (what the
/// ranks sent) and, if asked for, `trace.json` (what they did when).
///
/// @param path of the folder
public record RunFolder(Path path) {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /// Makes `PARENT/TIME-NAME`, with a number behind it if that exists.
  ///
  /// @param parent made if it is not there
  /// @param name behind the time
  /// @return the new folder
  /// @throws InvalidInputException if it cannot be made
  public static RunFolder create(Path parent, String name) {
    String base =
        TIME.format(LocalDateTime.now(ZoneId.systemDefault()))
            + "-"
            + name.replaceAll("[^A-Za-z0-9._-]+", "-");
    try {
      Files.createDirectories(parent);
      Path path = parent.resolve(base);
      for (int i = 2; Files.exists(path); i++) {
        path = parent.resolve(base + "-" + i);
      }
      return new RunFolder(Files.createDirectory(path));
    } catch (IOException e) {
      throw InvalidInputException.unwritable(parent, e);
    }
  }

  /// {@return an earlier run's folder}
  ///
  /// @throws InvalidInputException if there is no run in it
  public static RunFolder open(Path path) {
    RunFolder folder = new RunFolder(path);
    if (!Files.isRegularFile(folder.config())) {
      throw new InvalidInputException(
          "%s: expected a run folder with config.yaml, found none".formatted(path));
    }
    return folder;
  }

  /// {@return an earlier run's folder, whether or not the settings are in it}
  ///
  /// @param path of the folder
  /// @throws InvalidInputException if there is no run in it
  public static RunFolder openBegun(Path path) {
    RunFolder folder = new RunFolder(path);
    if (!Files.isRegularFile(folder.config()) && !Files.isRegularFile(folder.metrics())) {
      throw new InvalidInputException(
          "%s: expected a run folder with config.yaml or metrics.jsonl, found neither"
              .formatted(path));
    }
    return folder;
  }

  /// {@return `config.yaml`, every setting as resolved}
  public Path config() {
    return path.resolve("config.yaml");
  }

  /// {@return `metrics.jsonl`, one line per epoch}
  public Path metrics() {
    return path.resolve("metrics.jsonl");
  }

  /// {@return `model.safetensors`, the best weights}
  public Path model() {
    return path.resolve("model.safetensors");
  }

  /// {@return `traffic.json`, what each rank sent}
  public Path traffic() {
    return path.resolve("traffic.json");
  }

  /// {@return `trace.json`, when what happened}
  public Path trace() {
    return path.resolve("trace.json");
  }

  /// {@return `checkpoint`, a folder}
  public Path checkpoint() {
    return path.resolve("checkpoint");
  }
}
