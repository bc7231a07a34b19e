package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.CommunicatorContract;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class NetCommunicatorTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 8})
  void keepsTheContract(int size) throws Exception {
    assertContract(size, MeetingPoint.OPTIONS);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void keepsItEncrypted(int size) throws Exception {
    assertContract(size, MeetingPoint.OPTIONS.withEncryption());
  }

  private static void assertContract(int size, NetOptions options) throws Exception {
    AtomicInteger checks = new AtomicInteger();
    assertThat(
            MeetingPoint.run(
                size, options, world -> checks.addAndGet(CommunicatorContract.check(world))))
        .allSatisfy(outcome -> assertThat(outcome.failure()).isNull());
    assertThat(checks.get()).isEqualTo(size * CommunicatorContract.CHECKS);
  }
}
