package dev.gossamer.graph.cache;

import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/// The built-in data sets. A new one is a class and a line here, or a service of another module.
final class BuiltIns {
  /// Those of other modules last.
  static final List<BuiltIn> ALL =
      Stream.concat(
              Stream.of(new JdkClasses()),
              ServiceLoader.load(BuiltIn.class, BuiltIn.class.getClassLoader()).stream()
                  .map(ServiceLoader.Provider::get))
          .toList();

  private BuiltIns() {}
}
