package dev.gossamer.pruned.prune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.state.CompressedForm;
import dev.gossamer.nn.state.CompressedState;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MagnitudePruningTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("a", 7, 13, true)
          .add("a.bias", 1, 13, false)
          .add("b", 13, 5, true)
          .add("b.bias", 1, 5, false)
          .build();

  private record Element(String name, int index, float size) {}

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  /// Weights of few values, so that many are equal.
  private DenseState state(ParameterLayout layout, long seed, int values) {
    DenseState state = new DenseState(arena, layout);
    Random random = new Random(seed);
    for (long i = 0; i < layout.count(); i++) {
      float sign = random.nextBoolean() ? 1 : -1;
      state.weights().setAtIndex(FLOAT, i, sign * random.nextInt(values) / values);
    }
    return state;
  }

  private static Mask perLayer(ModelState state, double sparsity) {
    return MagnitudePruning.perLayer(state, PruningQuota.of(state.layout(), sparsity), Map.of());
  }

  /// Smallest first; of equal ones the last.
  private static List<Element> ascending(DenseState state, String... names) {
    List<Element> elements = new ArrayList<>();
    for (String name : names) {
      ParameterLayout.Entry entry = state.layout().entry(name);
      for (int i = 0; i < entry.count(); i++) {
        float w = state.weights().getAtIndex(FLOAT, entry.offset() + i);
        elements.add(new Element(name, i, Math.abs(w)));
      }
    }
    List<Element> reversed = elements.reversed();
    return reversed.stream().sorted(Comparator.comparingDouble(Element::size)).toList();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.123, 0.5, 0.8})
  void globallyTheSmallestGo(double sparsity) {
    DenseState state = state(LAYOUT, 1, 20);
    Mask mask = MagnitudePruning.global(state, sparsity);
    long removed = Math.round(sparsity * 174);
    assertThat(mask.count()).isEqualTo(174 - removed);
    List<Element> order = ascending(state, "a", "b");
    for (int i = 0; i < order.size(); i++) {
      Element e = order.get(i);
      assertThat(mask.keeps(e.name(), e.index())).as("%s", e).isEqualTo(i >= removed);
    }
    assertThat(mask.prunes("a.bias")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.123, 0.5, 0.8})
  void everyLayerLosesTheSameShare(double sparsity) {
    DenseState state = state(LAYOUT, 2, 20);
    Mask mask = perLayer(state, sparsity);
    assertThat(mask.count()).isEqualTo(174 - Math.round(sparsity * 174));
    for (String name : List.of("a", "b")) {
      ParameterLayout.Entry entry = LAYOUT.entry(name);
      long removed = entry.count() - mask.count(name);
      double share = sparsity * 174 / (91 + 65);
      assertThat(Math.abs(removed - share * entry.count())).isLessThan(1);
      List<Element> order = ascending(state, name);
      for (int i = 0; i < order.size(); i++) {
        assertThat(mask.keeps(name, order.get(i).index())).isEqualTo(i >= removed);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.123, 0.5, 0.8, 0.89})
  void everyRowOrColumnLosesTheSameShare(double sparsity) {
    DenseState state = state(LAYOUT, 2, 20);
    PruningQuota quota = PruningQuota.of(LAYOUT, sparsity);
    Mask mask =
        MagnitudePruning.perLayer(
            state, quota, Map.of("a", ComparisonGroup.ROW, "b", ComparisonGroup.COLUMN));
    assertThat(mask.count()).isEqualTo(174 - Math.round(sparsity * 174));
    List<Element> a = ascending(state, "a");
    for (int row = 0; row < 7; row++) {
      int wanted = row;
      List<Element> own = a.stream().filter(e -> e.index() / 13 == wanted).toList();
      requireSmallestGone(mask, own, share(quota.removed("a"), 7, row));
    }
    List<Element> b = ascending(state, "b");
    for (int column = 0; column < 5; column++) {
      int wanted = column;
      List<Element> own = b.stream().filter(e -> e.index() % 5 == wanted).toList();
      requireSmallestGone(mask, own, share(quota.removed("b"), 5, column));
    }
  }

  /// What one of several groups loses: the first ones one more than the others.
  private static long share(long removed, int groups, int group) {
    return removed / groups + (group < removed % groups ? 1 : 0);
  }

  private static void requireSmallestGone(Mask mask, List<Element> ascending, long removed) {
    for (int i = 0; i < ascending.size(); i++) {
      Element e = ascending.get(i);
      assertThat(mask.keeps(e.name(), e.index())).as("%s", e).isEqualTo(i >= removed);
    }
  }

  @Test
  void rowsLoseMoreStepByStep() {
    Map<String, ComparisonGroup> groups =
        Map.of("a", ComparisonGroup.ROW, "b", ComparisonGroup.COLUMN);
    DenseState dense = state(LAYOUT, 6, 5);
    Mask some = MagnitudePruning.perLayer(dense, PruningQuota.of(LAYOUT, 0.37), groups);
    try (Workers workers = new Workers(1)) {
      ModelState state =
          CompressedState.of(
              arena, dense, some, CompressedForm.dense(NumberFormat.FLOAT32), workers);
      for (double sparsity : new double[] {0.37, 0.38, 0.41, 0.7}) {
        PruningQuota quota = PruningQuota.of(LAYOUT, sparsity);
        Mask mask = MagnitudePruning.perLayer(state, quota, groups);
        assertThat(mask.within(some)).isTrue();
        assertThat(mask).isEqualTo(MagnitudePruning.perLayer(dense, quota, groups));
      }
      PruningQuota less = PruningQuota.of(LAYOUT, 0.2);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MagnitudePruning.perLayer(state, less, groups))
          .withMessageContaining("the same fraction of each row");
    }
  }

  @Test
  void ranksWithPartsOfTheNetworkFindTheSameMask() {
    DenseState whole = state(LAYOUT, 3, 6);
    ParameterLayout first = LAYOUT.where(e -> e.name().startsWith("a"));
    ParameterLayout second = LAYOUT.where(e -> e.name().startsWith("b"));
    DenseState one = new DenseState(arena, first);
    DenseState two = new DenseState(arena, second);
    one.weights().copyFrom(whole.weights().asSlice(0, first.count() * 4));
    two.weights().copyFrom(whole.weights().asSlice(first.count() * 4));
    long kept = 156 - Math.round(0.6 * 174);
    IntToLongFunction summed =
        key -> MagnitudePruning.countAtLeast(one, key) + MagnitudePruning.countAtLeast(two, key);
    Mask a = MagnitudePruning.global(one, kept, summed, key -> 0);
    Mask b = MagnitudePruning.global(two, kept, summed, key -> MagnitudePruning.ties(one, key));
    Mask expected = MagnitudePruning.global(whole, 0.6);
    assertThat(a).isEqualTo(expected.part(first));
    assertThat(b).isEqualTo(expected.part(second));
  }

  @Test
  void whatIsPrunedStaysPruned() {
    DenseState dense = state(LAYOUT, 4, 3);
    try (Workers workers = new Workers(1)) {
      Mask loose = RandomPruning.mask(LAYOUT, 0.4, 7);
      ModelState state =
          CompressedState.of(
              arena, dense, loose, CompressedForm.dense(NumberFormat.FLOAT32), workers);
      assertThat(state.mask()).isEqualTo(loose);
      for (Mask tight : List.of(perLayer(state, 0.7), MagnitudePruning.global(state, 0.7))) {
        assertThat(tight.within(loose)).isTrue();
        assertThat(tight.count()).isEqualTo(174 - 122);
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MagnitudePruning.global(state, 0.3))
          .withMessageContaining("expected at most");
    }
  }

  /// Sparse products have survivors of so wide a matrix in another order than that of positions, by
  /// which ties are settled.
  @Test
  void theOrderOfSurvivorsChangesNoMask() {
    ParameterLayout wide = ParameterLayout.builder().add("wide", 7, 600, true).build();
    DenseState dense = state(wide, 8, 9);
    Mask loose = RandomPruning.mask(wide, 0.4, 10);
    try (Workers workers = new Workers(1)) {
      ModelState plain =
          CompressedState.of(
              arena, dense, loose, CompressedForm.dense(NumberFormat.FLOAT32), workers);
      ModelState sparse =
          CompressedState.of(
              arena, dense, loose, CompressedForm.sparse(NumberFormat.FLOAT32), workers);
      assertThat(sparse.weights().mismatch(plain.weights())).isNotEqualTo(-1);
      assertThat(MagnitudePruning.global(sparse, 0.7))
          .isEqualTo(MagnitudePruning.global(plain, 0.7));
      PruningQuota quota = PruningQuota.of(wide, 0.7);
      assertThat(MagnitudePruning.perLayer(sparse, quota, Map.of()))
          .isEqualTo(MagnitudePruning.perLayer(plain, quota, Map.of()));
    }
  }

  @Test
  void refusesWhatTheMatricesCannotLose() {
    DenseState state = state(LAYOUT, 5, 20);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> perLayer(state, 0.95))
        .withMessage(
            "sparsity 0.95 of 174 parameters: expected at most the 156 that may be pruned, found 165");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> MagnitudePruning.global(state, 1));
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> MagnitudePruning.global(state, -0.1));
  }

  @Test
  void theMaskSetsTheRestToZero() {
    DenseState state = state(LAYOUT, 6, 1000);
    Mask mask = MagnitudePruning.global(state, 0.5);
    float[] before = state.weights().toArray(FLOAT);
    mask.apply(state.weights());
    int zeros = 0;
    for (ParameterLayout.Entry entry : LAYOUT.entries()) {
      for (int i = 0; i < entry.count(); i++) {
        int at = (int) entry.offset() + i;
        float expected = mask.keeps(entry.name(), i) ? before[at] : 0f;
        assertThat(state.weights().getAtIndex(FLOAT, at)).isEqualTo(expected);
        zeros += mask.keeps(entry.name(), i) ? 0 : 1;
      }
    }
    assertThat(zeros).isEqualTo(87);
    assertThat(mask.sparsity()).isEqualTo(0.5);
  }
}
