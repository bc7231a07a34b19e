package dev.gossamer.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicIntegerArray;
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
}
