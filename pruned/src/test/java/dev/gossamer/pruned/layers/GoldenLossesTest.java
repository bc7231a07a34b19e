package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Ten training steps of a tiny GPT and a tiny convolutional network follow the [Reference], and
/// that the losses written down here.
class GoldenLossesTest {
  private static final int STEPS = 10;

  private static final double[] GPT = {
    2.582892224966038,
    2.471352513126775,
    2.364534952961841,
    2.258672497078991,
    2.152615514409894,
    2.0564983268616537,
    1.9471479621175423,
    1.830089626655812,
    1.719211042717917,
    1.609223075852904
  };

  private static final double[] CONVOLUTIONS = {
    1.9313803871899893,
    1.6594346354252423,
    1.4703342246172861,
    1.3459607272540177,
    1.211520154242563,
    1.0819954686719135,
    1.0278082829394515,
    1.0243659049534848,
    0.9750747960687528,
    0.8745506512140956
  };

  /// Rounding of a loss in float32, relative: half an ulp for each of a few dozen operations in a
  /// row, which in a mean over rows mostly cancel.
  private static final double TOLERANCE = 32 * 0x1p-24;

  private static final double DECAY = 0.01;

  /// One step of the reference's optimizer.
  private interface ReferenceStep {
    void run(Reference reference, int step);
  }

  @Test
  void gptFollowsTheReference() {
    GptSettings settings = new GptSettings(13, 8, 2, 2, 16, 0, false);
    LayerNetwork network = Gpt.of("gpt", settings, 1);
    Random random = new Random(3);
    int samples = 4;
    int[] tokens = random.ints((long) samples * 8, 0, 13).toArray();
    int[] labels = random.ints((long) samples * 8, 0, 13).toArray();
    double[][] x = new double[tokens.length][1];
    for (int i = 0; i < tokens.length; i++) {
      x[i][0] = tokens[i];
    }
    double rate = 0.01;
    check(
        train(
            network,
            samples,
            x,
            labels,
            reference -> reference.gpt(settings),
            new OptimizerRule.AdamW(DECAY),
            rate,
            (reference, step) -> reference.adamW(step, rate, DECAY)),
        GPT);
  }

  @Test
  void convolutionsFollowTheReference() {
    Shape image = new Shape(8, 8, 2);
    Shape wide = image.withChannels(4);
    Shape half = new Shape(4, 4, 4);
    Sequence layers =
        Sequence.of(
            Convolution.biased("first", image, 4, new Kernel(3, 1, 1)),
            new BatchNorm("norm", wide),
            new Relu(wide),
            new MaxPool(wide, 2, 2),
            new Residual(Convolution.biased("second", half, 4, new Kernel(3, 1, 1))),
            AveragePool.global(half),
            Linear.biased("linear", new Shape(1, 1, 4), 5, 0.5));
    int samples = 6;
    Random random = new Random(4);
    double[][] x = new double[samples * 64][2];
    for (double[] row : x) {
      row[0] = (float) random.nextGaussian();
      row[1] = (float) random.nextGaussian();
    }
    int[] labels = random.ints(samples, 0, 5).toArray();
    double rate = 0.1;
    check(
        train(
            new LayerNetwork("convolutions", layers.layers()),
            samples,
            x,
            labels,
            reference ->
                Reference.chain(
                    reference.convolution("first", 8, 3),
                    reference.batchNorm("norm"),
                    Reference.curve(Reference.RELU),
                    Reference.maximum(8),
                    Reference.residual(reference.convolution("second", 4, 3)),
                    Reference.mean(16),
                    reference.linear("linear", true)),
            new OptimizerRule.Sgd(DECAY, 0.9),
            rate,
            (reference, step) -> reference.sgd(rate, 0.9, DECAY)),
        CONVOLUTIONS);
  }

  private static void check(double[][] losses, double[] golden) {
    assertThat(losses[1]).containsExactly(golden, within(1e-9));
    for (int i = 0; i < STEPS; i++) {
      assertThat(losses[0][i]).as("step %d", i).isCloseTo(golden[i], within(TOLERANCE * golden[i]));
    }
    assertThat(golden[STEPS - 1]).isLessThan(0.9 * golden[0]);
  }

  /// Losses of each step: ours, and the reference's.
  private static double[][] train(
      LayerNetwork network,
      int samples,
      double[][] x,
      int[] labels,
      Function<Reference, Reference.Step> steps,
      OptimizerRule rule,
      double rate,
      ReferenceStep referenceStep) {
    try (LayerRun run = new LayerRun(network.whole(), samples, 2);
        Arena arena = Arena.ofShared()) {
      ParameterLayout layout = network.layout();
      network.initialise(
          0, network.blocks().size(), new Initialisation(network.layout(), run.state.weights(), 1));
      Optimizer optimizer = new Optimizer(arena, rule, layout);
      Reference reference = new Reference(layout, run.state.weights());
      Reference.Step whole = steps.apply(reference);
      for (int i = 0; i < x.length; i++) {
        for (int j = 0; j < x[i].length; j++) {
          run.x.set(i, j, (float) x[i][j]);
        }
      }
      double[] ours = new double[STEPS];
      double[] theirs = new double[STEPS];
      for (int step = 0; step < STEPS; step++) {
        ours[step] = step(run, labels);
        optimizer.step(run.state, rate, run.workers());
        reference.clearGradients();
        double[][] z = whole.forward(x);
        theirs[step] = Reference.loss(z, labels);
        whole.backward(z);
        referenceStep.run(reference, step + 1);
      }
      return new double[][] {ours, theirs};
    }
  }

  private static double step(LayerRun run, int[] labels) {
    run.state.gradients().fill((byte) 0);
    DenseMatrix logits = run.forward(true);
    run.t.copyFrom(logits);
    double sum = CrossEntropy.lossAndGradient(run.t, labels, 1f / labels.length, run.workers());
    run.backwardWithoutInput();
    return sum / labels.length;
  }
}
