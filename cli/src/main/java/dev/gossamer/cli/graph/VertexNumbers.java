package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import java.util.HashMap;
import java.util.Map;

/// Numbers of vertices by the user's own names, or by their numbers as texts if the data have no
/// names. Of a name that several vertices have, that of the first.
final class VertexNumbers {
  private final Map<String, Integer> numbers;

  private VertexNumbers(Map<String, Integer> numbers) {
    this.numbers = numbers;
  }

  static VertexNumbers of(Dataset dataset) {
    Map<String, Integer> numbers = HashMap.newHashMap(dataset.vertices());
    for (int v = 0; v < dataset.vertices(); v++) {
      numbers.putIfAbsent(dataset.vertexName(v), v);
    }
    return new VertexNumbers(numbers);
  }

  /// Returns the number of a vertex, or -1.
  int of(String name) {
    return numbers.getOrDefault(name, -1);
  }
}
