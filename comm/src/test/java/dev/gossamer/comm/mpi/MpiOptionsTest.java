package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.comm.threads.ThreadOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpiOptionsTest {
  @Test
  void eachSettingLeavesTheOthers() {
    assertThat(MpiOptions.DEFAULT)
        .isEqualTo(new MpiOptions("", 1 << 30, false, ThreadOptions.DEFAULT.timeout()));
    Duration second = Duration.ofSeconds(1);
    assertThat(
            MpiOptions.DEFAULT
                .withLibrary("libmpi.so")
                .withMessageLimitBytes(16)
                .withOneThreadAtATime(true)
                .withTimeout(second))
        .isEqualTo(new MpiOptions("libmpi.so", 16, true, second))
        .isEqualTo(
            MpiOptions.DEFAULT
                .withTimeout(second)
                .withOneThreadAtATime(true)
                .withMessageLimitBytes(16)
                .withLibrary("libmpi.so"));
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 16, 4096, 1 << 30})
  void wholeElementsOfAtMostAGibibyteAreALimit(long bytes) {
    assertThat(MpiOptions.DEFAULT.withMessageLimitBytes(bytes).messageLimitBytes())
        .isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -8, 0, 7, 12, (1L << 30) + 8, 1L << 31, Long.MAX_VALUE})
  void otherLimitsAreRefused(long bytes) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MpiOptions.DEFAULT.withMessageLimitBytes(bytes))
        .withMessage(
            "message limit: expected a multiple of 8 in 8..2^30 bytes, found %d".formatted(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "P366D"})
  void aTimeoutIsNeitherNothingNorEndless(String timeout) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MpiOptions.DEFAULT.withTimeout(Duration.parse(timeout)))
        .withMessageStartingWith("timeout: expected more than 0 and at most a year, found ");
  }
}
