package dev.gossamer.pruned.prune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockPruningTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Whole blocks, and blocks that are cut off at either edge or at both.
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("even", 32, 48, true)
          .add("bias", 1, 48, false)
          .add("odd", 41, 38, true)
          .build();

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  private DenseState state(long seed) {
    DenseState state = new DenseState(arena, LAYOUT);
    Random random = new Random(seed);
    for (long i = 0; i < LAYOUT.count(); i++) {
      // Few different numbers, so that norms are equal now and then.
      state.weights().setAtIndex(FLOAT, i, random.nextInt(-3, 4));
    }
    return state;
  }

  /// A block, found element by element.
  private record Block(int row, int col, double norm, List<Integer> elements) {}

  private static List<Block> blocks(DenseState state, String name, BlockShape shape) {
    ParameterLayout.Entry entry = LAYOUT.entry(name);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < entry.rows(); i += shape.rows()) {
      for (int j = 0; j < entry.cols(); j += shape.cols()) {
        List<Integer> elements = new ArrayList<>();
        double sum = 0;
        for (int e = 0; e < entry.count(); e++) {
          int row = e / entry.cols();
          int col = e % entry.cols();
          if (row / shape.rows() * shape.rows() == i && col / shape.cols() * shape.cols() == j) {
            elements.add(e);
            sum += Math.pow(state.weights().getAtIndex(FLOAT, entry.offset() + e), 2);
          }
        }
        blocks.add(new Block(i, j, (float) Math.sqrt(sum / elements.size()), elements));
      }
    }
    return blocks;
  }

  private static void requireLargestKept(Mask mask, String name, List<Block> blocks, int kept) {
    // A stable sort: of equal ones the first survive.
    List<Block> order = new ArrayList<>(blocks);
    order.sort(Comparator.comparingDouble(Block::norm).reversed());
    for (int i = 0; i < order.size(); i++) {
      for (int element : order.get(i).elements()) {
        assertThat(mask.keeps(name, element))
            .as("%s of %s", order.get(i), name)
            .isEqualTo(i < kept);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"4x4, 0.5", "4x4, 0.9", "4x8, 0.7", "16x4, 0.8", "8x8, 0.123"})
  void theLargestBlocksOfEachMatrixSurvive(String text, double sparsity) {
    BlockShape shape = BlockShape.parse(text);
    DenseState state = state(1);
    PruningQuota quota = PruningQuota.of(LAYOUT, sparsity);
    Mask mask = BlockPruning.mask(state, quota, Map.of(), shape);
    for (String name : List.of("even", "odd")) {
      long room = LAYOUT.entry(name).count() - quota.removed(name);
      requireLargestKept(mask, name, blocks(state, name, shape), (int) (room / shape.elements()));
      assertThat(mask.count(name)).isLessThanOrEqualTo(room);
    }
    assertThat(mask.count("even"))
        .isGreaterThan(LAYOUT.entry("even").count() - quota.removed("even") - shape.elements());
    assertThat(mask.prunes("bias")).isFalse();
    assertThat(BlockPruning.isInBlocks(mask)).isTrue();
    assertThat(BlockPruning.isInBlocks(RandomPruning.mask(LAYOUT, sparsity, 1))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.8, 0.9})
  void bandsOfTokensAndClassesKeepTheSameShare(double sparsity) {
    BlockShape shape = new BlockShape(4, 8);
    DenseState state = state(2);
    PruningQuota quota = PruningQuota.of(LAYOUT, sparsity);
    Mask mask =
        BlockPruning.mask(
            state,
            quota,
            Map.of("even", ComparisonGroup.COLUMN, "odd", ComparisonGroup.ROW),
            shape);
    requireBands(mask, state, "even", false, shape, quota);
    requireBands(mask, state, "odd", true, shape, quota);
  }

  private static void requireBands(
      Mask mask,
      DenseState state,
      String name,
      boolean byRow,
      BlockShape shape,
      PruningQuota quota) {
    List<Block> all = blocks(state, name, shape);
    List<Integer> begins =
        all.stream().map(b -> byRow ? b.row() : b.col()).distinct().sorted().toList();
    long kept = (LAYOUT.entry(name).count() - quota.removed(name)) / shape.elements();
    for (int g = 0; g < begins.size(); g++) {
      int begin = begins.get(g);
      List<Block> own = all.stream().filter(b -> (byRow ? b.row() : b.col()) == begin).toList();
      // The last bands keep one more where the number does not divide.
      long more = begins.size() - g <= kept % begins.size() ? 1 : 0;
      requireLargestKept(mask, name, own, (int) (kept / begins.size() + more));
    }
  }

  @Test
  void blocksGoStepByStepWhateverTheStateIs() {
    DenseState dense = state(3);
    Map<String, ComparisonGroup> groups = Map.of("odd", ComparisonGroup.ROW);
    try (Workers workers = new Workers(1)) {
      ModelState state = dense;
      for (double sparsity : new double[] {0.3, 0.31, 0.6, 0.9}) {
        PruningQuota quota = PruningQuota.of(LAYOUT, sparsity);
        Mask mask = BlockPruning.mask(state, quota, groups, BlockShape.DEFAULT);
        assertThat(mask).isEqualTo(BlockPruning.mask(dense, quota, groups, BlockShape.DEFAULT));
        assertThat(mask.within(state.mask())).isTrue();
        CompressedForm form = CompressedForm.sparse(NumberFormat.FLOAT32);
        state = CompressedState.of(arena, state, mask, form, workers);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1x16", "4", "0x4", "4x68", "6x4", "4x-4", "x", "4x4x4", ""})
  void shapesWithoutProductsAreRefused(String text) {
    assertThatThrownBy(() -> BlockShape.parse(text))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("expected ROWSxCOLUMNS, multiples of 4 up to 64")
        .hasMessageEndingWith("found " + text);
  }
}
