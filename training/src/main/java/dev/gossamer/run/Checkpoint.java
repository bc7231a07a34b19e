package dev.gossamer.run;

import dev.gossamer.matrix.io.AtomicOutput;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.Safetensors;
import dev.gossamer.nn.optimizer.Optimizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// The folder `checkpoint/` of a run: everything that the next epoch depends on.
///
/// One safetensors file `epoch-N.safetensors` holds weights, the optimizer's moments and the best
/// weights so far. `manifest.json` names that file with its SHA-256 and holds the counters; it is
/// written last, so that it always names a whole file. The file of the checkpoint before is deleted
/// after that.
final class Checkpoint {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  /// What the manifest says.
  ///
  /// @param file name of the tensors' file
  /// @param sha256 of that file, hexadecimal
  /// @param steps optimizer steps taken
  /// @param progress where the loop stands
  record Manifest(String file, String sha256, long steps, Progress progress) {}

  /// Where a loop stands between two epochs.
  ///
  /// @param epoch epochs done
  /// @param bestEpoch 1-based number of the epoch with the best validation accuracy, 0 if none was
  ///   evaluated
  /// @param bestValidation its validation accuracy
  record Progress(int epoch, int bestEpoch, double bestValidation) {}

  private final Path folder;

  Checkpoint(Path folder) {
    this.folder = folder;
  }

  /// Whether there is a checkpoint to resume from.
  boolean exists() {
    return Files.exists(manifestFile());
  }

  void write(Progress progress, ModelState state, Optimizer optimizer, MemorySegment best) {
    Path file = folder.resolve("epoch-%06d.safetensors".formatted(progress.epoch()));
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    tensors.put("weights", flat(state.weights()));
    tensors.put("best", flat(best));
    for (int i = 0; i < optimizer.moments().size(); i++) {
      tensors.put("moment" + i, flat(optimizer.moments().get(i)));
    }
    new Safetensors(tensors, Map.of("format", "gossamer-checkpoint")).write(file);
    Manifest manifest =
        new Manifest(file.getFileName().toString(), sha256(file), optimizer.steps(), progress);
    AtomicOutput.file(
        manifestFile(), temporary -> Files.write(temporary, JSON.writeValueAsBytes(manifest)));
    deleteOthers(file);
  }

  /// Copies the checkpoint into the state, the optimizer and `best`.
  ///
  /// @throws InvalidInputException if it is missing, damaged, or of another model
  Progress read(ModelState state, Optimizer optimizer, MemorySegment best) {
    Manifest manifest = manifest();
    Path file = folder.resolve(manifest.file());
    String found = sha256(file);
    if (!found.equals(manifest.sha256())) {
      throw new InvalidInputException(
          "%s: expected SHA-256 %s, found %s; the checkpoint is damaged"
              .formatted(file, manifest.sha256(), found));
    }
    try (Arena arena = Arena.ofConfined()) {
      Safetensors tensors = Safetensors.open(arena, file);
      long count = state.layout().count();
      state.weights().copyFrom(tensors.require(file, "weights", count).data());
      best.copyFrom(tensors.require(file, "best", count).data());
      for (int i = 0; i < optimizer.moments().size(); i++) {
        optimizer.moments().get(i).copyFrom(tensors.require(file, "moment" + i, count).data());
      }
    }
    optimizer.restore(manifest.steps());
    return manifest.progress();
  }

  private Manifest manifest() {
    try {
      return JSON.readValue(Files.readAllBytes(manifestFile()), Manifest.class);
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: expected a checkpoint manifest, found something else".formatted(manifestFile()), e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(manifestFile(), e);
    }
  }

  private Path manifestFile() {
    return folder.resolve("manifest.json");
  }

  private void deleteOthers(Path keep) {
    try (var files = Files.newDirectoryStream(folder, "epoch-*.safetensors")) {
      for (Path file : files) {
        if (!file.getFileName().equals(keep.getFileName())) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot clear " + folder, e);
    }
  }

  private static Safetensors.Tensor flat(MemorySegment data) {
    return new Safetensors.Tensor(List.of(data.byteSize() / Float.BYTES), data);
  }

  private static String sha256(Path file) {
    try (InputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
      in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(((DigestInputStream) in).getMessageDigest().digest());
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
