package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.objective.ClassObjective;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.ClassWeights;
import dev.gossamer.matrix.dense.ClassLoss;
import org.jspecify.annotations.Nullable;

/// What training minimises. Scores do not depend on it: the loss of an evaluation is the plain
/// cross-entropy, so that runs can be compared.
///
/// @param loss of a vertex
/// @param labelSmoothing part of the label that all classes share, in `[0, 1)`
/// @param classWeights `balanced` or `FILE.csv`, as [ClassWeights] describes; null for equal
///   weights
public record LossSettings(Loss loss, double labelSmoothing, @Nullable String classWeights) {
  /// The cross-entropy.
  public static final LossSettings DEFAULT = new LossSettings(new Loss.CrossEntropy(), 0, null);

  /// Checks that the settings are compatible.
  ///
  /// @throws InvalidSettingException if they are not
  public LossSettings {
    InvalidSettingException.requireRate("labelSmoothing", labelSmoothing);
    if (labelSmoothing > 0 && !(loss instanceof Loss.CrossEntropy)) {
      throw new InvalidSettingException(
          "{labelSmoothing}: {loss} %s does not read it; leave it out".formatted(loss.label()));
    }
    weights(classWeights);
  }

  private static @Nullable ClassWeights weights(@Nullable String text) {
    return text == null ? null : new ClassWeights(text);
  }

  /// Returns a copy with another loss.
  ///
  /// @param other of a vertex
  /// @return the changed copy
  public LossSettings withLoss(Loss other) {
    return new LossSettings(other, labelSmoothing, classWeights);
  }

  /// Returns a copy with another label smoothing.
  ///
  /// @param share in `[0, 1)`
  /// @return the changed copy
  public LossSettings withLabelSmoothing(double share) {
    return new LossSettings(loss, share, classWeights);
  }

  /// Returns a copy with other weights of classes.
  ///
  /// @param text `balanced` or `FILE.csv`; null for equal weights
  /// @return the changed copy
  public LossSettings withClassWeights(@Nullable String text) {
    return new LossSettings(loss, labelSmoothing, text);
  }

  /// {@return a copy with absolute paths}
  public LossSettings absolute() {
    ClassWeights weights = weights(classWeights);
    return weights == null ? this : withClassWeights(weights.absolute().text());
  }

  /// What a network is trained for.
  ///
  /// @param data with classes and a split
  /// @throws dev.gossamer.base.InvalidInputException if a file of weights does not suit the data
  Objective objective(GraphData data) {
    ClassLoss ofVertex =
        switch (loss) {
          case Loss.CrossEntropy _ -> ClassLoss.smoothed(labelSmoothing);
          case Loss.Focal focal -> ClassLoss.focal(focal.focalGamma());
        };
    ClassWeights weights = weights(classWeights);
    return new ClassObjective(
        weights == null ? ofVertex : ofVertex.withClassWeights(weights.of(data)));
  }
}
