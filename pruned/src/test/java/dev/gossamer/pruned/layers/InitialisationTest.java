package dev.gossamer.pruned.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class InitialisationTest {
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("blocks.0.query", 80, 80, true)
          .add("blocks.0.key", 80, 80, true)
          .build();

  private static float[] normal(ParameterLayout layout, String name, double deviation, long seed) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment weights = arena.allocate(ValueLayout.JAVA_FLOAT, layout.count());
      Initialisation initialisation = new Initialisation(layout, weights, seed);
      initialisation.normal("blocks.0.query", deviation);
      initialisation.normal("blocks.0.key", deviation);
      return layout.entry(name).of(weights).toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  @Test
  void drawsHaveTheDeviationThatIsAskedFor() {
    float[] drawn = normal(LAYOUT, "blocks.0.key", 0.02, 1);
    double sum = 0;
    double squares = 0;
    for (float value : drawn) {
      sum += value;
      squares += (double) value * value;
    }
    // Six deviations of the mean, and of the variance, of so many draws.
    double six = 6 / Math.sqrt(drawn.length);
    assertThat(sum / drawn.length).isCloseTo(0, within(0.02 * six));
    assertThat(squares / drawn.length).isCloseTo(4e-4, within(4e-4 * Math.sqrt(2) * six));
  }

  @Test
  void aStageStartsAsThatPartOfTheWholeNetwork() {
    float[] alone = normal(LAYOUT.alone("blocks.0.key"), "blocks.0.key", 0.02, 1);
    assertThat(alone)
        .isEqualTo(normal(LAYOUT, "blocks.0.key", 0.02, 1))
        .isNotEqualTo(normal(LAYOUT, "blocks.0.query", 0.02, 1))
        .isNotEqualTo(normal(LAYOUT, "blocks.0.key", 0.02, 2));
  }
}
