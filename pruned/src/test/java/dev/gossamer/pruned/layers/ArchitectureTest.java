package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
  static List<String> names() {
    return DenseArchitecture.NAMES;
  }

  private static DenseArchitecture published(String name) {
    return DenseArchitecture.isText(name)
        ? new DenseArchitecture.Text(name, GptSettings.named(name))
        : DenseArchitecture.Images.published(name);
  }

  @ParameterizedTest
  @MethodSource("names")
  void aNetworkIsBuiltAgainFromItsDescription(String name) {
    DenseArchitecture architecture = published(name);
    DenseArchitecture again = DenseArchitecture.of("file", architecture.description());
    assertThat(again).isEqualTo(architecture);
    assertThat(again.network(0).layout()).isEqualTo(architecture.network(3).layout());
    assertThat(again.operations()).isPositive();
  }

  /// 24 l s h^2 (1 + s / 6h + V / 12lh), term by term: products with weights, attention, logits.
  @Test
  void operationsOfALanguageModelAreThoseOfTheFormula() {
    DenseArchitecture tiny = published("gpt-tiny");
    double l = 2;
    double s = 64;
    double h = 64;
    double v = 256;
    assertThat(tiny.operations()).isEqualTo(24 * l * s * h * h + 4 * l * s * s * h + 2 * s * h * v);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpt-tiny|heads|3|file: expected the sizes of gpt-tiny, found others: blocks.0.attention",
        "gpt-tiny|width|wide|file: width: expected a number, found wide",
        "gpt-tiny|layers|0|file: expected the sizes of gpt-tiny, found others: gpt: expected",
        "gpt-tiny|model|mlp|file: model: expected one of gpt-tiny, gpt-small",
        "vgg-mnist|input|28|file: input: expected height x width x channels, found 28",
        "vgg-mnist|input|1 x 1 x 0|file: expected the sizes of vgg-mnist, found others: shape",
      })
  void otherDescriptionsAreRefused(String name, String key, String value, String message) {
    Map<String, String> description = new TreeMap<>(published(name).description());
    description.put(key, value);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> DenseArchitecture.of("file", description))
        .withMessageStartingWith(message);
  }
}
