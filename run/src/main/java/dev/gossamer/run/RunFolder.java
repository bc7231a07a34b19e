package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/// The output folder of a training run: `config.yaml` (as resolved), `metrics.jsonl` (one line per
/// epoch), `checkpoint/`, `data.json` (identity of the data), `plan.json` (what was estimated of
/// it), `model.safetensors` (the weights of the best epoch), `traffic.json` (what the ranks sent)
/// and, optionally, `trace.json` (a timeline) and `asked.json` (settings before automatic choices).
///
/// The folder itself may be a link. Links inside it are not followed: requesting a file whose name
/// is a link, a folder, a pipe or a device throws an [InvalidInputException].
///
/// @param path of the folder
public record RunFolder(Path path) {
  private static final String CONFIG = "config.yaml";
  private static final String METRICS = "metrics.jsonl";
  private static final String MODEL = "model.safetensors";
  private static final String TRAFFIC = "traffic.json";
  private static final String TRACE = "trace.json";
  private static final String CHECKPOINT = "checkpoint";
  private static final String DATA = "data.json";
  private static final String PLAN = "plan.json";
  private static final String ASKED = "asked.json";
  private static final List<String> FILES =
      List.of(CONFIG, METRICS, MODEL, TRAFFIC, TRACE, DATA, PLAN, ASKED);

  private static final int LONGEST_DATA = 1 << 16;
  private static final int LONGEST_ASKED = 1 << 20;
  private static final Pattern IDENTITY = Pattern.compile("[ -~]{1,200}");
  private static final Pattern SETTING = Pattern.compile("(?s).*");
  private static final JsonMapper JSON = new JsonMapper();

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /// Creates `PARENT/TIME-NAME`, with a number appended if it exists.
  ///
  /// @param parent created if it does not exist
  /// @param name follows the time
  /// @return the new folder
  /// @throws InvalidInputException if it cannot be created
  public static RunFolder create(Path parent, String name) {
    String base =
        TIME.format(LocalDateTime.now(ZoneId.systemDefault()))
            + "-"
            + name.replaceAll("[^A-Za-z0-9._-]+", "-");
    make(parent);
    for (int number = 1; ; number++) {
      try {
        Path path = parent.resolve(number == 1 ? base : base + "-" + number);
        return new RunFolder(Files.createDirectory(path));
      } catch (FileAlreadyExistsException e) {
        // Another run has the name, perhaps one that began at the same moment.
      } catch (IOException e) {
        throw InvalidInputException.unwritable(parent, e);
      }
    }
  }

  /// {@return the folder at exactly this path, which is created if it does not exist, whether or
  /// not there is a run in it}
  ///
  /// @param path of the folder
  /// @throws InvalidInputException if it cannot be created, or there is a link in it
  public static RunFolder at(Path path) {
    make(path);
    return new RunFolder(path).withoutLinks();
  }

