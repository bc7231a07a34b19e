package dev.gossamer.nn.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.MeasuredArena;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.BlockProducts;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SparseStateTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final OptimizerRule ADAM = new OptimizerRule.AdamW(0.1);
  private static final int STEPS = 20;
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("first.weight", 37, 83, true)
          .add("first.bias", 1, 83, false)
          .add("second.weight", 83, 11, true)
          .add("third.weight", 11, 5, true)
          .build();

  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(2);

  @AfterEach
  void free() {
    workers.close();
    arena.close();
  }

  /// Prunes two of the three matrices.
  private static Mask mask(double sparsity, long seed) {
    Random random = new Random(seed);
    Map<String, BitSet> kept = new HashMap<>();
    for (String name : List.of("first.weight", "second.weight")) {
      BitSet bits = new BitSet();
      for (int i = 0; i < LAYOUT.entry(name).count(); i++) {
        bits.set(i, random.nextFloat() >= sparsity);
      }
      kept.put(name, bits);
    }
    return new Mask(LAYOUT, kept);
  }

  /// Prunes whole blocks of the two larger matrices.
  private static Mask maskInBlocks(ParameterLayout layout, double sparsity, long seed) {
    Random random = new Random(seed);
    Map<String, BitSet> kept = new HashMap<>();
    int side = BlockProducts.SIDE;
    for (ParameterLayout.Entry entry : layout.entries()) {
      BitSet bits = new BitSet();
      for (int i = 0; entry.count() > 500 && i < entry.rows(); i += side) {
        for (int j = 0; j < entry.cols(); j += side) {
          boolean survives = random.nextFloat() >= sparsity;
          for (int r = i; survives && r < Math.min(entry.rows(), i + side); r++) {
            int row = r * entry.cols();
            bits.set(row + j, row + Math.min(entry.cols(), j + side));
          }
        }
      }
      if (!bits.isEmpty()) {
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

  private DenseState dense(long seed) {
    DenseState state = new DenseState(arena, LAYOUT);
    fill(state.weights(), new Random(seed));
    return state;
  }

  /// Trains three linear layers towards zero.
  ///
  /// @return half the sum of squares before each step
  private double[] train(ModelState state) {
    Optimizer optimizer = new Optimizer(arena, ADAM, state.kept());
    DenseMatrix x = DenseMatrix.allocate(arena, 9, 37);
    fill(x.data(), new Random(5));
    DenseMatrix h = DenseMatrix.allocate(arena, 9, 83);
    DenseMatrix i = DenseMatrix.allocate(arena, 9, 11);
    DenseMatrix y = DenseMatrix.allocate(arena, 9, 5);
    DenseMatrix gi = DenseMatrix.allocate(arena, 9, 11);
    DenseMatrix gh = DenseMatrix.allocate(arena, 9, 83);
    Weight first = state.parameter("first.weight");
    Weight second = state.parameter("second.weight");
    Weight third = state.parameter("third.weight");
    double[] losses = new double[STEPS];
    for (int step = 0; step < STEPS; step++) {
      state.gradients().fill((byte) 0);
      first.multiply(x, h, workers, RowEpilogue.NONE);
      second.multiply(h, i, workers, RowEpilogue.NONE);
      third.multiply(i, y, workers, RowEpilogue.NONE);
      for (float v : y.data().toArray(FLOAT)) {
        losses[step] += 0.5 * v * v;
      }
      third.multiplyTransposed(y, gi, workers, RowEpilogue.NONE);
      second.multiplyTransposed(gi, gh, workers, RowEpilogue.NONE);
      third.addGradient(i, y, workers);
      second.addGradient(h, gi, workers);
      first.addGradient(x, gh, workers);
      long count = state.kept().count();
      state.narrowGradients(0, count);
      state.widenGradients(0, count);
      optimizer.step(state, 0.01, workers);
      state.refresh(workers);
    }
    return losses;
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void trainsAsACompressedStateDoes(boolean inBlocks) {
    Mask mask = inBlocks ? maskInBlocks(LAYOUT, 0.8, 1) : mask(0.8, 1);
    DenseState dense = dense(2);
    NumberFormat format = NumberFormat.FLOAT32;
    double[] expected =
        train(CompressedState.of(arena, dense, mask, CompressedForm.dense(format), workers));
    assertThat(expected[STEPS - 1]).isLessThan(0.5 * expected[0]);
    CompressedForm all = CompressedForm.sparse(format);
    CompressedForm one = all.withProducts((matrix, kept) -> matrix.name().equals("second.weight"));
    for (CompressedForm form : List.of(all, one)) {
      double[] found = train(CompressedState.of(arena, dense, mask, form, workers));
      for (int step = 0; step < STEPS; step++) {
        // Sums of at most 83 terms in another order, in each of five products of a step; Adam's
        // steps do not grow with what they are given, and the errors of steps add up.
        double most = 5 * 83 * 0x1p-24 * (step + 1) * expected[0];
        assertThat(found[step]).as("step %d", step).isCloseTo(expected[step], within(most));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreReadAndGradientsOfRowsAddUp(NumberFormat format) {
    Mask mask = mask(0.9, 3);
    CompressedState state = new CompressedState(arena, mask, CompressedForm.sparse(format));
    Random random = new Random(4);
    fill(state.weights(), random);
    state.refresh(workers);
    for (String name : List.of("first.weight", "second.weight", "third.weight")) {
      Weight weight = state.parameter(name);
      MemorySegment master =
          arena.allocate(4L * weight.rows() * weight.cols(), DenseMatrix.ALIGNMENT);
      state.dense(name, master);
      MemorySegment row = arena.allocate((long) weight.cols() * Float.BYTES, 4);
      DenseMatrix values = DenseMatrix.allocate(arena, 2, weight.cols());
      fill(values.data(), random);
      weight.addGradientRows(3, 5, values.data());
      weight.addGradientRows(4, 6, values.data());
      MemorySegment gradient = arena.allocate(master.byteSize(), 4);
      state.expand(name, state.gradients(), 0, weight.rows() * weight.cols(), gradient);
      for (int i = 0; i < weight.rows(); i++) {
        weight.row(i, row);
        for (int j = 0; j < weight.cols(); j++) {
          long at = (long) i * weight.cols() + j;
          float kept = master.getAtIndex(FLOAT, at);
          boolean whole = !mask.prunes(name);
          assertThat(row.getAtIndex(FLOAT, j)).isEqualTo(whole ? format.rounded(kept) : kept);
          float sum = i == 3 || i == 4 ? values.get(i - 3, j) : 0f;
          sum += i == 4 || i == 5 ? values.get(i - 4, j) : 0f;
          assertThat(gradient.getAtIndex(FLOAT, at))
              .isEqualTo(mask.keeps(name, (int) at) ? sum : 0f);
        }
      }
    }
    assertThat(state.vector("first.bias").byteSize()).isEqualTo(83 * Float.BYTES);
    assertThat(state.compressionNanos()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> state.vector("second.weight"));
    assertThatIllegalArgumentException().isThrownBy(() -> state.parameter("fourth.weight"));
  }

  /// What is staged is what products read in 16 bits.
  @ParameterizedTest
  @EnumSource(DownCast.class)
  void aMixtureSaysItsBytes(DownCast downCast) {
    Mask mask = mask(0.8, 11);
    CompressedForm form =
        CompressedForm.dense(NumberFormat.BF16)
            .withDownCast(downCast)
            .withProducts((matrix, kept) -> matrix.name().equals("first.weight"));
    try (MeasuredArena measured = new MeasuredArena()) {
      CompressedState state = CompressedState.of(measured, dense(12), mask, form, workers);
      assertThat(measured.bytes()).isEqualTo(CompressedState.bytes(LAYOUT, mask.kept(), form));
      assertThat(state.mask()).isEqualTo(mask);
      MemorySegment row = arena.allocate(11L * Float.BYTES, 4);
      state.parameter("second.weight").row(5, row);
      MemorySegment master = arena.allocate(11L * Float.BYTES, 4);
      state.expand("second.weight", state.weights(), 55, 66, master);
      for (int j = 0; j < 11; j++) {
        assertThat(row.getAtIndex(FLOAT, j))
            .isEqualTo(NumberFormat.BF16.rounded(master.getAtIndex(FLOAT, j)));
      }
    }
  }

  @Test
  void takesOverSurvivorsAndRefusesToReviveTheDead() {
    Mask loose = mask(0.5, 7);
    DenseState dense = dense(8);
    CompressedForm form = CompressedForm.sparse(NumberFormat.BF16);
    CompressedState first = CompressedState.of(arena, dense, loose, form, workers);
    BitSet few = loose.survivors("first.weight");
    few.clear(0, 400);
    Mask tight =
        new Mask(
            LAYOUT, Map.of("first.weight", few, "second.weight", loose.survivors("second.weight")));
    CompressedState second = CompressedState.of(arena, first, tight, form, workers);
    tight.apply(dense.weights());
    for (ParameterLayout.Entry entry : LAYOUT.entries()) {
      MemorySegment expected = arena.allocate(entry.count() * Float.BYTES, 4);
      MemorySegment found = arena.allocate(entry.count() * Float.BYTES, 4);
      dense.dense(entry.name(), expected);
      second.dense(entry.name(), found);
      assertThat(found.mismatch(expected)).as(entry.name()).isEqualTo(-1);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompressedState.of(arena, second, loose, form, workers))
        .withMessageContaining("first.weight: expected survivors that were survivors before");
  }

  /// Whatever the order in which a state has them.
  @Test
  void survivorsAreToldInTheOrderOfTheirPositions() {
    ParameterLayout layout = ParameterLayout.builder().add("wide", 5, 700, true).build();
    BitSet kept = new BitSet();
    new Random(13).ints(1000, 0, 3500).forEach(kept::set);
    Mask mask = new Mask(layout, Map.of("wide", kept));
    DenseState dense = new DenseState(arena, layout);
    fill(dense.weights(), new Random(14));
    CompressedForm form = CompressedForm.sparse(NumberFormat.FLOAT32);
    CompressedState state = CompressedState.of(arena, dense, mask, form, workers);
    MemorySegment found = state.survivors(Arena.ofAuto(), "wide", state.weights());
    int at = 0;
    for (int i = kept.nextSetBit(0); i >= 0; i = kept.nextSetBit(i + 1)) {
      assertThat(found.getAtIndex(FLOAT, at++)).isEqualTo(dense.weights().getAtIndex(FLOAT, i));
    }
    assertThat(state.weights().mismatch(found)).isNotEqualTo(-1);
    state.setSurvivors("wide", found, state.gradients());
    assertThat(state.gradients().mismatch(state.weights())).isEqualTo(-1);
  }

  /// The loss, half a sum of squares, is quadratic in each weight: central differences have no
  /// error but that of rounding.
  @Test
  void gradientsInBlocksAreSlopes() {
    Mask mask = maskInBlocks(LAYOUT, 0.7, 15);
    CompressedState state =
        CompressedState.of(
            arena, dense(16), mask, CompressedForm.sparse(NumberFormat.FLOAT32), workers);
    Weight weight = state.parameter("first.weight");
    DenseMatrix x = DenseMatrix.allocate(arena, 19, 37);
    DenseMatrix y = DenseMatrix.allocate(arena, 19, 83);
    DenseMatrix g = DenseMatrix.allocate(arena, 19, 37);
    fill(x.data(), new Random(17));
    weight.multiply(x, y, workers, RowEpilogue.NONE);
    weight.multiplyTransposed(y, g, workers, RowEpilogue.NONE);
    weight.addGradient(x, y, workers);
    int survivors = Math.toIntExact(mask.count("first.weight"));
    MemorySegment weights = state.kept().entry("first.weight").of(state.weights());
    MemorySegment gradient = state.kept().entry("first.weight").of(state.gradients());
    for (int i = 0; i < survivors; i += 7) {
      requireSlope(weights, i, gradient.getAtIndex(FLOAT, i), weight, x, y);
    }
    for (int i = 0; i < 19 * 37; i += 5) {
      requireSlope(x.data(), i, g.data().getAtIndex(FLOAT, i), weight, x, y);
    }
  }

  private void requireSlope(
      MemorySegment of, int at, double slope, Weight weight, DenseMatrix x, DenseMatrix y) {
    float before = of.getAtIndex(FLOAT, at);
    double step = 0.125;
    of.setAtIndex(FLOAT, at, (float) (before + step));
    double above = loss(weight, x, y);
    of.setAtIndex(FLOAT, at, (float) (before - step));
    double below = loss(weight, x, y);
    of.setAtIndex(FLOAT, at, before);
    // A sum of at most 37 terms in each of the elements of which the loss is made.
    double most = 2 * 37 * 0x1p-24 * (above + below) / step;
    assertThat((above - below) / (2 * step)).isCloseTo(slope, within(most));
  }

  private double loss(Weight weight, DenseMatrix x, DenseMatrix y) {
    weight.multiply(x, y, workers, RowEpilogue.NONE);
    double loss = 0;
    for (float v : y.data().toArray(FLOAT)) {
      loss += 0.5 * v * v;
    }
    return loss;
  }

  /// In whole blocks the index is a tenth of that of single elements.
  @Test
  void saysItsBytesInBlocks() {
    ParameterLayout layout =
        ParameterLayout.builder().add("up", 256, 1024, true).add("down", 1024, 256, true).build();
    Mask mask = maskInBlocks(layout, 0.9, 18);
    try (MeasuredArena measured = new MeasuredArena()) {
      CompressedForm form = CompressedForm.sparse(NumberFormat.BF16).withBlocks(true);
      CompressedState state = new CompressedState(measured, mask, form);
      assertThat(state.mask()).isEqualTo(mask);
      assertThat(measured.bytes()).isEqualTo(CompressedState.bytes(layout, mask.kept(), form));
      new Optimizer(measured, ADAM, state.kept());
      double f = 1 - mask.sparsity();
      double expected = (1.0 / 128 + (18 + 6.0 / 16) * f) * (double) layout.count();
      assertThat((double) measured.peak()).isCloseTo(expected, within(0.01 * expected));
    }
  }

  @ParameterizedTest
  @CsvSource({"FLOAT32, 0.9, 20", "BF16, 0.9, 22", "FP16, 0.8, 22"})
  void saysItsBytes(NumberFormat format, double sparsity, double each) {
    ParameterLayout layout =
        ParameterLayout.builder()
            .add("up", 256, 1024, true)
            .add("bias", 1, 1024, false)
            .add("down", 1024, 256, true)
            .build();
    Random random = new Random(9);
    Map<String, BitSet> kept = new HashMap<>();
    for (String name : List.of("up", "down")) {
      BitSet bits = new BitSet();
      for (int i = 0; i < 256 * 1024; i++) {
        bits.set(i, random.nextFloat() >= sparsity);
      }
      kept.put(name, bits);
    }
    Mask mask = new Mask(layout, kept);
    try (MeasuredArena measured = new MeasuredArena()) {
      CompressedForm form = CompressedForm.sparse(format);
      CompressedState state = new CompressedState(measured, mask, form);
      assertThat(measured.bytes()).isEqualTo(CompressedState.bytes(layout, mask.kept(), form));
      new Optimizer(measured, ADAM, state.kept());
      double phi = (double) layout.count();
      double f = 1 - mask.sparsity();
      double expected = (1.0 / 32 + each * f) * phi;
      assertThat((double) measured.peak()).isCloseTo(expected, within(0.01 * expected));
    }
  }
}
