package dev.gossamer.partition.level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.MeasuredArena;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class LevelGraphTest {
  private static final long[] STARTS = {0, 1000};

  private final MeasuredArena measured = new MeasuredArena();

  @Test
  void aLevelTakesItsColumnsAndWeightsAndFreesThem() {
    try (LevelGraph level = LevelGraph.allocate(measured, STARTS, new int[1][1], new int[1])) {
      assertThat(level.vertices()).isEqualTo(1);
      assertThat(measured.bytes()).isEqualTo(8000);
    }
    assertThat(measured.bytes()).isZero();
    assertThat(measured.scope().isAlive()).isFalse();
  }

  @Test
  void aLevelThatIsTooLargeIsNotHalfAllocated() {
    long[] tooMany = {0, Long.MAX_VALUE / 8};
    assertThatThrownBy(() -> LevelGraph.allocate(measured, tooMany, new int[1][1], new int[1]))
        .isInstanceOfAny(OutOfMemoryError.class, IllegalArgumentException.class);
    assertThat(measured.peak()).isZero();
    assertThat(measured.scope().isAlive()).isFalse();
  }

  @Test
  void aLevelWhoseSecondHalfHasNoRoomFreesTheFirst() {
    Arena narrow =
        new Arena() {
          @Override
          public MemorySegment allocate(long byteSize, long byteAlignment) {
            if (measured.bytes() > 0) {
              throw new OutOfMemoryError("no second half");
            }
            return measured.allocate(byteSize, byteAlignment);
          }

          @Override
          public MemorySegment.Scope scope() {
            return measured.scope();
          }

          @Override
          public void close() {
            measured.close();
          }
        };
    assertThatThrownBy(() -> LevelGraph.allocate(narrow, STARTS, new int[1][1], new int[1]))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("no second half");
    assertThat(measured.peak()).isEqualTo(4000);
    assertThat(measured.bytes()).isZero();
    assertThat(measured.scope().isAlive()).isFalse();
  }
}
