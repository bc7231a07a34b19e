package dev.gossamer.run;

import dev.gossamer.matrix.io.AtomicOutput;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// The folder `checkpoint/` of a run: files of tensors, and `manifest.json`, which names them with
/// their SHA-256 and is written last. So the manifest always names whole files; those of the
/// checkpoint before are deleted after that.
///
/// @param path of the folder
public record CheckpointFolder(Path path) {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private Path manifest() {
    return path.resolve("manifest.json");
  }

  /// {@return whether there is a checkpoint to resume from}
  public boolean exists() {
    return Files.exists(manifest());
  }

  /// {@return a file of the checkpoint}
  ///
  /// @param name of the file
  public Path file(String name) {
    return path.resolve(name);
  }

  /// Makes the files that a manifest names the checkpoint.
  ///
  /// @param newManifest written as JSON
  /// @param files names of the manifest's files, which are written already; all other tensors are
  ///   deleted
  public void commit(Object newManifest, Set<String> files) {
    AtomicOutput.file(
        manifest(), temporary -> Files.write(temporary, JSON.writeValueAsBytes(newManifest)));
    try (var all = Files.newDirectoryStream(path, "*.safetensors")) {
      for (Path file : all) {
        if (!files.contains(file.getFileName().toString())) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot clear " + path, e);
    }
  }

  /// {@return what the manifest says}
  ///
  /// @param <T> type of the manifest
  /// @param type that the manifest is read as
  /// @throws InvalidInputException if there is none or it says something else
  public <T> T read(Class<T> type) {
    try {
      return JSON.readValue(Files.readAllBytes(manifest()), type);
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: expected a checkpoint manifest, found something else".formatted(manifest()), e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(manifest(), e);
    }
  }

  /// {@return a file whose bytes are those that the manifest means}
  ///
  /// @param name of the file
  /// @param sha256 what the manifest says
  /// @throws InvalidInputException if it is missing or damaged
  public Path intact(String name, String sha256) {
    String found = sha256(name);
    if (!found.equals(sha256)) {
      throw new InvalidInputException(
          "%s: expected SHA-256 %s, found %s; the checkpoint is damaged"
              .formatted(file(name), sha256, found));
    }
    return file(name);
  }

  /// {@return SHA-256 of a file, hexadecimal}
  ///
  /// @param name of the file
  public String sha256(String name) {
    Path file = file(name);
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
