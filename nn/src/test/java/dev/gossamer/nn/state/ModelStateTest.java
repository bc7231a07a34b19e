package dev.gossamer.nn.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.MeasuredArena;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ModelStateTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final OptimizerRule ADAM = new OptimizerRule.AdamW(0.1);
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("first.weight", 37, 23, true)
          .add("first.bias", 1, 23, false)
          .add("second.weight", 23, 11, true)
          .add("second.bias", 1, 11, false)
          .build();

  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(2);

  @AfterEach
  void free() {
    workers.close();
    arena.close();
  }

  private static Mask random(ParameterLayout layout, double sparsity, long seed, String... whole) {
    Random random = new Random(seed);
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry entry : layout.entries()) {
      if (Mask.prunable(entry) && !List.of(whole).contains(entry.name())) {
        BitSet bits = new BitSet();
        for (int i = 0; i < entry.count(); i++) {
          bits.set(i, random.nextFloat() >= sparsity);
        }
        kept.put(entry.name(), bits);
      }
    }
    return new Mask(layout, kept);
  }

  private static void fill(MemorySegment floats, Random random) {
    for (long i = 0; i < floats.byteSize() / Float.BYTES; i++) {
      floats.setAtIndex(FLOAT, i, random.nextFloat() - 0.5f);
    }
  }

  private DenseMatrix matrix(int rows, int cols, Random random) {
    DenseMatrix x = DenseMatrix.allocate(arena, rows, cols);
    fill(x.data(), random);
    return x;
  }

  private static MemorySegment dense(ModelState state, String name, Arena arena) {
    MemorySegment to = arena.allocate(state.layout().entry(name).count() * Float.BYTES, 4);
    state.dense(name, to);
    return to;
  }

  /// A network of two linear layers, some steps of it: forward, backward, update.
  private void train(ModelState state, Optimizer optimizer, @Nullable Mask applied, int steps) {
    Random random = new Random(5);
    DenseMatrix x = matrix(9, 37, random);
    DenseMatrix h = DenseMatrix.allocate(arena, 9, 23);
    DenseMatrix y = DenseMatrix.allocate(arena, 9, 11);
    DenseMatrix g = DenseMatrix.allocate(arena, 9, 23);
    for (int step = 0; step < steps; step++) {
      fill(x.data(), random);
      Weight first = state.parameter("first.weight");
      Weight second = state.parameter("second.weight");
      state.gradients().fill((byte) 0);
      first.multiply(x, h, workers, RowEpilogue.NONE);
      second.multiply(h, y, workers, RowEpilogue.NONE);
      // The gradient of half the sum of squares is the output itself.
      second.multiplyTransposed(y, g, workers, RowEpilogue.NONE);
      second.addGradient(h, y, workers);
      first.addGradient(x, g, workers);
      long count = state.kept().count();
      state.narrowGradients(0, count);
      state.widenGradients(0, count);
      optimizer.step(state, 0.01, workers);
      if (applied != null) {
        applied.apply(state.weights());
      }
      state.refresh(workers);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "FLOAT32, INT32, CHUNKED",
    "FLOAT32, BITMAP, WHOLE",
    "BF16, INT32, WHOLE",
    "FP16, BITMAP, CHUNKED",
    "BF16, AUTO, CHUNKED"
  })
  void trainsAsADenseStateDoesUnderTheMask(NumberFormat format, IndexKind kind, DownCast downCast) {
    Mask mask = random(LAYOUT, 0.8, 1);
    DenseState dense = new DenseState(arena, LAYOUT, format);
    fill(dense.weights(), new Random(2));
    CompressedState compressed =
        CompressedState.of(
            arena,
            dense,
            mask,
            new CompressedForm(format, kind, downCast, (m, k) -> false, false),
            workers);
    mask.apply(dense.weights());
    dense.refresh(workers);
    train(dense, new Optimizer(arena, ADAM, dense.kept()), mask, 8);
    train(compressed, new Optimizer(arena, ADAM, compressed.kept()), null, 8);
    for (ParameterLayout.Entry entry : LAYOUT.entries()) {
      MemorySegment expected = dense(dense, entry.name(), arena);
      MemorySegment found = dense(compressed, entry.name(), arena);
      assertThat(found.mismatch(expected)).as(entry.name()).isEqualTo(-1);
    }
    assertThat(compressed.compressionNanos()).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void productsReadTheMastersRoundedAndGradientsAddUp(NumberFormat format) {
    Mask mask = random(LAYOUT, 0.9, 3, "second.weight");
    CompressedState state = new CompressedState(arena, mask, CompressedForm.dense(format));
    Random random = new Random(4);
    fill(state.weights(), random);
    state.refresh(workers);
    for (String name : List.of("first.weight", "second.weight")) {
      Weight weight = state.parameter(name);
      MemorySegment master = dense(state, name, arena);
      MemorySegment row = arena.allocate((long) weight.cols() * Float.BYTES, 4);
      DenseMatrix values = matrix(2, weight.cols(), random);
      weight.addGradientRows(3, 5, values.data());
      weight.addGradientRows(4, 6, values.data());
      MemorySegment gradient = arena.allocate(master.byteSize(), 4);
      state.expand(name, state.gradients(), 0, weight.rows() * weight.cols(), gradient);
      for (int i = 0; i < weight.rows(); i++) {
        weight.row(i, row);
        for (int j = 0; j < weight.cols(); j++) {
          long at = (long) i * weight.cols() + j;
          float expected = format.rounded(master.getAtIndex(FLOAT, at));
          assertThat(row.getAtIndex(FLOAT, j)).isEqualTo(expected);
          float sum = i == 3 || i == 4 ? values.get(i - 3, j) : 0f;
          sum += i == 4 || i == 5 ? values.get(i - 4, j) : 0f;
          boolean kept = mask.keeps(name, (int) at);
          assertThat(gradient.getAtIndex(FLOAT, at)).isEqualTo(kept ? sum : 0f);
        }
      }
    }
    assertThat(state.vector("first.bias").byteSize()).isEqualTo(23 * Float.BYTES);
    assertThatIllegalArgumentException().isThrownBy(() -> state.vector("second.weight"));
    assertThatIllegalArgumentException().isThrownBy(() -> state.parameter("third.weight"));
  }

  @ParameterizedTest
  @EnumSource
  void theWireCarriesTheGradientsRounded(NumberFormat format) {
    DenseState state = new DenseState(arena, LAYOUT, format);
    fill(state.gradients(), new Random(6));
    float[] before = state.gradients().toArray(FLOAT);
    assertThat(state.wire().byteSize()).isEqualTo(LAYOUT.count() * format.bytes());
    state.narrowGradients(3, 100);
    state.widenGradients(3, 100);
    for (int i = 0; i < before.length; i++) {
      float expected = i >= 3 && i < 100 ? format.rounded(before[i]) : before[i];
      assertThat(state.gradients().getAtIndex(FLOAT, i)).isEqualTo(expected);
    }
  }

  @Test
  void prunesFurtherAndRefusesToReviveTheDead() {
    Mask loose = random(LAYOUT, 0.5, 7);
    DenseState dense = new DenseState(arena, LAYOUT);
    fill(dense.weights(), new Random(8));
    CompressedState first =
        CompressedState.of(
            arena,
            dense,
            loose,
            CompressedForm.dense(NumberFormat.BF16).withIndex(IndexKind.BITMAP),
            workers);
    BitSet few = loose.survivors("first.weight");
    few.clear(0, 400);
    Map<String, BitSet> kept = new HashMap<>();
    kept.put("first.weight", few);
    kept.put("second.weight", loose.survivors("second.weight"));
    Mask tight = new Mask(LAYOUT, kept);
    CompressedState second =
        CompressedState.of(
            arena,
            first,
            tight,
            CompressedForm.dense(NumberFormat.BF16).withDownCast(DownCast.WHOLE),
            workers);
    tight.apply(dense.weights());
    for (ParameterLayout.Entry entry : LAYOUT.entries()) {
      assertThat(dense(second, entry.name(), arena).mismatch(dense(dense, entry.name(), arena)))
          .isEqualTo(-1);
    }
    assertThat(tight.within(loose)).isTrue();
    assertThat(loose.within(tight)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            CompressedState.of(
                arena, second, loose, CompressedForm.dense(NumberFormat.BF16), workers))
        .withMessageContaining("first.weight");
  }

  @Test
  void theOptimizerGoesOnWithTheSurvivors() {
    DenseState dense = new DenseState(arena, LAYOUT);
    fill(dense.weights(), new Random(10));
    Optimizer all = new Optimizer(arena, ADAM, dense.kept());
    train(dense, all, null, 3);
    Mask mask = random(LAYOUT, 0.7, 11);
    CompressedState compressed =
        CompressedState.of(
            arena,
            dense,
            mask,
            CompressedForm.dense(NumberFormat.FLOAT32).withIndex(IndexKind.AUTO),
            workers);
    Optimizer few = all.pruned(arena, dense, compressed);
    assertThat(few.steps()).isEqualTo(3);
    mask.apply(dense.weights());
    all.moments().forEach(mask::apply);
    train(dense, all, mask, 4);
    train(compressed, few, null, 4);
    for (ParameterLayout.Entry entry : LAYOUT.entries()) {
      assertThat(dense(compressed, entry.name(), arena).mismatch(dense(dense, entry.name(), arena)))
          .as(entry.name())
          .isEqualTo(-1);
    }
  }

  /// A language model of about 3 million parameters, most of them in matrices.
  private static ParameterLayout language(int width, int layers, int words) {
    ParameterLayout.Builder builder = ParameterLayout.builder().add("words", words, width, true);
    for (int i = 0; i < layers; i++) {
      builder.add(i + ".attention", width, 3 * width, true);
      builder.add(i + ".attention.bias", 1, 3 * width, false);
      builder.add(i + ".out", width, width, true);
      builder.add(i + ".up", width, 4 * width, true);
      builder.add(i + ".down", 4 * width, width, true);
      builder.add(i + ".norm", 1, width, false);
    }
    return builder.build();
  }

  @ParameterizedTest
  @CsvSource({"FLOAT32, 16", "BF16, 20", "FP16, 20"})
  void aDenseStateTakesThePublishedBytes(NumberFormat format, double each) {
    ParameterLayout layout = language(256, 3, 2000);
    try (MeasuredArena measured = new MeasuredArena()) {
      DenseState state = new DenseState(measured, layout, format);
      assertThat(measured.bytes()).isEqualTo(DenseState.bytes(layout, format));
      new Optimizer(measured, ADAM, state.kept());
      assertThat((double) measured.peak())
          .isCloseTo(each * (double) layout.count(), Percentage.withPercentage(1));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "FP16, 0.8, INT32, CHUNKED, 2, 22", "FP16, 0.9, INT32, CHUNKED, 2, 22",
    "BF16, 0.8, INT32, WHOLE, 2, 24", "BF16, 0.9, INT32, WHOLE, 2, 24",
    "BF16, 0.9, BITMAP, CHUNKED, 2.1328, 18", "FP16, 0.8, BITMAP, WHOLE, 2.1328, 20",
    "FLOAT32, 0.9, INT32, CHUNKED, 4, 20", "FLOAT32, 0.8, BITMAP, WHOLE, 4.1328, 16"
  })
  void aCompressedStateTakesThePublishedBytes(
      NumberFormat format,
      double sparsity,
      IndexKind kind,
      DownCast downCast,
      double dense,
      double compressed) {
    ParameterLayout layout = language(256, 3, 2000);
    Mask mask = random(layout, sparsity, 9);
    try (MeasuredArena measured = new MeasuredArena()) {
      CompressedForm form = new CompressedForm(format, kind, downCast, (m, k) -> false, false);
      CompressedState state = new CompressedState(measured, mask, form);
      assertThat(measured.bytes()).isEqualTo(CompressedState.bytes(layout, mask.kept(), form));
      assertThat(state.kept()).isEqualTo(mask.kept());
      new Optimizer(measured, ADAM, state.kept());
      double phi = (double) layout.count();
      double f = 1 - mask.sparsity();
      assertThat(f).isCloseTo(1 - sparsity, within(0.01));
      assertThat((double) measured.peak())
          .isCloseTo((dense + compressed * f) * phi, Percentage.withPercentage(1));
    }
  }
}
