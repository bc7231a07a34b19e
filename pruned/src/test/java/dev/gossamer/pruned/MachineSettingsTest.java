package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.SystemMemory;
import org.junit.jupiter.api.Test;

class MachineSettingsTest {
  private static final RankLaunch FOUR = RankLaunch.of(4);

  /// What is available changes from moment to moment; what the process has already comes on top.
  @Test
  void ranksShareWhatIsAvailable() {
    long most = SystemMemory.total().orElse(Long.MAX_VALUE);
    long taken = SystemMemory.peakResident();
    assertThat(MachineSettings.DEFAULT.memoryOfRank(FOUR)).isBetween(taken / 4, most / 2);
    assertThat(MachineSettings.DEFAULT.takenOfProcess()).isGreaterThan(taken);
  }

  @Test
  void aLimitIsThatOfTheProcessOrOfARank() {
    MachineSettings limited = MachineSettings.DEFAULT.withMemory(1000L);
    assertThat(limited.memoryOfRank(FOUR)).isEqualTo(250);
    assertThat(limited.withMemoryPerRank(70L).memoryOfRank(FOUR)).isEqualTo(70);
    assertThat(limited.withTaken(0L).takenOfProcess()).isZero();
  }
}
