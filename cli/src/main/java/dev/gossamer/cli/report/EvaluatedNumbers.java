package dev.gossamer.cli.report;

import dev.gossamer.NumberEvaluation;
import dev.gossamer.Predictions;
import dev.gossamer.cli.data.VertexVectors;
import dev.gossamer.cli.page.AgreementChart;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Targets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/// Numbers that a model predicts beside those that are known, on the last part with vertices.
///
/// @param scores of each part and number
/// @param shown the first numbers, vertex by vertex
record EvaluatedNumbers(NumberEvaluation scores, List<AgreementChart.Row> shown) {
  /// Numbers that are shown vertex by vertex, at most.
  static final int MOST_SHOWN = 4;

  /// Vertices that are drawn, at most; distances are counted of all.
  static final int MOST_POINTS = 5000;

  EvaluatedNumbers {
    shown = List.copyOf(shown);
  }

  /// Compares predictions with what is known.
  ///
  /// @param predictions of the same data
  static EvaluatedNumbers of(NumberEvaluation scores, Predictions predictions, GraphData data) {
    Split part = scores.lastPart();
    Targets targets = Objects.requireNonNull(data.targets());
    List<AgreementChart.Row> shown = new ArrayList<>();
    for (int t = 0; t < Math.min(MOST_SHOWN, predictions.classes().size()); t++) {
      int column = t;
      int[] vertices =
          Arrays.stream(data.labelled(part))
              .filter(v -> Float.isFinite(targets.values().get(v, column)))
              .filter(v -> Double.isFinite(predictions.value(v, column)))
              .toArray();
      double[] known =
          IntStream.of(vertices).mapToDouble(v -> targets.values().get(v, column)).toArray();
      double[] predicted =
          IntStream.of(vertices).mapToDouble(v -> predictions.value(v, column)).toArray();
      shown.add(row(predictions.classes().get(t), known, predicted));
    }
    return new EvaluatedNumbers(scores, shown);
  }

  private static AgreementChart.Row row(String name, double[] known, double[] predicted) {
    int[] drawn =
        VertexVectors.drawn(known.length, MOST_POINTS).stream().mapToInt(i -> i).toArray();
    return new AgreementChart.Row(
        name,
        IntStream.of(drawn).mapToDouble(i -> known[i]).toArray(),
        IntStream.of(drawn).mapToDouble(i -> predicted[i]).toArray(),
        IntStream.range(0, known.length).mapToDouble(i -> predicted[i] - known[i]).toArray());
  }
}
