package dev.gossamer.pruned.prune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.state.CompressedForm;
import dev.gossamer.nn.state.CompressedState;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.Structure.Axis;
import dev.gossamer.pruned.prune.Structure.Cut;
import dev.gossamer.pruned.prune.Structure.Kind;
import dev.gossamer.pruned.prune.StructuredPruning.Comparison;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StructuredPruningTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Two layers whose units the next one reads: the head with two rows for each of `b`.
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("a", 3, 4, true)
          .add("a.gain", 1, 4, false)
          .add("b", 4, 2, true)
          .add("b.gain", 1, 2, false)
          .add("head", 4, 5, true)
          .build();

  private static final List<Structure> STRUCTURES =
      List.of(structure("a", 4, "b"), structure("b", 2, "head"));

  private static Structure structure(String name, int units, String reader) {
    String gain = name + ".gain";
    return new Structure(
        name,
        Kind.CHANNELS,
        units,
        List.of(
            new Cut(name, Axis.COLUMNS, 1),
            new Cut(gain, Axis.COLUMNS, 1),
            new Cut(reader, Axis.ROWS, 1)),
        gain);
  }

  private static StructuredPruning pruning(Comparison comparison) {
    return new StructuredPruning(LAYOUT, STRUCTURES, comparison);
  }

  private static SurvivingUnits survivors(Comparison comparison, long kept, double... scores) {
    return pruning(comparison).survivors(scores, kept);
  }

  @Test
  void unitsWithTheSmallestScoresGo() {
    double[] scores = {0.5, 0.1, 0.9, 0.3, 0.2, 0.05};
    // Unit 1 of b is the first of all: 4 + 1 + 10 of 46. Then unit 1 of a: 3 + 1 + 1.
    assertThat(survivors(Comparison.GLOBAL, 31, scores).widths()).isEqualTo(Map.of("a", 4, "b", 1));
    SurvivingUnits found = survivors(Comparison.GLOBAL, 26, scores);
    assertThat(found.widths()).isEqualTo(Map.of("a", 3, "b", 1));
    assertThat(found.survivors("a").stream()).containsExactly(0, 2, 3);
    assertThat(found.survivors("b").stream()).containsExactly(0);
    assertThat(found.layout(LAYOUT).count()).isEqualTo(26);
    // The largest of each layer stays: 3 + 1 + 1 + 1 + 10 are left at least.
    assertThat(survivors(Comparison.GLOBAL, 0, scores).layout(LAYOUT).count())
        .isEqualTo(pruning(Comparison.GLOBAL).least())
        .isEqualTo(16);
    assertThat(survivors(Comparison.GLOBAL, 46, scores).layout(LAYOUT)).isEqualTo(LAYOUT);
    // Of units that are as near the first number is taken, which leaves more.
    assertThat(survivors(Comparison.GLOBAL, 38, scores).layout(LAYOUT).count()).isEqualTo(31);
    assertThat(survivors(Comparison.GLOBAL, 39, scores).layout(LAYOUT).count()).isEqualTo(46);
  }

  /// As before the first iteration, when all scales are one.
  @Test
  void ofEqualUnitsEveryLayerLosesTheSameShare() {
    double[] scores = {1, 1, 1, 1, 1, 1};
    assertThat(survivors(Comparison.GLOBAL, 21, scores).widths())
        .isEqualTo(survivors(Comparison.UNIFORM, 21, scores).widths());
  }

  /// By rank: after half of the units of each layer, the quarters of the larger one follow.
  @Test
  void everyLayerLosesTheSameShare() {
    double[] scores = {8, 7, 6, 5, 0.1, 0.2};
    SurvivingUnits found = survivors(Comparison.UNIFORM, 21, scores);
    assertThat(found.survivors("a").stream()).containsExactly(0, 1);
    assertThat(found.survivors("b").stream()).containsExactly(1);
    for (int kept = 0; kept <= 50; kept++) {
      assertThat(pruning(Comparison.GLOBAL).widths(kept))
          .as("%d", kept)
          .isEqualTo(survivors(Comparison.UNIFORM, kept, scores).widths());
    }
  }

  @ParameterizedTest
  @EnumSource
  void theShareIsMissedByHalfAUnitAtMost(Comparison comparison) {
    Random random = new Random(2);
    // The largest unit is one of b: its 4 weights, its scale, and two rows of the head.
    for (int kept = 16; kept <= 46; kept++) {
      double[] scores = random.doubles(6).toArray();
      long left = survivors(comparison, kept, scores).layout(LAYOUT).count();
      assertThat(Math.abs(left - kept)).as("%d", kept).isLessThanOrEqualTo(15 / 2);
    }
  }

  @Test
  void scoresAreScalesAndSumsOfSquares() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      DenseState state = new DenseState(arena, LAYOUT);
      for (long i = 0; i < LAYOUT.count(); i++) {
        state.weights().setAtIndex(FLOAT, i, (float) (i % 3 - 1));
      }
      MemorySegment.copy(
          MemorySegment.ofArray(new float[] {0.5f, -0.25f, 0, 2}),
          0,
          state.vector("a.gain"),
          0,
          16);
      assertThat(pruning(Comparison.GLOBAL).scales(state)).startsWith(0.5, 0.25, 0, 2);
      // a is -1 0 1 -1 / 0 1 -1 0 / 1 -1 0 1, b is 0 1 / -1 0 / 1 -1 / 0 1.
      assertThat(pruning(Comparison.UNIFORM).norms(state)).startsWith(3, 3, 4, 3);
      Mask fewer = MagnitudePruning.global(state, 0.1);
      CompressedForm form = CompressedForm.dense(NumberFormat.FLOAT32);
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              pruning(Comparison.UNIFORM)
                  .norms(CompressedState.of(arena, state, fewer, form, workers)))
          .withMessageContaining("found a pruned one");
    }
  }

  /// As elements: what an Early-Bird Ticket compares has the rows and columns of all that went.
  @Test
  void survivorsAreAMaskOfElements() {
    SurvivingUnits found = survivors(Comparison.GLOBAL, 26, 0.5, 0.1, 0.9, 0.3, 0.2, 0.05);
    Mask mask = found.mask(LAYOUT);
    assertThat(mask.count("a")).isEqualTo(9);
    assertThat(mask.count("b")).isEqualTo(3);
    assertThat(mask.survivors("head").stream()).containsExactly(0, 1, 2, 3, 4, 10, 11, 12, 13, 14);
    assertThat(mask.survivors("b").stream()).containsExactly(0, 4, 6);
  }
}
