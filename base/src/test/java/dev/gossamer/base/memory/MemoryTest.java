package dev.gossamer.base.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 4095, 4096, 4097, 1 << 20, (5 << 20) + 3})
  void undefinedMemoryIsOfItsSizeAndAlignedToAPage(long bytes) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = Memory.undefined(bytes, arena);
      assertThat(memory.byteSize()).isEqualTo(bytes);
      assertThat(memory.address() % 4096).isZero();
      memory.fill((byte) 7);
      MemorySegment other = Memory.undefined(bytes, arena);
      other.fill((byte) 9);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
    }
  }

  @Test
  void undefinedMemoryEndsWithItsArena() {
    MemorySegment memory;
    try (Arena arena = Arena.ofShared()) {
      memory = Memory.undefined(100, arena);
    }
    assertThat(memory.scope().isAlive()).isFalse();
    assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void moreThanThereIsIsAnError() {
    try (Arena arena = Arena.ofShared()) {
      assertThatThrownBy(() -> Memory.undefined(1L << 60, arena))
          .isInstanceOf(OutOfMemoryError.class)
          .hasMessageContaining("bytes of memory off the heap");
    }
  }
}
