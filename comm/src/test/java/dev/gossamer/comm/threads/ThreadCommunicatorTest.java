package dev.gossamer.comm.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.CommunicatorContract;
import dev.gossamer.comm.Link;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ThreadCommunicatorTest {
  private static final ThreadOptions OPTIONS =
      ThreadOptions.DEFAULT.withTimeout(Duration.ofMinutes(2));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 8})
  void keepsTheContract(int size) {
    AtomicInteger checks = new AtomicInteger();
    ThreadRanks.run(size, OPTIONS, world -> checks.addAndGet(CommunicatorContract.check(world)));
    assertThat(checks.get()).isEqualTo(size * CommunicatorContract.CHECKS);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void keepsTheContractOverALink(int size) {
    AtomicInteger checks = new AtomicInteger();
    ThreadRanks.run(
        size,
        OPTIONS.withLink(Link.parse("20us,0.5ns")),
        world -> checks.addAndGet(CommunicatorContract.check(world)));
    assertThat(checks.get()).isEqualTo(size * CommunicatorContract.CHECKS);
  }
}
