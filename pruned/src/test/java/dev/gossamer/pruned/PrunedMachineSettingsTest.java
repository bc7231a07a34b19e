package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemMemory;
import org.junit.jupiter.api.Test;

class PrunedMachineSettingsTest {
  private static final RankLaunch FOUR = RankLaunch.of(4);

  /// What is available changes from moment to moment; what the process has already comes on top.
  @Test
  void ranksShareWhatIsAvailable() {
    long most = SystemMemory.total().orElse(Long.MAX_VALUE);
    long taken = SystemMemory.peakResident();
    assertThat(PrunedMachineSettings.DEFAULT.memoryOfRank(FOUR)).isBetween(taken / 4, most / 2);
  }

  @Test
  void aLimitIsThatOfTheProcessOrOfARank() {
    PrunedMachineSettings limited = PrunedMachineSettings.DEFAULT.withMemory(1000L);
    assertThat(limited.memoryOfRank(FOUR)).isEqualTo(250);
    assertThat(limited.withMemoryPerRank(70L).memoryOfRank(FOUR)).isEqualTo(70);
    assertThat(limited.withTaken(0L).takenOfRank(new CorpusMemory(3, 5), 1))
        .isEqualTo(CorpusMemory.NONE);
  }

  /// What the virtual machine happens to have taken so far does not count.
  @Test
  void besidesRanksAProcessTakesWhatItsDataTake() {
    CorpusMemory alone = PrunedMachineSettings.DEFAULT.takenOfRank(CorpusMemory.NONE, 1);
    CorpusMemory data = PrunedMachineSettings.DEFAULT.takenOfRank(new CorpusMemory(300, 500), 1);
    assertThat(alone.held()).isEqualTo(MemoryEstimate.RUNTIME_BYTES);
    assertThat(data).isEqualTo(new CorpusMemory(alone.held() + 300, alone.opening() + 500));
    CorpusMemory ofFour = PrunedMachineSettings.DEFAULT.takenOfRank(new CorpusMemory(300, 500), 4);
    assertThat(4 * ofFour.held()).isGreaterThan(data.held()).isLessThan(2 * data.held());
  }
}
