package dev.gossamer.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class MeasuredArenaTest {
  @Test
  void countsWhatIsAskedForNowAndAtMost() {
    try (MeasuredArena arena = new MeasuredArena()) {
      arena.allocate(1000, 64);
      try (MeasuredArena part = arena.part()) {
        part.allocate(24, 8);
        part.allocate(60, 64);
        assertThat(arena.bytes()).isEqualTo(1084);
      }
      arena.allocate(8, 8);
      assertThat(arena.bytes()).isEqualTo(1008);
      assertThat(arena.peak()).isEqualTo(1084);
    }
  }

  @Test
  void itsMemoryEndsWithIt() {
    MeasuredArena arena = new MeasuredArena();
    MemorySegment segment = arena.allocate(16, 8);
    arena.close();
    assertThat(arena.bytes()).isZero();
    assertThatIllegalStateException().isThrownBy(() -> segment.fill((byte) 1));
  }
}
