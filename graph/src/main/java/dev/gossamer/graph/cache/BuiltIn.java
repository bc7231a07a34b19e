package dev.gossamer.graph.cache;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.ClassGraph;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// Data sets that need no file of the user's.
public enum BuiltIn {
  /// Which class of the running JDK refers to which: [ClassGraph#byPackage], one tenth to train and
  /// one to validate.
  JDK_CLASSES("jdk-classes", "which class of the running JDK refers to which") {
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

  /// What building takes of a process at its peak, besides the virtual machine. Measured, and
  /// rounded up.
  ///
  /// @param bytes of memory
  /// @param mapped bytes of files, whose pages the system takes back when it needs them
  public record Building(long bytes, long mapped) {}

  private final String key;
  private final String description;

  BuiltIn(String key, String description) {
    this.key = key;
    this.description = description;
  }

  /// {@return what building it takes of a process}
  public abstract Building building();

  /// {@return the name that a user gives: `jdk-classes`}
  public String key() {
    return key;
  }

  /// {@return one line for lists}
  public String description() {
    return description;
  }

  /// What the content depends on; another version is another data set.
  abstract String version();

  /// The data set, to be closed.
  abstract GraphData build();

  /// {@return the data set of that name, in upper or lower case, if there is one}
  ///
  /// @param name as a user writes it
  public static Optional<BuiltIn> named(String name) {
    return Arrays.stream(values()).filter(known -> known.key.equalsIgnoreCase(name)).findFirst();
  }

  /// {@return the names, comma-separated}
  public static String names() {
    return Arrays.stream(values()).map(BuiltIn::key).collect(Collectors.joining(", "));
  }
}
