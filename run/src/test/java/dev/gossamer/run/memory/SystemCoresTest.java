package dev.gossamer.run.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SystemCoresTest {
  @Test
  void countsRanges() {
    assertThat(SystemCores.count("0")).isEqualTo(1);
    assertThat(SystemCores.count("0-3,8-11,20")).isEqualTo(9);
    assertThat(SystemCores.online())
        .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
  }

  @Test
  void sharesCoresThatNobodyIsBoundTo() {
    assertThat(SystemCores.share(4, 8, 8)).isEqualTo(2);
    assertThat(SystemCores.share(4, 2, 2)).isEqualTo(1);
    assertThat(SystemCores.share(4, 2, 8)).isEqualTo(2);
    assertThat(SystemCores.share(1, 8, 8)).isEqualTo(8);
  }
}
