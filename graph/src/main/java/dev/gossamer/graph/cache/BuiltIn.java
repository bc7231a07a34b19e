package dev.gossamer.graph.cache;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.ClassGraph;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// Built-in data sets, which need no file.
public enum BuiltIn {
  /// References between the classes of the running JDK: [ClassGraph#byPackage], one tenth for
  /// training and one for validation.
  JDK_CLASSES("jdk-classes", "references between the classes of the running JDK") {
    @Override
    public Building building() {
      return new Building(144L << 20, 176L << 20);
    }

    @Override
    String version() {
      return "%s-v%d".formatted(Runtime.version(), ClassGraph.DEFINITION);
    }

    @Override
    GraphData build() {
      GraphData graph = ClassGraph.byPackage(0).jdk();
      return graph.withSplit(Splits.draw(graph, new Splits.Fractions(10, 10, 80), 0));
    }
  };

  /// Peak memory of building, besides the virtual machine. Measured, and rounded up.
  ///
  /// @param bytes of memory
  /// @param mapped bytes of mapped files, whose pages the system can reclaim
  public record Building(long bytes, long mapped) {}

  private final String key;
  private final String description;

  BuiltIn(String key, String description) {
    this.key = key;
    this.description = description;
  }

  /// {@return the memory that building it needs}
  public abstract Building building();

  /// {@return the name on the command line: `jdk-classes`}
  public String key() {
    return key;
  }

  /// {@return a description in one line}
  public String description() {
    return description;
  }

  /// Returns the version of the content; another version is another data set.
  abstract String version();

  /// Builds the data set, which the caller closes.
  abstract GraphData build();

  /// {@return the data set of a name, ignoring case, if there is one}
  ///
  /// @param name as written by the user
  public static Optional<BuiltIn> named(String name) {
    return Arrays.stream(values()).filter(known -> known.key.equalsIgnoreCase(name)).findFirst();
  }

  /// {@return the names, comma-separated}
  public static String names() {
    return Arrays.stream(values()).map(BuiltIn::key).collect(Collectors.joining(", "));
  }
}
