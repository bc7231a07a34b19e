package dev.gossamer;

import dev.gossamer.gnn.link.LinkComparison;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.gnn.objective.ClassObjective;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.gnn.objective.TargetObjective;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.dense.ClassLoss;
import dev.gossamer.matrix.dense.LabelLoss;
import dev.gossamer.matrix.dense.NumberLoss;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the outputs of a model stand for.
///
/// @param task what is predicted
/// @param names of the classes, the labels or the numbers, in the order of the outputs
/// @param units mean and deviation of each number that is predicted; null for classes and labels
/// @param decision how classes follow from logits; [ClassDecision#LIKELIEST] for other tasks
public record ModelOutputs(
    Task task, List<String> names, @Nullable Standardisation units, ClassDecision decision) {
  /// Copies the list.
  ///
  /// @throws IllegalArgumentException if numbers have no units or others have some, or the decision
  ///   does not suit the task
  public ModelOutputs {
    names = List.copyOf(names);
    if ((task == Task.REGRESSION) != (units != null)
        || (units != null && units.means().size() != names.size())) {
      throw new IllegalArgumentException(
          "units: expected those of %d numbers for %s, found %s"
              .formatted(names.size(), task, units));
    }
    boolean classes = task == Task.CLASSIFICATION;
    if ((!classes && !decision.equals(ClassDecision.LIKELIEST))
        || (decision.threshold() != null && names.size() != 2)) {
      throw new IllegalArgumentException(
          "decision: expected none for %s, and a threshold for two classes only, found %s for %d"
              .formatted(task, decision, names.size()));
    }
  }

  /// {@return a copy with another decision}
  ///
  /// @param other how classes follow from logits
  public ModelOutputs withDecision(ClassDecision other) {
    return new ModelOutputs(task, names, units, other);
  }

  /// {@return what a model that was trained on a data set puts out}
  ///
  /// @param data with what is to be predicted
  /// @param objective of the training
  static ModelOutputs of(GraphData data, Objective objective) {
    Standardisation units =
        objective instanceof TargetObjective targets && data.task() == Task.REGRESSION
            ? targets.units()
            : null;
    return new ModelOutputs(data.task(), data.outputNames(), units, ClassDecision.LIKELIEST);
  }

  /// The objective by which outputs are turned into predictions and scored.
  ///
  /// @param data whose edges are predicted, if edges are
  Objective objective(GraphData data) {
    return switch (task) {
      case CLASSIFICATION -> new ClassObjective(ClassLoss.CROSS_ENTROPY, decision);
      case MULTI_LABEL ->
          new TargetObjective(new LabelLoss(), 1, Standardisation.identity(names.size()));
      case REGRESSION -> {
        Standardisation numbers = Objects.requireNonNull(units, "units");
        yield new TargetObjective(
            new NumberLoss(new NumberLoss.Penalty.Squared(), numbers::scaled), 1, numbers);
      }
      case LINKS -> new LinkObjective(LinkComparison.of(data));
    };
  }
}
