package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.ClassGraph;
import dev.gossamer.matrix.io.InvalidInputException;
import java.nio.file.Path;

/// Data sets that need no file of the user's: built on first use, then kept in the [CacheFolder].
final class BuiltIn {
  static final String JDK_CLASSES = "jdk-classes";

  private BuiltIn() {}

  static boolean isName(String name) {
    return name.equals(JDK_CLASSES);
  }

  static String names() {
    return JDK_CLASSES;
  }

  static GraphData open(String name, CommonOptions common) {
    if (!isName(name)) {
      throw new InvalidInputException(
          "--data: expected one of %s, found %s".formatted(names(), name));
    }
    Path folder =
        CacheFolder.path()
            .resolve(
                "%s-%s-v%d".formatted(name, Runtime.version().toString(), ClassGraph.DEFINITION));
    if (!DatasetFolder.isDatasetFolder(folder)) {
      if (!common.quiet) {
        System.err.printf("gossamer: building %s in %s%n", name, folder);
      }
      try (GraphData built = ClassGraph.byPackage(0).jdk()) {
        byte[] split = Splits.draw(built, Splits.Fractions.parse("10/10/80"), 0);
        DatasetFolder.write(folder, built.withSplit(split));
      }
    }
    return DatasetFolder.open(folder);
  }
}
