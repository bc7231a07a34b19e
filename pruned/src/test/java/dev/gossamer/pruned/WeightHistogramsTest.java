package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.nn.state.WeightHistogram;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeightHistogramsTest {
  @TempDir Path folder = Path.of("");

  /// The surviving elements of a tensor, of which the others are zeros.
  private static float[] survivors(PrunedModel model, String name, Safetensors.Tensor tensor) {
    float[] all = tensor.data().toArray(ValueLayout.JAVA_FLOAT);
    if (!model.mask().prunes(name)) {
      return all;
    }
    int[] kept = model.mask().survivors(name).stream().toArray();
    float[] values = new float[kept.length];
    for (int i = 0; i < kept.length; i++) {
      values[i] = all[kept[i]];
    }
    return values;
  }

  /// On one rank; on two stages of two replicas each.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"1, 1", "4, 2"})
  void theSurvivingWeightsOfAllStagesAreCounted(int ranks, int stages) throws IOException {
    Map<Integer, Map<String, WeightHistogram>> seen = new LinkedHashMap<>();
    PrunedModel model =
        TinyText.training(TinyText.write(folder))
            .ranks(ranks)
            .stages(stages)
            .onWeights(2, seen::put)
            .run();
    assertThat(seen.keySet()).containsExactly(1, 2, 4, 6);
    Map<String, WeightHistogram> last = seen.getOrDefault(6, Map.of());
    assertThat(last.keySet()).isEqualTo(model.values().keySet());
    model
        .values()
        .forEach((name, tensor) -> {
          WeightHistogram found = Objects.requireNonNull(last.get(name), name);
          WeightHistogram expected =
              WeightHistogram.of(MemorySegment.ofArray(survivors(model, name, tensor)));
          assertThat(found.buckets()).as(name).isEqualTo(expected.buckets());
          assertThat(found.least()).as(name).isEqualTo(expected.least());
          assertThat(found.greatest()).as(name).isEqualTo(expected.greatest());
          assertThat(found.sum()).as(name).isEqualTo(expected.sum());
        });
    assertThat(last.values().stream().mapToLong(WeightHistogram::count).sum())
        .isEqualTo(model.kept());
    assertThat(
            seen.getOrDefault(2, Map.of()).values().stream()
                .mapToLong(WeightHistogram::count)
                .sum())
        .isEqualTo(model.parameters());
  }

  @Test
  void aNumberOfIterationsIsNeeded() {
    assertThatThrownBy(() -> PrunedTraining.onJdkText().onWeights(0, (_, _) -> {}))
        .isInstanceOf(InvalidSettingException.class);
  }
}
