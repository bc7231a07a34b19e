package dev.gossamer.run.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SystemMemoryTest {
  @Test
  void whatIsAvailableAndWhatIsTakenAreOfTheMachine() {
    if (SystemMemory.total().isEmpty()) {
      // Without /proc nothing is known.
      assertThat(SystemMemory.available()).isEmpty();
      assertThat(SystemMemory.peakResident()).isZero();
      return;
    }
    long total = SystemMemory.total().getAsLong();
    assertThat(SystemMemory.available().orElseThrow()).isBetween(0L, total);
    assertThat(SystemMemory.peakResident()).isPositive();
  }
}
