package dev.gossamer.comm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CallingThreadsTest {
  @Test
  void theNumberOfStepsIsOddInsideAnOperation() {
    CallingThread thread = new CallingThread(24);
    assertThat(thread.steps()).isZero();
    thread.enter("all-reduce", 64);
    assertThat(thread.steps()).isEqualTo(1);
    assertThat(thread.describe()).isEqualTo("all-reduce of 64 bytes");
    thread.leave();
    thread.enter("barrier", 0);
    assertThat(thread.steps()).isEqualTo(3);
    assertThat(thread.describe()).isEqualTo("barrier");
    thread.leave();
    assertThat(thread.steps()).isEqualTo(4);
    assertThat(thread.status().byteSize()).isEqualTo(24);
  }

  @Test
  void eachThreadIsKnownOnce() throws InterruptedException {
    CallingThreads threads = new CallingThreads(20);
    assertThat(threads.all()).isEmpty();
    CallingThread own = threads.current();
    assertThat(threads.current()).isSameAs(own);
    AtomicReference<CallingThread> found = new AtomicReference<>();
    Thread other = Thread.ofPlatform().start(() -> found.set(threads.current()));
    other.join();
    assertThat(threads.all()).containsExactly(own, Objects.requireNonNull(found.get()));
    assertThat(found.get()).isNotSameAs(own);
  }
}
