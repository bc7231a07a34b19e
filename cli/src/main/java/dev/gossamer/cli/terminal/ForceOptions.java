package dev.gossamer.cli.terminal;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/// The flag of commands that write a file whose name the user gives: nothing tells a file of theirs
/// from one that this program wrote.
public final class ForceOptions {
  @Option(names = "--force", description = "Replace a file that is already there.")
  boolean force;

  /// Refuses, before it is computed, a file that would be replaced without being asked for, or that
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
