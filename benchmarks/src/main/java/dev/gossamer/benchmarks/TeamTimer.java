package dev.gossamer.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.gossamer.base.Workers;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/// Times what a team of threads does.
///
/// @param clock nanoseconds, of which only differences mean something
/// @param runs timed ones of each side
record TeamTimer(LongSupplier clock, int runs) {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private static final int WARM_UP = 3;

  /// A timer by the time that passes, or by the processor time of a team, divided by its threads.
  static TeamTimer of(Workers workers, int runs, boolean cpuTime) {
    LongSupplier clock = cpuTime ? () -> processorTime() / workers.threads() : System::nanoTime;
    return new TeamTimer(clock, runs);
  }

  long now() {
    return clock.getAsLong();
  }

  /// Nanoseconds that the caller and all teams of this process have had a processor.
  static long processorTime() {
    long[] team =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread ->
                thread.equals(Thread.currentThread())
                    || thread.getName().startsWith("gossamer-worker-"))
            .mapToLong(Thread::threadId)
            .toArray();
    return Arrays.stream(THREADS.getThreadCpuTime(team)).sum();
  }

  /// Milliseconds of each side, which are run in turns; medians.
  ///
  /// @param repetitions that are timed together
  double[] medians(List<Runnable> sides, int repetitions) {
    double[][] ms = new double[sides.size()][runs];
    for (int run = -WARM_UP; run < runs; run++) {
      for (int side = 0; side < ms.length; side++) {
        long begin = now();
        for (int i = 0; i < repetitions; i++) {
          sides.get(side).run();
        }
        if (run >= 0) {
          ms[side][run] = (now() - begin) * 1e-6 / repetitions;
        }
      }
    }
    return Arrays.stream(ms).mapToDouble(TeamTimer::median).toArray();
  }

  /// The upper one of the two in the middle, if the number is even.
  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
