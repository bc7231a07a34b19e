package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.pruned.layers.Vgg;
import dev.gossamer.pruned.layers.VggSettings;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import org.junit.jupiter.api.Test;

class PrunerTest {
  private static StagePart part(int inter) {
    RankGrid grid = new RankGrid(inter, 1);
    return StagePart.all(
            Vgg.of("vgg-mnist", VggSettings.named("vgg-mnist"), 0),
            new PipelineSettings(grid, BatchSettings.DEFAULT, 0),
            new StateSettings(StorageSettings.DEFAULT, new OptimizerRule.Sgd(0, 0.9), false, false))
        .getFirst();
  }

  private static void require(Criterion criterion, double sparsity, int inter) {
    Pruner.requirePossible(
        new PruningChoice(new Pruning.OneShot(3), criterion, sparsity, BlockShape.DEFAULT, null),
        part(inter));
  }

  /// Of each convolution one channel has to stay, and nobody removes classes: 2,625 of 288,042
  /// parameters are left at least.
  @Test
  void whatCannotBePrunedIsRefusedBeforehand() {
    assertThatCode(() -> require(Criterion.CHANNELS, 0.99, 2)).doesNotThrowAnyException();
    assertThatThrownBy(() -> require(Criterion.CHANNELS, 0.995, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "sparsity 0.995 of 288042 parameters: expected at most the 285417 that may be pruned,"
                + " found 286602");
    assertThatThrownBy(() -> require(Criterion.HEADS, 0.3, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("criterion heads: expected attention, found none in vgg-mnist");
    assertThatCode(() -> require(Criterion.PER_LAYER, 0.9, 1)).doesNotThrowAnyException();
    assertThatThrownBy(() -> require(Criterion.GLOBAL, 0.9999, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("sparsity 0.9999 of 288042 parameters: expected at most the");
  }
}
