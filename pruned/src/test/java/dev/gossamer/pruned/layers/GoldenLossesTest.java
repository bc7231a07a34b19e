package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// The first gradients of a tiny GPT and a tiny convolutional network, and the losses of ten
/// training steps, are those of PyTorch in double precision, as `src/test/python/golden_losses.py`
/// has computed them once; so are those of the [Reference], which other tests compare layers with.
class GoldenLossesTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final int STEPS = 10;

  /// Rounding of a loss in float32, relative: half an ulp for each of a few dozen operations in a
  /// row, which in a mean over rows mostly cancel.
  private static final double TOLERANCE = 32 * 0x1p-24;

  /// Of the reference, in double precision: sums of up to 400 numbers, a few dozen in a row, with
  /// `2^-53` each, passed on from step to step.
  private static final double EXACT = 1e-11;

  private static final double DECAY = 0.01;

  /// One step of the reference's optimizer.
  private interface ReferenceStep {
    void run(Reference reference, int step);
  }

  /// What a gradient is known by.
  ///
  /// @param norm Euclidean
  /// @param probe sum of the elements times the numbers that are drawn for it
  private record Gradient(double norm, double probe) {
    static Gradient of(String parameter, double[] elements) {
      double[] along = numbers(parameter + ".probe", elements.length);
      double squares = 0;
      double probe = 0;
      for (int i = 0; i < elements.length; i++) {
        squares += elements[i] * elements[i];
        probe += elements[i] * along[i];
      }
      return new Gradient(Math.sqrt(squares), probe);
    }
  }

  /// Losses before each step, and gradients of parameters before the first.
  private static final class Course {
    private final double[] losses = new double[STEPS];
    private final Map<String, Gradient> gradients = new HashMap<>();

    static Course golden(String network) throws IOException {
      Course course = new Course();
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(
                  Objects.requireNonNull(
                      GoldenLossesTest.class.getResourceAsStream("golden-losses.txt")),
                  StandardCharsets.UTF_8))) {
        for (String line : lines.lines().filter(l -> l.startsWith(network + " ")).toList()) {
          List<String> words = List.of(line.split(" ", -1));
          double value = Double.parseDouble(words.get(3));
          switch (words.get(1)) {
            case "loss" -> course.losses[Integer.parseInt(words.get(2))] = value;
            case "gradient" ->
                course.gradients.put(
                    words.get(2), new Gradient(value, Double.parseDouble(words.get(4))));
            default -> throw new IllegalArgumentException(line);
          }
        }
      }
      return course;
    }

    /// @param tolerance relative: of a loss, and of the gradient of all parameters
    void assertClose(Course golden, double tolerance) {
      for (int i = 0; i < STEPS; i++) {
        assertThat(losses[i])
            .as("loss %d", i)
            .isCloseTo(golden.losses[i], within(tolerance * golden.losses[i]));
      }
      assertThat(gradients).containsOnlyKeys(golden.gradients.keySet());
      double all =
          Math.sqrt(golden.gradients.values().stream().mapToDouble(g -> g.norm * g.norm).sum());
      golden.gradients.forEach((name, expected) -> {
        Gradient found = Objects.requireNonNull(gradients.get(name));
        assertThat(found.norm)
            .as("norm of %s", name)
            .isCloseTo(expected.norm, within(tolerance * all));
        assertThat(found.probe)
            .as("probe of %s", name)
            .isCloseTo(expected.probe, within(tolerance * all));
      });
    }
  }

  /// Integers of 16 bits that a linear congruential generator gives for a name.
  private static int[] draws(String name, int count) {
    long state = 0;
    for (int i = 0; i < name.length(); i++) {
      state = (31 * state + name.charAt(i)) % (1L << 31);
    }
    int[] drawn = new int[count];
    for (int i = 0; i < count; i++) {
      state = (1_103_515_245 * state + 12_345) % (1L << 31);
      drawn[i] = (int) (state >> 15);
    }
    return drawn;
  }

  /// Numbers of `[-1, 1)` that are exact in float32.
  private static double[] numbers(String name, int count) {
    return Arrays.stream(draws(name, count)).mapToDouble(d -> (d - 0x1p15) / 0x1p15).toArray();
  }

  private static int[] integers(String name, int count, int below) {
    return Arrays.stream(draws(name, count)).map(d -> d % below).toArray();
  }

  @Test
  void gptFollowsPyTorch() throws IOException {
    GptSettings settings = new GptSettings(13, 8, 2, 2, 16, 0, false);
    int samples = 4;
    double[][] x =
        Arrays.stream(integers("gpt.tokens", samples * 8, 13))
            .mapToObj(token -> new double[] {token})
            .toArray(double[][]::new);
    double rate = 0.01;
    check(
        Gpt.of("gpt", settings, 1),
        samples,
        x,
        integers("gpt.labels", samples * 8, 13),
        reference -> reference.gpt(settings),
        new OptimizerRule.AdamW(DECAY),
        rate,
        (reference, step) -> reference.adamW(step, rate, DECAY));
  }

  @Test
  void convolutionsFollowPyTorch() throws IOException {
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
    double[] pixels = numbers("convolutions.x", samples * 64 * 2);
    double[][] x = new double[samples * 64][];
    Arrays.setAll(x, i -> new double[] {2 * pixels[2 * i], 2 * pixels[2 * i + 1]});
    double rate = 0.1;
    check(
        new LayerNetwork("convolutions", layers.layers()),
        samples,
        x,
        integers("convolutions.labels", samples, 5),
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
        (reference, step) -> reference.sgd(rate, 0.9, DECAY));
  }

  /// Trains both from the same weights on the same batch.
  private static void check(
      LayerNetwork network,
      int samples,
      double[][] x,
      int[] labels,
      Function<Reference, Reference.Step> steps,
      OptimizerRule rule,
      double rate,
      ReferenceStep referenceStep)
      throws IOException {
    Course golden = Course.golden(network.name());
    assertThat(golden.losses[STEPS - 1]).isPositive().isLessThan(0.9 * golden.losses[0]);
    try (LayerRun run = new LayerRun(network.whole(), samples, 2);
        Arena arena = Arena.ofShared()) {
      ParameterLayout layout = network.layout();
      initialise(layout, run.state.weights());
      Optimizer optimizer = new Optimizer(arena, rule, layout);
      Reference reference = new Reference(layout, run.state.weights());
      Reference.Step whole = steps.apply(reference);
      for (int i = 0; i < x.length; i++) {
        for (int j = 0; j < x[i].length; j++) {
          run.x.set(i, j, (float) x[i][j]);
        }
      }
      Course ours = new Course();
      Course theirs = new Course();
      for (int step = 0; step < STEPS; step++) {
        ours.losses[step] = step(run, labels);
        reference.clearGradients();
        double[][] z = whole.forward(x);
        theirs.losses[step] = Reference.loss(z, labels);
        whole.backward(z);
        if (step == 0) {
          for (ParameterLayout.Entry entry : layout.entries()) {
            String name = entry.name();
            ours.gradients.put(name, Gradient.of(name, elements(run.state.gradients(), entry)));
            theirs.gradients.put(name, Gradient.of(name, reference.gradient(name)));
          }
        }
        optimizer.step(run.state, rate, run.workers());
        referenceStep.run(reference, step + 1);
      }
      theirs.assertClose(golden, EXACT);
      ours.assertClose(golden, TOLERANCE);
    }
  }

  private static void initialise(ParameterLayout layout, MemorySegment weights) {
    for (ParameterLayout.Entry entry : layout.entries()) {
      double[] numbers = numbers(entry.name(), (int) entry.count());
      int base = entry.name().endsWith("gain") ? 1 : 0;
      for (int i = 0; i < numbers.length; i++) {
        weights.setAtIndex(FLOAT, entry.offset() + i, (float) (base + numbers[i] / 4));
      }
    }
  }

  private static double[] elements(MemorySegment gradients, ParameterLayout.Entry entry) {
    double[] elements = new double[(int) entry.count()];
    Arrays.setAll(elements, i -> (double) gradients.getAtIndex(FLOAT, entry.offset() + i));
    return elements;
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
