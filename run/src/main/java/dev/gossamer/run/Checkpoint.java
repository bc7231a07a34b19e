package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The folder `checkpoint/` of a run: everything that the next epoch depends on.
///
/// One safetensors file `epoch-N.safetensors` holds weights, the optimizer's moments and the best
/// weights so far; if ranks carry state of their own, each has a file of it ([CarriedState]).
/// `manifest.json` names the files with their SHA-256 and holds the counters; it is written last,
/// so that it always names complete files. The previous checkpoint is kept as well.
final class Checkpoint {
  /// The contents of the manifest.
  ///
  /// @param file name of the tensors' file
  /// @param sha256 of that file, hexadecimal
  /// @param steps optimizer steps taken
  /// @param selectBy name of the score that the best one is of
  /// @param progress of the loop
  /// @param carried the files of the ranks, in their order; empty if they carry no state
  record Manifest(
      String file,
      String sha256,
      long steps,
      String selectBy,
      Progress progress,
      List<CarriedState.File> carried) {}

  /// The progress of a loop between two epochs.
  ///
  /// @param epoch epochs done
  /// @param bestEpoch 1-based number of the epoch with the best validation score, 0 if none was
  ///   evaluated
  /// @param bestValidation its validation score, -1 if none was evaluated
  record Progress(int epoch, int bestEpoch, double bestValidation) {
    private static final double NONE = -1;

    /// Before the first epoch.
    static final Progress START = withoutBest(0);

    /// Some epochs of which none was evaluated.
    static Progress withoutBest(int epoch) {
      return new Progress(epoch, 0, NONE);
    }
  }

  private static final String SELECT_BY = "selectBy";
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,40}");

  private final CheckpointFolder folder;

  private final Metric selectBy;

  /// @param selectBy what the best validation score is measured by
  Checkpoint(Path folder, Metric selectBy) {
    this.folder = CheckpointFolder.ofEpochs(folder);
    this.selectBy = selectBy;
  }

  /// Whether there is a checkpoint to resume from.
  boolean exists() {
    return folder.exists();
  }

  /// Puts the previous checkpoint in the place of a damaged one.
  ///
  /// @return what is wrong with the damaged one
  static Optional<String> mend(CheckpointFolder folder) {
    return folder.mend(manifest -> {
      int epoch = (int) manifest.object("progress").integer("epoch", 0, Integer.MAX_VALUE);
      String beginning = CheckpointFolder.beginning(epoch);
      folder.intact(manifest, "file", beginning);
      manifest.objectsIfAny("carried").forEach(each -> folder.intact(each, "name", beginning));
    });
  }

  CheckpointFolder folder() {
    return folder;
  }

  /// @param carried files of the ranks, already written
  void write(
      Progress progress,
      DenseState state,
      Optimizer optimizer,
      MemorySegment best,
      List<CarriedState.File> carried) {
    String name = CheckpointFolder.fileOfAll(progress.epoch());
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    tensors.put("weights", flat(state.weights()));
    tensors.put("best", flat(best));
    for (int i = 0; i < optimizer.moments().size(); i++) {
      tensors.put("moment" + i, flat(optimizer.moments().get(i)));
    }
    new Safetensors(tensors, Map.of("format", "gossamer-checkpoint")).write(folder.file(name));
    Set<String> files = carried.stream().map(CarriedState.File::name).collect(Collectors.toSet());
    files.add(name);
    String by = InvalidSettingException.nameOf(selectBy);
    folder.commit(
        new Manifest(name, folder.sha256(name), optimizer.steps(), by, progress, carried), files);
  }

  /// Copies the checkpoint into the state, the optimizer, `best` and the carried state of the rank.
  ///
  /// @throws InvalidInputException if it is missing, damaged, or of another model
  Progress read(
      DenseState state, Optimizer optimizer, MemorySegment best, @Nullable CarriedState carried) {
    ManifestFields manifest = folder.read();
    long steps = manifest.integer("steps", 0, Long.MAX_VALUE);
    Progress progress = progress(manifest);
    String beginning = CheckpointFolder.beginning(progress.epoch());
    Path file = folder.intact(manifest, "file", beginning);
    try (Arena arena = Arena.ofConfined()) {
      Safetensors tensors = Safetensors.open(arena, file);
      long count = state.layout().count();
      state.weights().copyFrom(tensors.require(file, "weights", count).data());
      best.copyFrom(tensors.require(file, "best", count).data());
      for (int i = 0; i < optimizer.moments().size(); i++) {
        optimizer.moments().get(i).copyFrom(tensors.require(file, "moment" + i, count).data());
      }
    }
    optimizer.restore(steps);
    if (carried != null) {
      carried.read(ownFile(manifest, beginning, carried));
    }
    return progress;
  }

  private Progress progress(ManifestFields manifest) {
    ManifestFields fields = manifest.object("progress");
    int epoch = (int) fields.integer("epoch", 0, Integer.MAX_VALUE);
    int bestEpoch = (int) fields.integer("bestEpoch", 0, epoch);
    double bestValidation;
    if (bestEpoch == 0) {
      bestValidation = fields.number("bestValidation", Progress.NONE, Progress.NONE);
    } else if (otherScore(manifest).isPresent()) {
      bestValidation = fields.number("bestValidation", -Double.MAX_VALUE, Double.MAX_VALUE);
    } else {
      bestValidation = fields.number("bestValidation", selectBy.least(), selectBy.most());
    }
    return new Progress(epoch, bestEpoch, bestValidation);
  }

  /// The name of the score that the best weights were selected by, if it is another one. Manifests
  /// of older versions do not say it.
  Optional<String> otherScore() {
    ManifestFields manifest = folder.read();
    boolean selected = manifest.object("progress").integer("bestEpoch", 0, Integer.MAX_VALUE) > 0;
    return selected ? otherScore(manifest) : Optional.empty();
  }

  private Optional<String> otherScore(ManifestFields manifest) {
    return manifest.has(SELECT_BY)
        ? Optional.of(manifest.text(SELECT_BY, NAME, "the name of a score"))
            .filter(name -> !name.equals(InvalidSettingException.nameOf(selectBy)))
        : Optional.empty();
  }

  /// The file of this rank.
  private Path ownFile(ManifestFields manifest, String beginning, CarriedState carried) {
    List<ManifestFields> files = manifest.objects("carried");
    if (files.size() != carried.ranks()) {
      throw new InvalidInputException(
          "%s: expected the caches of %d ranks, found those of %d; resume with the number of ranks of the run, or start a new run"
              .formatted(folder.path(), carried.ranks(), files.size()));
    }
    return folder.intact(files.get(carried.rank()), "name", beginning);
  }

  private static Safetensors.Tensor flat(MemorySegment data) {
    return new Safetensors.Tensor(List.of(data.byteSize() / Float.BYTES), data);
  }
}
