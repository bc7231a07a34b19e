package dev.gossamer.graph.cache;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// A built-in data set: its name, and how to build it from what the machine has. Stateless;
/// instances may be shared between threads.
///
/// Those of other modules are services of this type.
public interface BuiltIn {
  /// Peak memory of building, besides the virtual machine. Measured, and rounded up.
  ///
  /// @param bytes of memory
  /// @param mapped bytes of mapped files, whose pages the system can reclaim
  record Building(long bytes, long mapped) {}

  /// {@return the name on the command line, in lower case: `jdk-classes`}
  String key();

  /// {@return a description in one line}
  String description();

  /// {@return the memory that building it needs}
  Building building();

  /// {@return the version of the content, which is part of a file name}. Another version is another
  /// data set.
  ///
  /// @throws InvalidInputException if the machine does not have what it is built from; the message
  ///   contains the remedy
  String version();

  /// Builds the data set.
  ///
  /// @param progress notified of long steps
  /// @return a data set to close
  /// @throws InvalidInputException as [#version], or if what it is built from is damaged
  GraphData build(Progress progress);

  /// {@return the built-in data sets, those of this module first}
  static List<BuiltIn> all() {
    return BuiltIns.ALL;
  }

  /// {@return the data set of a name, ignoring case, if there is one}
  ///
  /// @param name as written by the user
  static Optional<BuiltIn> named(String name) {
    return all().stream().filter(known -> known.key().equalsIgnoreCase(name)).findFirst();
  }

  /// {@return the names, comma-separated}
  static String names() {
    return all().stream().map(BuiltIn::key).collect(Collectors.joining(", "));
  }
}
