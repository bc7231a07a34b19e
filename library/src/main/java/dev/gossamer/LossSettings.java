package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.link.LinkComparison;
import dev.gossamer.gnn.objective.ClassObjective;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.gnn.objective.TargetObjective;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.graph.format.ClassWeights;
import dev.gossamer.matrix.dense.ClassLoss;
import dev.gossamer.matrix.dense.LabelLoss;
import dev.gossamer.matrix.dense.NumberLoss;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What training minimises. Scores do not depend on it: the loss of an evaluation is the plain
/// cross-entropy, or the squared error of standardised numbers, so that runs can be compared.
///
/// @param loss of a vertex
/// @param labelSmoothing part of the label that all classes share, in `[0, 1)`
/// @param classWeights `balanced` or `FILE.csv`, as [ClassWeights] describes; null for equal
///   weights
public record LossSettings(Loss loss, double labelSmoothing, @Nullable String classWeights) {
  /// The usual loss of the task.
  public static final LossSettings DEFAULT = new LossSettings(new Loss.Auto(), 0, null);

  /// Checks that the settings are compatible.
  ///
  /// @throws InvalidSettingException if they are not
  public LossSettings {
    InvalidSettingException.requireRate("labelSmoothing", labelSmoothing);
    boolean crossEntropy = loss instanceof Loss.Auto || loss instanceof Loss.CrossEntropy;
    if (labelSmoothing > 0 && !crossEntropy) {
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
  /// @param data with what is to be predicted, and a split
  /// @throws dev.gossamer.base.InvalidInputException if the loss does not suit what is predicted,
  ///   or a file of weights does not suit the data
  Objective objective(GraphData data) {
    return switch (data.task()) {
      case CLASSIFICATION -> classes(data);
      case MULTI_LABEL -> {
        requireNoClasses(data);
        requireCrossEntropy(data);
        yield TargetObjective.of(new LabelLoss(), data, Standardisation.identity(data.outputs()));
      }
      case REGRESSION -> {
        requireNoClasses(data);
        Standardisation units = Objects.requireNonNull(data.targets()).scale(data);
        yield TargetObjective.of(new NumberLoss(penalty(data), units::scaled), data, units);
      }
      case LINKS -> {
        requireNoClasses(data);
        requireCrossEntropy(data);
        yield new LinkObjective(LinkComparison.of(data));
      }
    };
  }

  private void requireCrossEntropy(GraphData data) {
    if (!(loss instanceof Loss.Auto || loss instanceof Loss.CrossEntropy)) {
      throw unsuitable(data, "cross-entropy");
    }
  }

  private Objective classes(GraphData data) {
    ClassLoss ofVertex =
        switch (loss) {
          case Loss.Auto _, Loss.CrossEntropy _ -> ClassLoss.smoothed(labelSmoothing);
          case Loss.Focal focal -> ClassLoss.focal(focal.focalGamma());
          case Loss.Squared _, Loss.Absolute _, Loss.Huber _ ->
              throw unsuitable(data, "cross-entropy or focal");
        };
    ClassWeights weights = weights(classWeights);
    return new ClassObjective(
        weights == null ? ofVertex : ofVertex.withClassWeights(weights.of(data)));
  }

  private NumberLoss.Penalty penalty(GraphData data) {
    return switch (loss) {
      case Loss.Auto _, Loss.Squared _ -> new NumberLoss.Penalty.Squared();
      case Loss.Absolute _ -> new NumberLoss.Penalty.Absolute();
      case Loss.Huber huber -> new NumberLoss.Penalty.Huber(huber.huberDelta());
      case Loss.CrossEntropy _, Loss.Focal _ ->
          throw unsuitable(data, "squared, absolute or huber");
    };
  }

  private InvalidSettingException unsuitable(GraphData data, String expected) {
    return new InvalidSettingException(
        "{loss}: expected %s for the task of %s, which is %s, found %s"
            .formatted(
                expected, data.name(), InvalidSettingException.nameOf(data.task()), loss.label()));
  }

  private void requireNoClasses(GraphData data) {
    String which = labelSmoothing > 0 ? "labelSmoothing" : "classWeights";
    if (labelSmoothing > 0 || classWeights != null) {
      throw new InvalidSettingException(
          "{%s}: the task of %s, which is %s, does not read it; leave it out"
              .formatted(which, data.name(), InvalidSettingException.nameOf(data.task())));
    }
  }
}
