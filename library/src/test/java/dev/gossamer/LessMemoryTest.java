package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Sampler;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is named where memory does not suffice fits, and what is named before it does not.
class LessMemoryTest {
  private static final MinibatchSettings ASKED =
      MinibatchSettings.of(Sampler.sage(10, 10)).withBatchSize(4000).withAutomaticBulk();

  private final Dataset dataset = ExampleGraphs.dense(20_000, 1);

  /// Ends a training before it takes memory.
  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /// Bytes that a training needs, of which nothing is trained.
  private long needed(int ranks, @Nullable MinibatchSettings settings) {
    long[] bytes = {0};
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void planned(TrainingPlan plan) {
            bytes[0] = plan.shape().memory().needed();
            throw new Planned();
          }
        };
    assertThatThrownBy(training(ranks, settings).listener(listener)::train)
        .isInstanceOf(Planned.class);
    return bytes[0];
  }

  private GraphTraining training(int ranks, @Nullable MinibatchSettings settings) {
    GraphTraining training = ExampleGraphs.training(dataset).sage(32).ranks(ranks).threads(1);
    return settings == null ? training.minibatchesIfNeeded(ASKED) : training.minibatches(settings);
  }

  private String refusal(int ranks, @Nullable MinibatchSettings settings, long limit) {
    String[] message = {""};
    assertThatThrownBy(training(ranks, settings).memory(limit)::train)
        .isInstanceOf(InvalidSettingException.class)
        .satisfies(e -> message[0] = String.valueOf(e.getMessage()));
    return message[0].substring(message[0].indexOf("; ") + 2);
  }

  private static MinibatchSettings drawnOne(MinibatchSettings settings) {
    return settings.withBulk(1);
  }

  @Tag("slow")
  @Test
  void whatLeavesResultsAsTheyAreIsNamedFirst() {
    long usual = needed(1, drawnOne(ASKED));
    MinibatchSettings inTurn = drawnOne(ASKED.withOverlap(Overlap.OFF));
    MinibatchSettings sampled = drawnOne(ASKED.withTestFanouts(List.of(10, 10)));
    MinibatchSettings both = inTurn.withTestFanouts(List.of(10, 10));
    assertThat(needed(1, inTurn)).isLessThan(usual);
    assertThat(refusal(1, ASKED, needed(1, inTurn))).startsWith("overlap off fits (");
    assertThat(needed(1, both)).isLessThan(Math.min(needed(1, inTurn), needed(1, sampled)));
    assertThat(refusal(1, ASKED, needed(1, both))).startsWith("overlap off testFanouts 10 fits (");
    assertThat(refusal(1, ASKED.withBulk(7), needed(1, drawnOne(ASKED))))
        .startsWith("bulk 1 fits (");
  }

  @Test
  void smallerBatchesAreNamedWhereNothingElseSuffices() {
    MinibatchSettings all =
        drawnOne(ASKED.withOverlap(Overlap.OFF).withTestFanouts(List.of(10, 10)));
    long limit = needed(1, all.withBatchSize(500));
    String named = refusal(1, ASKED, limit);
    assertThat(named).matches("(overlap off testFanouts 10 )?batchSize [0-9]+ fits \\(.*");
    int size = Integer.parseInt(named.replaceAll(".*batchSize ([0-9]+).*", "$1"));
    MinibatchSettings changed = named.startsWith("batchSize") ? drawnOne(ASKED) : all;
    assertThat(needed(1, changed.withBatchSize(size))).isLessThanOrEqualTo(limit);
    assertThat(refusal(1, ASKED, 1 << 20))
        .isEqualTo("no batchSize fits; use a smaller graph or more memory");
  }

  /// Not even in the smallest batches, unless more than their size is changed.
  @Test
  void aWholeGraphThatFitsInNoWayMayFitInBatchesOfOtherSettings() {
    MinibatchSettings one = drawnOne(ASKED).withBatchSize(1);
    MinibatchSettings least = one.withOverlap(Overlap.OFF).withTestFanouts(List.of(10, 10));
    long limit = needed(1, least);
    assertThat(limit).isLessThan(needed(1, one));
    assertThat(refusal(1, null, limit))
        .startsWith("mode minibatch overlap off testFanouts 10 batchSize 1 fits (");
    assertThat(refusal(1, null, 1 << 20)).startsWith("no hidden fits");
  }
}
