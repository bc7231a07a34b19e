package dev.gossamer.cli.terminal;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/// The flag of commands that write a file named by the user, which cannot be distinguished from the
/// user's own files.
public final class ForceOptions {
  @Option(names = "--force", description = "Replace an existing file.")
  public boolean force;

  /// Refuses, before anything is computed, a file that would be replaced without `--force` or
  /// cannot be written.
  public void requireNew(Path file) {
    if (!force && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new InvalidInputException(
          "%s: expected a new file, found %s"
              .formatted(
                  file,
                  Files.isDirectory(file)
                      ? "a folder; choose another name"
                      : "one; choose another name, or --force to replace it"));
    }
    AtomicOutput.requireWritable(file);
  }
}
