package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.run.memory.SystemMemory;
import org.junit.jupiter.api.Test;

class MachineOptionsTest {
  private final MachineOptions options = new MachineOptions();

  @Test
  void aLimitIsTakenAsItIsGiven() {
    options.memory = "3g";
    assertThat(options.memoryLimit(2)).isEqualTo(3L << 30);
    assertThat(options.settings().memory()).hasValue(3L << 30);
  }

  /// What is available is at most what the machine has.
  @Test
  void withoutALimitProcessesShareWhatIsAvailable() {
    long all = SystemMemory.total().orElse(Long.MAX_VALUE);
    assertThat(options.memoryLimit(1)).isBetween(0L, all);
    assertThat(options.memoryLimit(1000)).isBetween(0L, all / 1000);
    assertThat(options.settings().memory()).isEmpty();
  }
}
