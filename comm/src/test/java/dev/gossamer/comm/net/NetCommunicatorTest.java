package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.CommunicatorContract;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class NetCommunicatorTest {
  private static final NetOptions OPTIONS =
      NetOptions.DEFAULT.withTimeout(Duration.ofMinutes(2)).withPatience(Duration.ofMinutes(2));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 8})
  void keepsTheContract(int size) throws Exception {
    AtomicInteger checks = new AtomicInteger();
    assertThat(
            MeetingPoint.run(
                size, OPTIONS, world -> checks.addAndGet(CommunicatorContract.check(world))))
        .allSatisfy(outcome -> assertThat(outcome.failure()).isNull());
    assertThat(checks.get()).isEqualTo(size * CommunicatorContract.CHECKS);
  }
}
