package dev.gossamer.run.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class GrowingSegmentTest {
  @Test
  void memoryIsUsedAgainUntilItIsTooSmall() {
    try (GrowingSegment memory = new GrowingSegment()) {
      MemorySegment first = memory.ofBytes(800);
      assertThat(first.byteSize()).isEqualTo(800);
      assertThat(memory.ofBytes(100).address()).isEqualTo(first.address());
      // A sixteenth more than is asked for, from the second time on.
      MemorySegment grown = memory.ofBytes(1600);
      assertThat(first.scope().isAlive()).isFalse();
      assertThat(memory.ofBytes(1700).address()).isEqualTo(grown.address());
      assertThat(memory.ofRows(3, 4).rows()).isEqualTo(3);
    }
  }

  @Test
  void whatCannotBeHadLeavesNothingBehindAndCanBeAskedForAgain() {
    try (GrowingSegment memory = new GrowingSegment()) {
      MemorySegment first = memory.ofBytes(64);
      assertThatThrownBy(() -> memory.ofBytes(Long.MAX_VALUE / 2))
          .isInstanceOfAny(OutOfMemoryError.class, IllegalArgumentException.class);
      assertThat(first.scope().isAlive()).isFalse();
      assertThat(memory.ofBytes(32).byteSize()).isEqualTo(32);
    }
  }
}
