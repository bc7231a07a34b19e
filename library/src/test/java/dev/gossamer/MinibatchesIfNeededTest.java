package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Eight layers of 40,000 vertices: the whole graph takes some 90 MB, minibatches at least 60. What
/// is planned is looked at; nothing is trained.
class MinibatchesIfNeededTest {
  private static final MinibatchSettings MINIBATCHES =
      MinibatchSettings.of(Sampler.sage(2, 2, 2, 2, 2, 2, 2, 2))
          .withBatchSize(8000)
          .withAutomaticBulk();

  private final Dataset dataset = ExampleGraphs.dense(40_000, 1);
  private final List<MinibatchSettings> chosen = new ArrayList<>();

  /// Ends a training before it takes memory.
  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final class Listener implements TrainingListener {
    private @Nullable TrainingPlan plan;

    @Override
    public void minibatchesNeeded(MemoryEstimate whole, long limit, MinibatchSettings settings) {
      assertThat(whole.needed()).isGreaterThan(limit);
      chosen.add(settings);
    }

    @Override
    public void planned(TrainingPlan decided) {
      plan = decided;
      throw new Planned();
    }
  }

  private TrainingPlan plan(UnaryOperator<GraphTraining> change) {
    Listener listener = new Listener();
    GraphTraining training =
        ExampleGraphs.training(dataset)
            .gcn(64, 64, 64, 64, 64, 64, 64)
            .threads(1)
            .minibatchesIfNeeded(MINIBATCHES)
            .listener(listener);
    try {
      change.apply(training).train();
    } catch (Planned e) {
      // As intended.
    }
    return Objects.requireNonNull(listener.plan);
  }

  @Tag("slow")
  @Test
  void minibatchesAreOfTheLargestBatchThatFits() {
    TrainingPlan whole = plan(training -> training);
    assertThat(whole.way()).isInstanceOf(TrainingPlan.WholeGraph.class);
    assertThat(chosen).isEmpty();
    long limit = whole.shape().memory().needed() - (2L << 20);
    TrainingPlan batches = plan(training -> training.memory(limit));
    assertThat(batches.way()).isInstanceOf(TrainingPlan.Minibatches.class);
    assertThat(batches.shape().memory().needed()).isLessThanOrEqualTo(limit);
    MinibatchSettings fitting = chosen.getFirst();
    assertThat(fitting.batchSize()).isBetween(1, 7999);
    // How large batches get is drawn: of a few vertices more they may be no larger.
    MinibatchSettings larger = fitting.withBatchSize(fitting.batchSize() * 5 / 4).withBulk(1);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> plan(training -> training.memory(limit).minibatches(larger)))
        .withMessageContaining("; overlap off fits (");
  }

  /// Then what would have to change is said of the whole graph.
  @Tag("slow")
  @Test
  void whatFitsInNeitherWayIsRefused() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> plan(training -> training.memory(1 << 20)))
        .withMessageContaining("hidden");
    assertThat(chosen).isEmpty();
  }
}