  private static void make(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new InvalidInputException(
          "%s: expected a folder, found something else".formatted(folder), e);
    } catch (IOException e) {
      throw InvalidInputException.unwritable(folder, e);
    }
  }

  /// {@return the folder at exactly this path for a new run, which is created if it does not exist}
  ///
  /// @param path of the folder
  /// @throws InvalidInputException if it cannot be created, or there is a run or a link in it
  public static RunFolder newAt(Path path) {
    RunFolder folder = at(path);
    if (folder.isBegun()) {
      throw new InvalidInputException(
          "%s: expected a folder without a run, found one".formatted(path));
    }
    // What a start has left that ended before its run began is of other data, perhaps.
    try {
      Files.deleteIfExists(folder.file(DATA));
      Files.deleteIfExists(folder.plan());
    } catch (IOException e) {
      throw InvalidInputException.unwritable(path, e);
    }
    return folder;
  }

  /// {@return whether a run has begun in the folder: one that ended before it had written its
  /// settings has not}
  public boolean isBegun() {
    return Files.exists(config()) || Files.exists(metrics());
  }

  /// {@return an earlier run's folder with its settings}
  ///
  /// @param path of the folder
  /// @throws InvalidInputException if there is no run with settings in it, or a link
  public static RunFolder open(Path path) {
    RunFolder folder = new RunFolder(path);
    if (!Files.exists(folder.config())) {
      throw new InvalidInputException(
          "%s: expected a run folder with config.yaml, found none%s"
              .formatted(
                  path,
                  Files.exists(folder.metrics())
                      ? "; the run was started by a program, which can resume it"
                      : ""));
    }
    return folder.withoutLinks();
  }

  /// {@return an earlier run's folder, whether or not the settings are in it}
  ///
  /// @param path of the folder
  /// @throws InvalidInputException if there is no run in it, or a link
  public static RunFolder openBegun(Path path) {
    RunFolder folder = new RunFolder(path);
    if (!folder.isBegun()) {
      throw new InvalidInputException(
          "%s: expected a run folder with config.yaml or metrics.jsonl, found neither"
              .formatted(path));
    }
    return folder.withoutLinks();
  }

  /// Checks early what would otherwise be refused at the end of the run.
  private RunFolder withoutLinks() {
    FILES.forEach(name -> OwnFiles.requireFile(path.resolve(name)));
    OwnFiles.requireFolder(path.resolve(CHECKPOINT));
    return this;
  }

  /// {@return `config.yaml`, every setting as resolved}
  public Path config() {
    return file(CONFIG);
  }

  /// {@return `metrics.jsonl`, one line per epoch}
  public Path metrics() {
    return file(METRICS);
  }

  /// {@return `plan.json`, the estimate}
  public Path plan() {
    return file(PLAN);
  }

  /// {@return `model.safetensors`, the best weights}
  public Path model() {
    return file(MODEL);
  }

  /// {@return `traffic.json`, what each rank sent}
  public Path traffic() {
    return file(TRAFFIC);
  }

  /// {@return `trace.json`, the timeline}
  public Path trace() {
    return file(TRACE);
  }

  /// Records the identity of the training data in `data.json` or, if it is already recorded,
  /// requires the same data: a run continues with the data that it started with. Runs of older
  /// versions have no record.
  ///
  /// @param parts of the data (`labels`), each with the identity of its content
  /// @throws InvalidInputException if the recorded parts differ; the message names the differing
  ///   ones
  public void requireSameData(SortedMap<String, String> parts) {
    requireSameData(parts, Set.of());
  }

  /// Does the same with parts that older versions did not record.
  ///
  /// @param parts of the data, as above
  /// @param later names of those that are not compared if there is no record of them
  /// @throws InvalidInputException as above
  public void requireSameData(SortedMap<String, String> parts, Set<String> later) {
    Path file = file(DATA);
    if (!Files.exists(file)) {
      AtomicOutput.file(file, temporary -> Files.write(temporary, JSON.writeValueAsBytes(parts)));
      return;
    }
    SortedMap<String, String> noted =
        ManifestFields.read(file, LONGEST_DATA).texts(IDENTITY, "what identifies a part");
    SortedSet<String> names = differing(noted, parts);
    names.removeIf(name -> later.contains(name) && !noted.containsKey(name));
    if (!names.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected the data that the run was started with, found data that differ in: %s; resume with the original data, or start a new run"
              .formatted(file, String.join(", ", names)));
    }
  }

  /// Records in `asked.json` what a new run was asked for, without what was chosen automatically.
  ///
  /// @param settings values by name, as they were given
  /// @throws InvalidInputException if it cannot be written
  public void keepAsked(SortedMap<String, String> settings) {
    AtomicOutput.file(
        file(ASKED), temporary -> Files.write(temporary, JSON.writeValueAsBytes(settings)));
  }

  /// {@return the names of the settings that differ from what the run was asked for; empty if there
  /// is no record of that}
  ///
  /// @param settings as for [#keepAsked]
  /// @throws InvalidInputException if the record is damaged
  public Optional<SortedSet<String>> changedSince(SortedMap<String, String> settings) {
    Path file = file(ASKED);
    return Files.exists(file)
        ? Optional.of(
            differing(ManifestFields.read(file, LONGEST_ASKED).texts(SETTING, "text"), settings))
        : Optional.empty();
  }

  private static SortedSet<String> differing(
      SortedMap<String, String> noted, SortedMap<String, String> found) {
    SortedSet<String> names = new TreeSet<>(noted.keySet());
    names.addAll(found.keySet());
    names.removeIf(name -> Objects.equals(noted.get(name), found.get(name)));
    return names;
  }

  /// Records what was estimated in `plan.json`. A run that is resumed keeps what was estimated at
  /// its beginning: a resume that is refused later must not have changed a file.
  ///
  /// @param estimate of the run
  /// @throws InvalidInputException if it cannot be written
  public void keep(RunEstimate estimate) {
    Path file = plan();
    if (!Files.exists(file)) {
      estimate.write(file);
    }
  }

  /// {@return `checkpoint`, a folder}
  public Path checkpoint() {
    Path folder = path.resolve(CHECKPOINT);
    OwnFiles.requireFolder(folder);
    return folder;
  }

  /// {@return a file of the run}
  ///
  /// @param name plain, without folders
  /// @throws InvalidInputException if a link, a folder, a pipe or a device has the name
  public Path file(String name) {
    Path file = path.resolve(name);
    OwnFiles.requireFile(file);
    return file;
  }
}
