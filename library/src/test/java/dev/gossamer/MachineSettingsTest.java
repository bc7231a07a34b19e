package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.run.memory.SystemMemory;
import org.junit.jupiter.api.Test;

class MachineSettingsTest {
  /// What is available changes from moment to moment, and is never more than there is.
  @Test
  void processesShareWhatIsAvailable() {
    long total = SystemMemory.total().orElse(Long.MAX_VALUE);
    assertThat(MachineSettings.DEFAULT.limit(1)).isBetween(0L, total);
    assertThat(MachineSettings.DEFAULT.limit(4)).isBetween(0L, total / 4);
  }

  @Test
  void aLimitIsThatOfEachProcess() {
    MachineSettings limited = MachineSettings.DEFAULT.withMemory(1000);
    assertThat(limited.limit(1)).isEqualTo(1000);
    assertThat(limited.limit(4)).isEqualTo(1000);
  }
}
