package dev.gossamer.graph.cache;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.ClassGraph;

/// References between the classes of the running JDK: [ClassGraph#byPackage], one tenth for
/// training and one for validation.
final class JdkClasses implements BuiltIn {
  @Override
  public String key() {
    return "jdk-classes";
  }

  @Override
  public String description() {
    return "references between the classes of the running JDK";
  }

  @Override
  public Building building() {
    return new Building(144L << 20, 176L << 20);
  }

  @Override
  public String version() {
    return "%s-v%d".formatted(Runtime.version(), ClassGraph.DEFINITION);
  }

  @Override
  public GraphData build(Progress progress) {
    GraphData graph = ClassGraph.byPackage(0).jdk();
    return graph.withSplit(Splits.draw(graph, new Splits.Fractions(10, 10, 80), 0));
  }
}
