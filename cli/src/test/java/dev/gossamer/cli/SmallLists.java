package dev.gossamer.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A list of 120 packages, `x_Packages`, each of which depends on two others.
public final class SmallLists {
  /// Packages in the list.
  public static final int PACKAGES = 120;

  private static final String[] SECTIONS = {"net", "games", "libs"};

  private SmallLists() {}

  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < PACKAGES; i++) {
      list.append(
          "Package: p%d\nSection: %s\nDepends: p%d, p%d (>= 2)\nDescription: some words of %d\nSize: %d\nInstalled-Size: %d\n\n"
              .formatted(
                  i,
                  SECTIONS[i % 3],
                  (i + 3) % PACKAGES,
                  (i + 9) % PACKAGES,
                  i % 7,
                  100 + i % 50,
                  i % 9));
    }
    Files.writeString(folder.resolve("x_Packages"), list.toString());
  }
}
