package dev.gossamer.run;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;

/// Scores of a model on each part of the data.
///
/// @param train scores on the training part
/// @param validation on the validation part
/// @param test on the test part
public record Evaluation(Scores train, Scores validation, Scores test) {
  /// Scores over one part.
  ///
  /// @param count labelled vertices in the part; with 0 the scores are 0
  /// @param values the score by each metric that there is, in the order of [Metric]
  public record Scores(long count, Map<Metric, Double> values) {
    /// Copies the map.
    public Scores {
      EnumMap<Metric, Double> copy = new EnumMap<>(Metric.class);
      copy.putAll(values);
      values = Collections.unmodifiableMap(copy);
    }

    /// {@return the score by a metric; empty if there is none of this part}
    ///
    /// @param metric of any kind
    public OptionalDouble value(Metric metric) {
      Double value = values.get(metric);
      return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /// {@return these scores but one}
    ///
    /// @param metric that is left out
    public Scores without(Metric metric) {
      Map<Metric, Double> others = new EnumMap<>(Metric.class);
      others.putAll(values);
      others.remove(metric);
      return new Scores(count, others);
    }

    private double require(Metric metric) {
      return value(metric)
          .orElseThrow(() ->
              new IllegalStateException(
                  "%s: expected a score, found only %s".formatted(metric, values.keySet())));
    }

    /// {@return [Metric#LOSS]}
    public double loss() {
      return require(Metric.LOSS);
    }

    /// {@return [Metric#ACCURACY]}
    ///
    /// @throws IllegalStateException if no classes are predicted
    public double accuracy() {
      return require(Metric.ACCURACY);
    }

    /// {@return [Metric#MICRO_F1]}
    ///
    /// @throws IllegalStateException if no classes are predicted
    public double microF1() {
      return require(Metric.MICRO_F1);
    }

    /// {@return [Metric#MACRO_F1]}
    ///
    /// @throws IllegalStateException if no classes are predicted
    public double macroF1() {
      return require(Metric.MACRO_F1);
    }

    /// {@return [Metric#ROC_AUC], if there are two classes and both occur}
    public OptionalDouble rocAuc() {
      return value(Metric.ROC_AUC);
    }

    /// {@return [Metric#PR_AUC], if there are two classes and both occur}
    public OptionalDouble prAuc() {
      return value(Metric.PR_AUC);
    }
  }
}
