package dev.gossamer;

import dev.gossamer.CalibrationSettings.Threshold;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.gnn.objective.ScoredRows;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.RankedScores;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// A model whose probabilities were fitted to validation vertices, and how good they are.
///
/// Networks are often too sure of themselves. Dividing all logits by one temperature, the one with
/// the smallest cross-entropy of the validation vertices, corrects that without changing the
/// likeliest class (C. Guo et al., On calibration of modern neural networks, 2017). Of two classes,
/// a threshold for the second may be chosen there, too.
///
/// @param model with the temperature and the threshold
/// @param validation before and after, on the validation vertices
/// @param test before and after, on the test vertices
public record Calibration(GraphModel model, Change validation, Change test) {
  /// How good probabilities, and the classes that follow from them, are on a part of the data.
  ///
  /// @param loss mean cross-entropy, in nats; NaN without vertices
  /// @param reliability probabilities of likeliest classes against frequencies
  /// @param counts labels and predictions
  public record Quality(double loss, Reliability reliability, Confusion counts) {
    /// {@return the expected calibration error; NaN without vertices}
    public double error() {
      return reliability.error();
    }
  }

  /// What fitting changed.
  ///
  /// @param before as after training: with the temperature 1, and the likeliest class
  /// @param after with the fitted temperature and threshold
  public record Change(Quality before, Quality after) {}

  /// Fits a model. Collective.
  ///
  /// @param name of the data set
  /// @param logits of a rank
  /// @param rows of each part
  /// @throws InvalidSettingException if no threshold has the precision that is wanted
  /// @throws InvalidInputException if logits are not finite
  static Calibration of(
      GraphModel model,
      String name,
      LabelledLogits logits,
      ScoredRows rows,
      CalibrationSettings settings) {
    Quality before = logits.quality(ClassDecision.LIKELIEST, rows.validation());
    if (!Double.isFinite(before.loss())) {
      throw new InvalidInputException(
          "%s: expected finite outputs of the model, found a loss of %s on the validation vertices"
              .formatted(name, before.loss()));
    }
    Double given = settings.temperature();
    double temperature = given == null ? logits.temperature(rows.validation()) : given;
    ClassDecision scaled = new ClassDecision(temperature, null);
    ClassDecision decision =
        switch (settings.threshold()) {
          case Threshold.Likeliest _ -> scaled;
          case Threshold.Fixed(double threshold) -> new ClassDecision(temperature, threshold);
          case Threshold.BestF1 _ ->
              at(scaled, logits.ranked(scaled, rows.validation()).bestF1().orElseThrow());
          case Threshold.AtPrecision(double precision) ->
              atPrecision(scaled, logits.ranked(scaled, rows.validation()), precision);
        };
    return new Calibration(
        model.withDecision(decision),
        new Change(before, logits.quality(decision, rows.validation())),
        new Change(
            logits.quality(ClassDecision.LIKELIEST, rows.test()),
            logits.quality(decision, rows.test())));
  }

  private static ClassDecision at(ClassDecision scaled, RankedScores.Point point) {
    // All probabilities may have been rounded to 0.
    double threshold = Math.max(point.threshold(), Float.MIN_NORMAL);
    return new ClassDecision(scaled.temperature(), threshold);
  }

  private static ClassDecision atPrecision(
      ClassDecision scaled, RankedScores ranked, double precision) {
    return ranked
        .atPrecision(precision)
        .map(point -> at(scaled, point))
        .orElseThrow(() ->
            new InvalidSettingException(
                "{threshold}: expected a precision that a threshold reaches on the validation vertices, %s at most, found %s"
                    .formatted(floor(ranked.highestPrecision().orElse(0)), precision)));
  }

  /// Four digits, not rounded up: what the message names can be reached.
  private static String floor(double share) {
    return BigDecimal.valueOf(share).setScale(4, RoundingMode.FLOOR).toPlainString();
  }
}
