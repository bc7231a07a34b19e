package dev.gossamer.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkersTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void runsEveryTaskOnce(int threads) {
    try (Workers workers = new Workers(threads)) {
      for (int tasks : new int[] {0, 1, 2, 7, 1000}) {
        AtomicIntegerArray runs = new AtomicIntegerArray(tasks);
        workers.run(tasks, (task, worker) -> runs.incrementAndGet(task));
        for (int i = 0; i < tasks; i++) {
          assertThat(runs.get(i)).isEqualTo(1);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void throwsTheFailureOfATaskAndServesOn(int threads) {
    try (Workers workers = new Workers(threads)) {
      assertThatThrownBy(() ->
              workers.run(
                  100,
                  (task, worker) -> {
                    if (task == 41) {
                      throw new IllegalStateException("task 41");
                    }
                  }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("task 41");
      AtomicIntegerArray runs = new AtomicIntegerArray(3);
      workers.run(3, (task, worker) -> runs.incrementAndGet(task));
      assertThat(runs.get(2)).isEqualTo(1);
    }
  }

  @Test
  void aTeamThatCannotBeMadeLeavesNothing() {
    Arena arena = Arena.ofShared();
    List<Thread> begun = new ArrayList<>();
    ThreadFactory scarce =
        task -> {
          if (begun.size() == 2) {
            throw new OutOfMemoryError("no third thread");
          }
          begun.add(Thread.ofPlatform().daemon().unstarted(task));
          return begun.getLast();
        };
    assertThatThrownBy(() -> new Workers(5, arena, scarce)).hasMessage("no third thread");
    assertThat(begun).hasSize(2).noneMatch(Thread::isAlive);
    assertThat(arena.scope().isAlive()).isFalse();
  }

  @Test
  void aTeamAtWorkIsNotClosed() {
    Workers workers = new Workers(2);
    workers.run(
        2,
        (task, worker) ->
            assertThatThrownBy(workers::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("workers: expected to be idle when closed, found at work"));
    workers.close();
    assertThatThrownBy(() -> workers.run(2, (task, worker) -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("workers: already closed");
  }

  @Test
  void aTeamOfNobodyLeavesNothing() {
    Arena arena = Arena.ofShared();
    assertThatThrownBy(() -> new Workers(0, arena, Thread::new))
        .hasMessage("threads: expected at least 1, found 0");
    assertThat(arena.scope().isAlive()).isFalse();
  }
}
