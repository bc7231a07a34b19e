package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/// The folder `checkpoint/` of a run: files of tensors, and `manifest.json`, which names them with
/// their SHA-256 and is written last, so that it always names complete files. The checkpoint before
/// it stays, with `earlier.json` as its manifest; files of all others are deleted.
///
/// The contents are untrusted. Only plain names of files that the trainer writes are accepted, no
/// link is followed, and nothing else in the folder is touched.
///
/// @param path of the folder, which is no link; see [RunFolder#checkpoint]
/// @param tensors names of the trainer's files of tensors, of all checkpoints
public record CheckpointFolder(Path path, Pattern tensors) {
  /// A manifest has a line of about a hundred bytes for each stage.
  private static final int LONGEST_MANIFEST = 1 << 20;

  private static final Pattern EPOCHS =
      Pattern.compile("epoch-[0-9]{6,10}(\\.rank-[0-9]{3,10})?\\.safetensors");

  private static final String MANIFEST = "manifest.json";
  private static final String EARLIER = "earlier.json";
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final JsonMapper JSON = new JsonMapper();

  /// {@return the folder of a run of epochs, with files `epoch-000003.safetensors` and, for carried
  /// state of a rank, `epoch-000003.rank-001.safetensors`}
  ///
  /// @param path of the folder
  public static CheckpointFolder ofEpochs(Path path) {
    return new CheckpointFolder(path, EPOCHS);
  }

  /// {@return the prefix of the names of an epoch's files}
  ///
  /// @param epochs done
  static String beginning(int epochs) {
    return String.format(Locale.ROOT, "epoch-%06d.", epochs);
  }

  /// {@return the name of the file with weights and moments}
  ///
  /// @param epochs done
  static String fileOfAll(int epochs) {
    return beginning(epochs) + "safetensors";
  }

  /// {@return the name of the file with the carried state of a rank}
  ///
  /// @param epochs done
  /// @param rank number of the rank
  public static String fileOfRank(int epochs, int rank) {
    return String.format(Locale.ROOT, "%srank-%03d.safetensors", beginning(epochs), rank);
  }

  private Path manifest() {
    return file(MANIFEST);
  }

  /// {@return whether there is a checkpoint to resume from}
  ///
  /// @throws InvalidInputException if a link or a folder has the manifest's name
  public boolean exists() {
    return Files.exists(manifest());
  }

  /// {@return a file of the checkpoint}
  ///
  /// @param name of the file
  /// @throws InvalidInputException if a link or a folder has its name
  public Path file(String name) {
    Path file = path.resolve(name);
    OwnFiles.requireFile(file);
    return file;
  }

  /// Commits the files of a manifest as the checkpoint.
  ///
  /// @param newManifest written as JSON
  /// @param files names of the manifest's files, already written; all files of the trainer but
  ///   these and those of the checkpoint before are deleted, incomplete files of a killed run, too
  public void commit(Object newManifest, Set<String> files) {
    Set<String> kept = new HashSet<>(files);
    if (exists()) {
      write(EARLIER, bytes(MANIFEST));
      kept.addAll(namedBy(EARLIER));
    }
    write(MANIFEST, JSON.writeValueAsBytes(newManifest));
    try (var all = Files.newDirectoryStream(path)) {
      for (Path file : all) {
        String name = file.getFileName().toString();
        if (isOurs(name) && !kept.contains(name)) {
          Files.delete(file);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The checkpoint is there; the next one tries again.
    }
  }

  private void write(String name, byte[] content) {
    AtomicOutput.file(file(name), temporary -> Files.write(temporary, content));
  }

  private byte[] bytes(String name) {
    return InputFile.of(file(name)).bytes(LONGEST_MANIFEST);
  }

  /// The files of tensors that a manifest names, whichever trainer wrote it.
  private Set<String> namedBy(String manifest) {
    return tensors
        .matcher(new String(bytes(manifest), StandardCharsets.UTF_8))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toSet());
  }

  private boolean isOurs(String name) {
    return AtomicOutput.targetOf(name)
        .map(target ->
            target.equals(MANIFEST) || target.equals(EARLIER) || tensors.matcher(target).matches())
        .orElseGet(() -> tensors.matcher(name).matches());
  }

  /// Puts the checkpoint before the newest in its place if the newest is damaged. Does nothing if
  /// the earlier one is damaged, too, or missing: then reading says what is wrong. No training may
  /// be writing to the folder.
  ///
  /// @param intact throws an [InvalidInputException] if a manifest, or a file that it names, is not
  ///   as it was written
  /// @return what is wrong with the newest checkpoint, if it was replaced
  public Optional<String> mend(Consumer<ManifestFields> intact) {
    if (!Files.exists(file(EARLIER))) {
      return Optional.empty();
    }
    Optional<String> damage = damage(MANIFEST, intact);
    if (damage.isEmpty() || damage(EARLIER, intact).isPresent()) {
      return Optional.empty();
    }
    write(MANIFEST, bytes(EARLIER));
    return damage;
  }

  private Optional<String> damage(String manifest, Consumer<ManifestFields> intact) {
    try {
      intact.accept(ManifestFields.read(file(manifest), LONGEST_MANIFEST));
      return Optional.empty();
    } catch (InvalidInputException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /// {@return the fields of the manifest}
  ///
  /// @throws InvalidInputException if there is none or it is no JSON object
  public ManifestFields read() {
    return ManifestFields.read(manifest(), LONGEST_MANIFEST);
  }

  /// {@return the file that an object of the manifest names, after checking its SHA-256}
  ///
  /// @param object has the file's name and its `sha256`
  /// @param field with the name
  /// @param beginning prefix of the names of this checkpoint's files
  /// @throws InvalidInputException if the name is not one of these, or the file is missing or
  ///   damaged
  public Path intact(ManifestFields object, String field, String beginning) {
    Pattern ofThis = Pattern.compile("(?=" + Pattern.quote(beginning) + ")" + tensors.pattern());
    String named =
        object.text(field, ofThis, "a file of this checkpoint, %s*".formatted(beginning));
    String expected = object.text("sha256", SHA256, "64 hexadecimal digits");
    String found = sha256(named);
    if (!found.equals(expected)) {
      throw new InvalidInputException(
          "%s: expected SHA-256 %s, found %s; the checkpoint is damaged"
              .formatted(file(named), expected, found));
    }
    return file(named);
  }

  /// {@return SHA-256 of a file, hexadecimal}
  ///
  /// @param name of the file
  public String sha256(String name) {
    return InputFile.of(file(name)).sha256();
  }
}
