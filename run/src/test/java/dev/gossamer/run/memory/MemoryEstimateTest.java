package dev.gossamer.run.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.run.memory.MemoryEstimate.Remedy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryEstimateTest {
  private static MemoryEstimate of(int width) {
    return MemoryEstimate.builder()
        .add("base", 1000)
        .add("none", 0)
        .add("rows", 100L * width)
        .build();
  }

  @Test
  void addsUpAndLeavesOutWhatTakesNothing() {
    assertThat(of(5).bytes()).isEqualTo(1500);
    assertThat(of(5).items()).hasSize(2);
  }

  /// Pages of a file are resident once they are touched, and are given back where memory is short.
  @Test
  void mappedFilesAreCountedAndNotNeeded(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("data"), new byte[700]);
    try (Arena arena = Arena.ofConfined();
        FileChannel channel = FileChannel.open(file)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 700, arena);
      MemoryEstimate estimate =
          MemoryEstimate.builder()
              .add("rows", 1000)
              .add("features", List.of(mapped, arena.allocate(50)))
              .build()
              .with("more", 1);
      assertThat(estimate.items())
          .containsExactly(
              new MemoryEstimate.Item("rows", 1000, false),
              new MemoryEstimate.Item("mapped features", 700, true),
              new MemoryEstimate.Item("features", 50, false),
              new MemoryEstimate.Item("more", 1, false));
      assertThat(estimate.bytes()).isEqualTo(1751);
      assertThat(estimate.mappedBytes()).isEqualTo(700);
      assertThatCode(() -> estimate.requireFits(1051, "hidden", Stream.empty()))
          .doesNotThrowAnyException();
    }
  }

  /// Threads by their number, ranks by those that each talks to.
  @Test
  void theVirtualMachineGrowsWithThreadsAndRanks() {
    long thread = MemoryEstimate.runtimeBytes(1, 1) - MemoryEstimate.RUNTIME_BYTES;
    assertThat(thread).isPositive();
    assertThat(MemoryEstimate.runtimeBytes(1, 64))
        .isEqualTo(MemoryEstimate.RUNTIME_BYTES + 64 * thread);
    long ofTwo = MemoryEstimate.runtimeBytes(2, 1) - MemoryEstimate.runtimeBytes(1, 2);
    assertThat(MemoryEstimate.runtimeBytes(2000, 1) - MemoryEstimate.runtimeBytes(1, 2000))
        .isEqualTo(2000L * 1999 / 2 * ofTwo)
        .isGreaterThan(6L << 30);
  }

  @Test
  void letsPassWhatFits() {
    assertThatCode(() -> of(5).requireFits(1500, "hidden", lower(5, 1500)))
        .doesNotThrowAnyException();
  }

  @Test
  void namesTheNearestSettingThatFits() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(64).requireFits(3999, "hidden", lower(64, 3999)))
        .withMessage(
            "memory: the run needs 7.23 KiB but 3.91 KiB may be used; hidden 29 fits (3.81 KiB)");
  }

  /// What comes behind it is not even estimated.
  @Test
  void theFirstChangeAfterWhichItFitsIsNamed() {
    List<Integer> asked = new ArrayList<>();
    Stream<Remedy> remedies =
        Stream.of(50, 20, 30, 10)
            .map(width -> {
              asked.add(width);
              return new Remedy("{hidden} " + width, of(width));
            });
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(64).requireFits(4000, "hidden", remedies))
        .withMessageEndingWith("; hidden 20 fits (2.93 KiB)");
    assertThat(asked).containsExactly(50, 20);
  }

  private static Stream<Remedy> lower(int width, long limit) {
    return Remedy.lower(limit, "hidden", width, MemoryEstimateTest::of).stream();
  }

  @Test
  void saysWhenNoSettingFits() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(64).requireFits(1000, "hidden", lower(64, 1000)))
        .withMessageEndingWith("no hidden fits; use a smaller graph or more memory");
  }
}
