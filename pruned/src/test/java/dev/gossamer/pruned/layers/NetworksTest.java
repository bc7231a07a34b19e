package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Sizes of the published networks, and how networks are cut.
class NetworksTest {
  @Test
  void vgg19HasThePublishedParameters() {
    assertThat(Vgg.of("vgg19", VggSettings.named("vgg19-plain"), 1).parameters())
        .isEqualTo(143_667_240);
    // Normalisation: a gain and a bias for each of the 5504 channels in the place of a bias.
    assertThat(Vgg.of("vgg19", VggSettings.named("vgg19"), 1).parameters())
        .isEqualTo(143_667_240 + 5504);
  }

  @Test
  void wideResNet101HasThePublishedParameters() {
    LayerNetwork network =
        WideResNet.of("wideresnet101", WideResNetSettings.named("wideresnet101"));
    assertThat(network.parameters()).isEqualTo(126_886_696);
    assertThat(network.blocks()).hasSize(3 + 4 + 23 + 3 + 2);
    // 22.75 billion multiply-adds of an image, in the library's documentation 22.8.
    assertThat(network.operations() / 2e9).isBetween(22.5, 23.0);
  }

  @Test
  void gptPresetsHaveTheSizesOfTheirNames() {
    assertThat(parameters("gpt-50m")).isBetween(49_000_000L, 51_000_000L);
    assertThat(parameters("gpt-xl")).isBetween(1_300_000_000L, 1_450_000_000L);
    assertThat(parameters("gpt-2.7b")).isBetween(2_600_000_000L, 2_850_000_000L);
    assertThat(parameters("gpt-6.7b")).isBetween(6_600_000_000L, 6_950_000_000L);
    assertThat(parameters("gpt-13b")).isBetween(12_700_000_000L, 13_200_000_000L);
  }

  private static long parameters(String name) {
    GptSettings s = GptSettings.named(name);
    long parameters = Gpt.of(name, s, 1).parameters();
    long d = s.width();
    long block = 12 * d * d + 13 * d;
    assertThat(parameters)
        .isEqualTo((2L * s.vocabulary() + s.length()) * d + s.layers() * block + 2 * d);
    return parameters;
  }

  @Test
  void everyPresetHasAName() {
    assertThat(GptSettings.NAMES)
        .allSatisfy(name -> assertThat(GptSettings.named(name)).isNotNull());
    assertThat(VggSettings.NAMES)
        .allSatisfy(name -> assertThat(VggSettings.named(name)).isNotNull());
    assertThat(WideResNetSettings.NAMES)
        .allSatisfy(name -> assertThat(WideResNetSettings.named(name)).isNotNull());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GptSettings.named("gpt-5"))
        .withMessageContaining("found gpt-5")
        .withMessageContaining("gpt-tiny");
  }

  @Test
  void aStageBeginsAsItsPartOfTheWholeNetwork() {
    LayerNetwork network = WideResNet.of("small", WideResNetSettings.named("wideresnet-small"));
    int blocks = network.blocks().size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment whole = arena.allocate(network.parameters() * Float.BYTES);
      network.initialise(0, blocks, new Initialisation(network.layout(), whole, 5));
      long at = 0;
      long statistics = 0;
      for (int cut = 0; cut < blocks; cut++) {
        ParameterLayout layout = network.layout(cut, cut + 1);
        MemorySegment part = arena.allocate(layout.count() * Float.BYTES);
        network.initialise(cut, cut + 1, new Initialisation(network.layout(cut, cut + 1), part, 5));
        assertThat(part.mismatch(whole.asSlice(at, part.byteSize()))).isEqualTo(-1);
        at += part.byteSize();
        statistics += network.statistics(cut, cut + 1).count();
      }
      assertThat(at).isEqualTo(whole.byteSize());
      assertThat(statistics).isEqualTo(network.statistics().count()).isPositive();
    }
    assertThat(network.part(0, 2).output()).isEqualTo(network.part(2, blocks).input());
    assertThat(network.output()).isEqualTo(new Shape(1, 1, 10));
  }

  @Test
  void refusesLayersThatDoNotFit() {
    Shape shape = new Shape(4, 1, 6);
    Linear wide = Linear.biased("a", shape, 7, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sequence.of(wide, wide))
        .withMessage("sequence: layer 0 makes 4 x 1 x 7 but layer 1 takes 4 x 1 x 6");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Residual(wide))
        .withMessageContaining("residual");
    assertThatIllegalArgumentException().isThrownBy(() -> new Sequence(List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CausalAttention("a", shape, 4, 1, 1))
        .withMessage("a: expected a number of heads that divides 6 channels, found 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Convolution.biased("c", shape, 2, new Kernel(3, 1, 0)))
        .withMessageContaining("does not fit an image of 4 x 1");
    assertThatIllegalArgumentException().isThrownBy(() -> new DropoutLayer(shape, 1, 1, 1));
  }
}
