package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.Structure;
import dev.gossamer.pruned.prune.Structure.Axis;
import dev.gossamer.pruned.prune.Structure.Cut;
import dev.gossamer.pruned.prune.SurvivingUnits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What is left of a network computes what the whole network computes with zeros in the place of
/// the rest.
class StructuresTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final int SAMPLES = 3;

  /// Longest sum of the networks below (72 positions of 3 x 3 x 8, 3 samples of 8 x 8 in a
  /// statistic) times the layers that sum, times what normalisation by a deviation below one makes
  /// of a difference.
  private static final double ROUNDING = 192 * 8 * 4 * 0x1p-24;

  private static final Shape IMAGE = new Shape(8, 8, 2);

  static List<LayerNetwork> networks() {
    VggSettings vgg =
        new VggSettings(
            IMAGE, List.of(6, 5, VggSettings.POOL, 8, VggSettings.POOL), List.of(7), 3, true, 0);
    return List.of(
        Vgg.of("vgg", vgg, 1),
        Vgg.of("plain", vgg.withNormalised(false), 1),
        WideResNet.of("wide", new WideResNetSettings(IMAGE, false, List.of(2, 1), 2, 2, 3)),
        WideResNet.of("reduced", new WideResNetSettings(IMAGE, true, List.of(1), 3, 1, 3)),
        Gpt.of("gpt", new GptSettings(11, 6, 2, 3, 12, 0, false), 1),
        Gpt.of("tied", new GptSettings(11, 6, 1, 2, 8, 0.1f, true), 1));
  }

  /// A layer, its units, and who has a part of them.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|convolutions.0|6|convolutions.0.weight convolutions.0.norm.gain"
            + " convolutions.0.norm.bias convolutions.0.norm.mean convolutions.0.norm.variance"
            + " convolutions.1.weight",
        "0|convolutions.2|8|convolutions.2.weight convolutions.2.norm.gain"
            + " convolutions.2.norm.bias convolutions.2.norm.mean convolutions.2.norm.variance"
            + " linear.0.weight",
        "0|linear.0|7|linear.0.weight linear.0.bias linear.1.weight",
        "1|convolutions.1|5|convolutions.1.weight convolutions.1.bias convolutions.2.weight",
        "2|stem|2|stem.weight stem.norm.gain stem.norm.bias stem.norm.mean stem.norm.variance"
            + " groups.0.0.reduce.weight groups.0.0.shortcut.weight",
        "4|blocks.1.attention|3|blocks.1.attention.in.weight blocks.1.attention.in.bias"
            + " blocks.1.attention.out.weight",
        "4|blocks.0.mlp.in|48|blocks.0.mlp.in.weight blocks.0.mlp.in.bias blocks.0.mlp.out.weight",
      })
  void unitsAreReadByWhatFollows(int network, String name, int units, String parameters) {
    Structure found =
        networks().get(network).structures().stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow();
    assertThat(found.units()).isEqualTo(units);
    assertThat(found.cuts().stream().map(Cut::parameter))
        .containsExactly(parameters.split(" ", -1));
  }

  /// What is a term of a sum stays, and so do classes and tokens.
  @Test
  void whatIsAddedStays() {
    assertThat(networks().get(2).structures().stream().map(Structure::name))
        .containsExactly(
            "stem",
            "groups.0.0.reduce",
            "groups.0.0.inner",
            "groups.0.1.reduce",
            "groups.0.1.inner",
            "groups.1.0.reduce",
            "groups.1.0.inner");
    assertThat(networks().get(4).structures().stream().map(Structure::name))
        .containsExactly(
            "blocks.0.attention", "blocks.0.mlp.in", "blocks.1.attention", "blocks.1.mlp.in");
  }

  private static SurvivingUnits some(LayerNetwork network, Random random) {
    Map<String, BitSet> units = new HashMap<>();
    for (Structure each : network.structures()) {
      BitSet survivors = new BitSet();
      for (int unit = 0; unit < each.units(); unit++) {
        survivors.set(unit, random.nextBoolean());
      }
      survivors.set(random.nextInt(each.units()));
      units.put(each.name(), survivors);
    }
    return new SurvivingUnits(network.structures(), units);
  }

  /// The parameters of units that do not survive become zero, but for those of their readers.
  private static void clear(LayerNetwork network, SurvivingUnits units, LayerRun run) {
    for (Structure structure : network.structures()) {
      for (Cut cut : structure.cuts()) {
        for (ParameterLayout.Entry entry : run.state.layout().entries()) {
          if (entry.name().equals(cut.parameter()) && cut.axis() == Axis.COLUMNS) {
            clear(entry, structure, cut, units, entry.of(run.state.weights()));
          }
        }
      }
    }
  }

  private static void clear(
      ParameterLayout.Entry entry,
      Structure structure,
      Cut cut,
      SurvivingUnits units,
      MemorySegment values) {
    for (int i = 0; i < entry.count(); i++) {
      int unit = i % entry.cols() / cut.span() % structure.units();
      if (!units.survivors(structure.name()).get(unit)) {
        values.setAtIndex(FLOAT, i, 0);
      }
    }
  }

  private static void fill(DenseMatrix x, boolean tokens, Random random) {
    for (long i = 0; i < x.data().byteSize() / Float.BYTES; i++) {
      x.data().setAtIndex(FLOAT, i, tokens ? random.nextInt(11) : 2 * random.nextFloat() - 1);
    }
  }

  private static MemorySegment gathered(
      LayerRun whole, LayerRun left, SurvivingUnits units, MemorySegment flat) {
    MemorySegment to =
        MemorySegment.ofArray(new float[Math.toIntExact(left.state.layout().count())]);
    for (ParameterLayout.Entry entry : whole.state.layout().entries()) {
      units.gather(entry, entry.of(flat), left.state.layout().entry(entry.name()).of(to));
    }
    return to;
  }

  private static void assertClose(String what, MemorySegment found, MemorySegment expected) {
    assertThat(found.byteSize()).isEqualTo(expected.byteSize());
    double largest = 0;
    double difference = 0;
    for (long i = 0; i < found.byteSize() / Float.BYTES; i++) {
      double value = expected.getAtIndex(FLOAT, i);
      largest = Math.max(largest, Math.abs(value));
      difference = Math.max(difference, Math.abs(found.getAtIndex(FLOAT, i) - value));
    }
    assertThat(difference).as(what).isLessThanOrEqualTo(ROUNDING * largest);
    assertThat(largest).as(what).isPositive();
  }

  @ParameterizedTest
  @MethodSource("networks")
  void whatIsLeftComputesAsIfTheRestWereZero(LayerNetwork network) {
    Random random = new Random(6);
    SurvivingUnits units = some(network, random);
    LayerNetwork smaller = network.resized(units.widths());
    assertThat(smaller.layout()).isEqualTo(units.layout(network.layout()));
    assertThat(smaller.statistics()).isEqualTo(units.layout(network.statistics()));
    assertThat(smaller.parameters()).isLessThan(network.parameters());
    try (LayerRun whole = new LayerRun(network.whole(), SAMPLES, 1);
        LayerRun left = new LayerRun(smaller.whole(), SAMPLES, 1)) {
      whole.randomParameters(3);
      clear(network, units, whole);
      left.state.weights().copyFrom(gathered(whole, left, units, whole.state.weights()));
      fill(whole.x, network.input().channels() == 1, random);
      fill(whole.t, false, random);
      left.x.copyFrom(whole.x);
      left.t.copyFrom(whole.t);
      for (ParameterLayout.Entry entry : whole.statistics.layout().entries()) {
        MemorySegment running = whole.statistics.running(entry.name());
        for (int i = 0; i < entry.count(); i++) {
          running.setAtIndex(FLOAT, i, 1 + random.nextFloat());
        }
        units.gather(entry, running, left.statistics.running(entry.name()));
      }
      assertClose("evaluation", left.forward(false).data(), whole.forward(false).data());
      assertClose("training", left.forward(true).data(), whole.forward(true).data());
      whole.backward();
      left.backward();
      if (network.input().channels() > 1) {
        assertClose("gradient of the input", left.g.data(), whole.g.data());
      }
      assertClose(
          "gradients",
          left.state.gradients(),
          gathered(whole, left, units, whole.state.gradients()));
    }
  }

  @Test
  void aNetworkHasTheUnitsThatItIsToldOf() {
    LayerNetwork gpt = networks().get(4);
    assertThat(gpt.resized(Map.of())).isEqualTo(gpt);
    assertThat(
            gpt.resized(Map.of("blocks.0.attention", 2))
                .layout()
                .entry("blocks.0.attention.in.weight")
                .cols())
        .isEqualTo(24);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpt.resized(Map.of("blocks.0.attention", 4)))
        .withMessage("blocks.0.attention: expected 1..3 units, found 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpt.resized(Map.of("blocks.0.mlp.out", 4)))
        .withMessage("blocks.0.mlp.out: expected a layer of gpt whose units can be removed");
  }
}
