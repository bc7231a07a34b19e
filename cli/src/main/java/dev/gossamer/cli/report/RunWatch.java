package dev.gossamer.cli.report;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Watches a run until nobody trains any more.
final class RunWatch {
  /// Pauses that a training may take to evaluate and to write its model after its last step.
  static final int LAST_WORK = 60;

  /// Waits before the run is read again.
  @FunctionalInterface
  interface Pause {
    /// @param reading how long it took to read the run
    void after(Duration reading) throws InterruptedException;
  }

  private RunWatch() {}

  /// Returns the last state: finished; or stopped, where the training that was seen did not finish
  /// within [#LAST_WORK] pauses, or none was seen.
  ///
  /// @param first state
  /// @param reads the state at a later time
  /// @param show is given each state but the last
  static WatchedRun last(
      WatchedRun first, Supplier<WatchedRun> reads, Consumer<WatchedRun> show, Pause pause)
      throws InterruptedException {
    WatchedRun now = first;
    boolean seen = false;
    int stopped = 0;
    while (true) {
      switch (now.state()) {
        case FINISHED -> {
          return now;
        }
        case STOPPED -> {
          if (!seen || stopped == LAST_WORK) {
            return now;
          }
          stopped++;
        }
        case RUNNING -> {
          seen = true;
          stopped = 0;
        }
        case PREPARING -> stopped = 0;
      }
      show.accept(now);
      long began = System.nanoTime();
      now = reads.get();
      pause.after(Duration.ofNanos(System.nanoTime() - began));
    }
  }
}
