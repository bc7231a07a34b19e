package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.pipeline.PipelineRuns.Case;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Messages between stages in 16 bits.
class NarrowActivationsTest {
  /// By which a loss may differ for each boundary between stages. A message is rounded by `2^-9` of
  /// itself at most, so what the last norm makes of it, 16 numbers of length 4, moves by `2 x 4 x
  /// 2^-9` at most; a logit by the length of its column as often, which stays below 1/2 here, and a
  /// loss by twice the most of a logit: `2^-6`. Rounded gradients let weights differ by as much.
  private static final double BOUNDARY = 2 * 0x1p-6;

  @TempDir Path folder;
  private Path text = Path.of("");
  private int runs;

  @BeforeEach
  void write() throws IOException {
    text = PipelineRuns.text(folder);
  }

  private Path newFolder() throws IOException {
    return Files.createDirectory(folder.resolve("run" + runs++));
  }

  /// Losses of the first rank, and the bytes that all ranks sent between stages.
  private record Run(List<Double> losses, long bytes) {}

  private Run run(Case what) throws IOException {
    return run(what, newFolder(), Integer.MAX_VALUE);
  }

  private Run run(Case what, Path into, int stopAfter) {
    List<Double> losses = new ArrayList<>();
    AtomicLong bytes = new AtomicLong();
    ThreadRanks.run(
        what.grid().ranks(),
        world -> {
          List<Double> mine = PipelineRuns.losses(world, text, into, what, stopAfter);
          bytes.addAndGet(world.traffic().snapshot().bytes(Operation.SEND));
          if (world.rank() == 0) {
            losses.addAll(mine);
          }
        });
    return new Run(losses, bytes.get());
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"2, 1", "2, 2", "4, 1"})
  void lossesStayWithinTheRoundingAndBytesHalve(int inter, int data) throws IOException {
    Case what = Case.on(inter, data);
    Run wide = run(what);
    Run narrow = run(what.withActivations(NumberFormat.BF16));
    assertThat(narrow.losses()).hasSameSizeAs(wide.losses()).isNotEqualTo(wide.losses());
    for (int i = 0; i < wide.losses().size(); i++) {
      assertThat(narrow.losses().get(i))
          .as("loss %d", i)
          .isCloseTo(wide.losses().get(i), within((inter - 1) * BOUNDARY));
    }
    // Six iterations of eight microbatches there and back, 31 samples of an evaluation, and five
    // round trips in each replica that tell how long a message takes.
    long elements = 16L * (inter - 1) * (6 * 8 * 2 + 31 + 5 * 2 * data) * PipelineRuns.LENGTH;
    assertThat(wide.bytes()).isBetween(4 * elements, 4 * elements + 1000);
    assertThat(wide.bytes() - narrow.bytes()).isEqualTo(2 * elements);
  }

  @Test
  void nothingButMessagesIsRounded() throws IOException {
    Case what = Case.on(2, 2).withActivations(NumberFormat.BF16);
    assertThat(run(what.withCheckpointing().withInFlight(2)).losses())
        .isEqualTo(run(what).losses());
  }

  @Test
  void aRunGoesOnToTheSameBits() throws IOException {
    Case what = Case.on(2, 1).withActivations(NumberFormat.BF16);
    List<Double> whole = run(what).losses();
    Path into = newFolder();
    List<Double> parts = new ArrayList<>(run(what, into, 3).losses());
    assertThat(parts).hasSizeLessThan(whole.size());
    parts.addAll(run(what, into, Integer.MAX_VALUE).losses());
    assertThat(parts).isEqualTo(whole);
  }

  /// Counts the bytes that are asked for.
  private record CountingArena(Arena arena, AtomicLong bytes) implements Arena {
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
      bytes.addAndGet(byteSize);
      return arena.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
      return arena.scope();
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @CsvSource({"1, ", "2, ", "2, BF16", "4, ", "4, BF16"})
  void theMemoryOfAStageIsThatOfItsPlan(int inter, @Nullable NumberFormat format) {
    for (StagePart part : Case.on(inter, 1).withActivations(format).parts()) {
      AtomicLong bytes = new AtomicLong();
      try (Arena arena = Arena.ofConfined()) {
        Stage stage = new Stage(new CountingArena(arena, bytes), part.plan());
        assertThat(bytes.get()).as("stage %d", part.stage()).isEqualTo(stage.plan().bytes());
      }
    }
  }

  /// Of 8 microbatches of one window of 8 tokens with 16 channels, 512 bytes in float32, 8 are in
  /// flight on four stages: the second has 7 slots, and room for 8 inputs.
  @Test
  void whatHasArrivedTakesHalf() {
    StagePlan wide = Case.on(4, 1).parts().get(1).plan();
    StagePlan narrow = Case.on(4, 1).withActivations(NumberFormat.BF16).parts().get(1).plan();
    long widened = 512;
    assertThat(wide.messageBytes()).isEqualTo(512);
    assertThat(narrow.messageBytes()).isEqualTo(256);
    long inputs = 8 * 512 - (8 * 256 + widened);
    long outputs = -7 * 256;
    long gradients = 2 * (2 * 512 - (2 * 256 + widened));
    assertThat(wide.bytes() - narrow.bytes()).isEqualTo(inputs + outputs + gradients);
  }

  @Test
  void fp16IsRefused() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> StorageSettings.DEFAULT.withActivations(NumberFormat.FP16))
        .withMessage(
            "activations: expected bf16 or fp32, found fp16, in which gradients would need a scale");
  }
}
