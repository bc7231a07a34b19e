package dev.gossamer.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineOptionsTest {
  @Test
  void memoryIsTakenAsItIsGivenAndElseLeftToTheMachine() {
    MachineOptions options = new MachineOptions();
    assertThat(options.settings().memory()).isEmpty();
    options.memory = "3g";
    assertThat(options.settings().memory()).hasValue(3L << 30);
  }
}
