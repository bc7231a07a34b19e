package dev.gossamer.comm.threads;

import dev.gossamer.comm.RankBody;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Ranks in threads that a test can look at, by a clock of the test's.
public final class WatchedRanks {
  private final Map<Integer, Thread> threads = new ConcurrentHashMap<>();

  /// As [ThreadRanks#run(int, ThreadOptions, RankBody)], and returns when all threads have ended,
  /// however late that is.
  public void run(int size, ThreadOptions options, LongSupplier clock, RankBody body)
      throws InterruptedException {
    List<Thread> all = new ArrayList<>();
    RankBody known =
        world -> {
          threads.put(world.rank(), Thread.currentThread());
          body.run(world);
        };
    try {
      ThreadRanks.run(
          size,
          options,
          known,
          task -> {
            Thread thread = Thread.ofPlatform().daemon().unstarted(task);
            all.add(thread);
            return thread;
          },
          clock);
    } finally {
      for (Thread thread : all) {
        thread.join();
      }
    }
  }

  /// Waits until a rank has parked: in an operation, or in something else of the test's.
  public void awaitParked(int rank) {
    while (!isParked(rank)) {
      Thread.onSpinWait();
    }
  }

  private boolean isParked(int rank) {
    Thread thread = threads.get(rank);
    return thread != null && LockSupport.getBlocker(thread) != null;
  }
}
