package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.Splits;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/// Draws a split by its rule.
final class SplitDraw {
  private SplitDraw() {}

  /// @param graph with labels
  /// @param times of each vertex, NaN for none; read if the rule asks for them
  /// @return the code of each vertex
  static byte[] draw(GraphData graph, SplitRule rule, double[] times) {
    return switch (rule.by()) {
      case RANDOM -> Splits.draw(graph, rule.fractions(), rule.seed());
      case CLASS -> byClass(graph, rule);
      case TIME -> byTime(graph, rule.fractions(), times);
    };
  }

  private static byte[] byClass(GraphData graph, SplitRule rule) {
    byte[] split = new byte[graph.vertices()];
    for (int c = 0; c < graph.classes(); c++) {
      int label = c;
      List<Integer> order =
          labelled(graph)
              .filter(v -> graph.labels()[v] == label)
              .boxed()
              .sorted(
                  Comparator.comparingDouble((Integer v) -> Splits.uniform(rule.seed() + ":" + v))
                      .thenComparing(Comparator.naturalOrder()))
              .toList();
      for (int i = 0; i < order.size(); i++) {
        split[order.get(i)] = part(rule.fractions(), (i + 0.5) / order.size()).code();
      }
    }
    return split;
  }

  private static byte[] byTime(GraphData graph, Splits.Fractions fractions, double[] times) {
    List<Integer> order =
        labelled(graph)
            .filter(v -> !Double.isNaN(times[v]))
            .boxed()
            .sorted(
                Comparator.comparingDouble((Integer v) -> times[v])
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    if (order.isEmpty()) {
      throw new InvalidInputException(
          "%s: split by time: expected labelled vertices with a time, found none"
              .formatted(graph.name()));
    }
    byte[] split = new byte[graph.vertices()];
    int begin = 0;
    for (int i = 0; i < order.size(); i++) {
      if (times[order.get(i)] > times[order.get(begin)]) {
        begin = i;
      }
      split[order.get(i)] = part(fractions, (begin + 0.5) / order.size()).code();
    }
    return split;
  }

  private static IntStream labelled(GraphData graph) {
    Objects.requireNonNull(graph, "graph");
    return IntStream.range(0, graph.vertices()).filter(graph::isKnown);
  }

  private static Split part(Splits.Fractions fractions, double share) {
    return share < fractions.train()
        ? Split.TRAIN
        : share < fractions.train() + fractions.validation() ? Split.VALIDATION : Split.TEST;
  }
}
