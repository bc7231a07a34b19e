package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.pruned.layers.Vgg;
import dev.gossamer.pruned.layers.VggSettings;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import org.junit.jupiter.api.Test;

class PrunerTest {
  private static StagePart part(int inter) {
    Grid grid = new Grid(inter, 1);
    return StagePart.all(
            Vgg.of("vgg-mnist", VggSettings.named("vgg-mnist"), 0),
            new PipelineSettings(grid, BatchSettings.DEFAULT, 0),
            new StateSettings(StorageSettings.DEFAULT, new OptimizerRule.Sgd(0, 0.9), false))
        .getFirst();
  }

  private static void require(Criterion criterion, double sparsity, int inter) {
    Pruner.requirePossible(new Pruning.OneShot(3), criterion, sparsity, part(inter));
  }

  /// What has no batch normalisation behind it cannot be pruned by channels: here 151,251 of
  /// 288,042 parameters.
  @Test
  void whatCannotBePrunedIsRefusedBeforehand() {
    assertThatCode(() -> require(Criterion.CHANNELS, 0.47, 1)).doesNotThrowAnyException();
    assertThatThrownBy(() -> require(Criterion.CHANNELS, 0.5, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "sparsity 0.5 of 288042 parameters: expected at most the 136791 that may be pruned,"
                + " found 144021");
    assertThatCode(() -> require(Criterion.PER_LAYER, 0.9, 1)).doesNotThrowAnyException();
    assertThatThrownBy(() -> require(Criterion.GLOBAL, 0.9999, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("sparsity 0.9999 of 288042 parameters: expected at most the");
    assertThatThrownBy(() -> require(Criterion.CHANNELS, 0.3, 2))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("criterion channels: compares the channels of all layers");
  }
}
