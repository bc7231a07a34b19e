package dev.gossamer.pruned.prune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PruningTest {
  private static final ParameterLayout LAYOUT =
      ParameterLayout.builder()
          .add("conv.0", 3, 4, true)
          .add("gain.0", 1, 4, false)
          .add("conv.1", 4, 2, true)
          .add("gain.1", 1, 2, false)
          .add("head", 2, 5, true)
          .build();

  @TempDir Path folder;

  /// The first elements of the matrix survive.
  private static Mask first(int survivors) {
    BitSet bits = new BitSet();
    bits.set(0, survivors);
    return new Mask(LAYOUT, Map.of("head", bits));
  }

  @Test
  void randomMasksHaveExactCountsAndDependOnTheSeed() {
    ParameterLayout layout =
        ParameterLayout.builder().add("a", 50, 60, true).add("b", 70, 30, true).build();
    Mask mask = RandomPruning.mask(layout, 0.9, 1);
    assertThat(mask.count()).isEqualTo(510);
    assertThat(mask.count("a")).isEqualTo(300);
    assertThat(mask).isEqualTo(RandomPruning.mask(layout, 0.9, 1));
    // Of its survivors a mask shares a tenth with an independent one, with a deviation below 0.02.
    assertThat(mask.distance(RandomPruning.mask(layout, 0.9, 2))).isCloseTo(0.9, within(0.06));
    // Survivors are spread evenly: in the first half of the rows about half of them.
    assertThat(mask.survivors("a").get(0, 1500).cardinality()).isBetween(110, 190);
  }

  @Test
  void quotasAreExactAndProportional() {
    PruningQuota quota = PruningQuota.of(LAYOUT, 0.5);
    // 18 of 30: shares 7.2, 4.8 and 6.
    assertThat(quota.removed()).isEqualTo(Map.of("conv.0", 7L, "conv.1", 5L, "head", 6L));
    assertThat(quota.kept().count()).isEqualTo(18);
    assertThat(quota.kept().entry("head").cols()).isEqualTo(4);
    assertThat(quota.kept().entry("gain.0").count()).isEqualTo(4);
  }

  @Test
  void noMatrixLosesLessWhenTheNetworkLosesMore() {
    ParameterLayout layout =
        ParameterLayout.builder()
            .add("a", 2, 3, true)
            .add("b", 2, 7, true)
            .add("c", 2, 7, true)
            .add("d", 3, 67, true)
            .build();
    long[] before = new long[4];
    for (int total = 0; total < layout.count(); total++) {
      PruningQuota quota = PruningQuota.of(layout, (double) total / (double) layout.count());
      long sum = 0;
      for (int i = 0; i < 4; i++) {
        ParameterLayout.Entry matrix = layout.entries().get(i);
        long removed = quota.removed(matrix.name());
        double share = (double) total * (double) matrix.count() / (double) layout.count();
        assertThat(removed).isBetween(before[i], matrix.count());
        assertThat((double) removed).isCloseTo(share, within(2.0));
        before[i] = removed;
        sum += removed;
      }
      assertThat(sum).isEqualTo(total);
    }
  }

  @Test
  void theDistanceOfMasksIsTheShareOnWhichTheyDiffer() {
    assertThat(first(3).distance(first(3))).isZero();
    // The other matrices have 20 elements, which survive.
    assertThat(first(3).distance(first(7))).isEqualTo(4 / 50.0);
    assertThat(first(10).distance(first(7))).isEqualTo(3 / 57.0);
    assertThat(first(7).differences(Mask.whole(LAYOUT))).isEqualTo(3);
  }

  @Test
  void theTicketIsDrawnWhenTheWindowIsFullAndCalm() {
    StableMask bird = new StableMask(3, 0.05);
    assertThat(bird.add(first(2))).isFalse();
    assertThat(bird.largestDistance()).isNaN();
    assertThat(bird.add(first(2))).as("not full").isFalse();
    assertThat(bird.largestDistance()).isZero();
    assertThat(bird.add(first(9))).as("far from all").isFalse();
    assertThat(bird.largestDistance()).isEqualTo(7 / 51.0);
    assertThat(bird.add(first(8))).as("far from the second").isFalse();
    assertThat(bird.add(first(6))).as("3 of 55 is too much").isFalse();
    assertThat(bird.add(first(7))).as("at most 1 of 53 from 8 and 6").isTrue();
    assertThat(bird.largestDistance()).isEqualTo(1 / 53.0);
  }

  @Test
  void ranksThatShareANetworkDrawTogether() {
    // Of the other rank's matrices 25 elements survive, and 5 of them change each time.
    StableMask alone = new StableMask(2, 0.05);
    StableMask together = new StableMask(2, 0.05, n -> n >= 20 ? n + 25 : n + 5);
    alone.add(first(5));
    together.add(first(5));
    assertThat(alone.add(first(6))).isTrue();
    assertThat(together.add(first(6))).isFalse();
    assertThat(together.largestDistance()).isEqualTo(6 / 101.0);
    assertThatIllegalArgumentException().isThrownBy(() -> new StableMask(1, 0.1));
  }

  @Test
  void sparsityGrowsByTheCube() {
    GradualSchedule schedule = new GradualSchedule(0.1, 0.9, 100, 4, 10);
    assertThat(schedule.at(99)).isZero();
    assertThat(schedule.at(100)).isCloseTo(0.1, within(1e-15));
    assertThat(schedule.at(119)).isCloseTo(0.9 - 0.8 * 0.75 * 0.75 * 0.75, within(1e-15));
    assertThat(schedule.at(120)).isCloseTo(0.9 - 0.8 / 8, within(1e-15));
    assertThat(schedule.at(140)).isEqualTo(0.9);
    assertThat(schedule.at(1000)).isEqualTo(0.9);
    assertThat(schedule.prunesAt(90)).isFalse();
    assertThat(schedule.prunesAt(110)).isTrue();
    assertThat(schedule.prunesAt(115)).isFalse();
    assertThat(schedule.prunesAt(140)).isTrue();
    assertThat(schedule.prunesAt(150)).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> new GradualSchedule(0.9, 0.1, 0, 1, 1));
  }

  @Test
  void aMaskThatIsWrittenIsRead() {
    Path file = folder.resolve("mask.safetensors");
    Mask mask = RandomPruning.mask(LAYOUT, 0.6, 3);
    MaskFile.write(file, mask);
    assertThat(MaskFile.read(file, LAYOUT)).isEqualTo(mask);
    MaskFile.write(file, first(10));
    assertThat(MaskFile.read(file, LAYOUT)).isEqualTo(Mask.whole(LAYOUT));
  }

  @Test
  void refusesMasksOfOtherNetworksAndMalformedOnes() throws IOException {
    Path file = folder.resolve("mask.safetensors");
    MaskFile.write(file, RandomPruning.mask(LAYOUT, 0.6, 3));
    ParameterLayout other =
        ParameterLayout.builder().add("conv.0", 4, 3, true).add("conv.1", 4, 2, true).build();
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> MaskFile.read(file, other))
        .withMessageContaining(file.toString())
        .withMessageContaining("expected the mask of a 4 x 3 matrix, found 3 x 4");
    ParameterLayout smaller = LAYOUT.where(entry -> !entry.name().equals("head"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> MaskFile.read(file, smaller))
        .withMessageContaining("head: expected the name of a matrix");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> MaskFile.read(file, LAYOUT))
        .withMessageContaining("expected offsets within");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {-1, -1});
      Map<String, Safetensors.Tensor> tensors =
          Map.of("head", new Safetensors.Tensor(Safetensors.Dtype.U8, List.of(2L), data));
      new Safetensors(tensors, Map.of("format", "gossamer-mask", "shape of head", "2 x 5"))
          .write(file);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MaskFile.read(file, LAYOUT))
          .withMessageContaining("no bits beyond element 9, found 15");
      new Safetensors(tensors, Map.of()).write(file);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MaskFile.read(file, LAYOUT))
          .withMessageContaining("expected the format gossamer-mask in the metadata, found none");
    }
  }
}
