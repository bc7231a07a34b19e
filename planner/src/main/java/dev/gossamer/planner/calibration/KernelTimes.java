package dev.gossamer.planner.calibration;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Request;
import dev.gossamer.graph.Progress;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.Work;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Times all kernels on one node, whose ranks share its cores: first one thread of the first rank
/// while all others are idle, then all threads of all ranks at once.
///
/// Kinds of work are timed one after the other, dense products before all else that uses vectors:
/// the compiler profiles vector loops together, and after attention and dropout it left dense
/// products ten times as slow as in a training. Each round runs all kernels of a kind, so that a
/// short disturbance affects one round of some kernels; the lower quartile counts.
final class KernelTimes {
  /// Longer than a rank that rests may be noticed by one that computes.
  private static final long REST_NANOS = 5_000_000;

  /// What a compiler does to a kernel, and noise hardly.
  private static final double PROGRESS = 0.8;

  /// However much a machine is disturbed.
  private static final int MOST_WARM_UPS = 10;

  /// What is read, and what is written, takes at most this fraction of the node's memory: one in.
  private static final int MEMORY_SHARE = 16;

  private final Communicator node;
  private final Sizes sizes;
  private final Repetition repetition;
  private final Progress progress;
  private final LongSupplier clock;

  /// @param node the ranks of one node
  /// @param progress notified of the progress of the first rank
  KernelTimes(Communicator node, Effort effort, Progress progress) {
    this(
        node,
        Sizes.of(effort).within(Calibration.memory() / MEMORY_SHARE / node.size()),
        Repetition.of(effort),
        progress,
        System::nanoTime);
  }

  /// @param clock nanoseconds
  KernelTimes(
      Communicator node,
      Sizes sizes,
      Repetition repetition,
      Progress progress,
      LongSupplier clock) {
    this.node = node;
    this.sizes = sizes;
    this.repetition = repetition;
    this.progress = progress;
    this.clock = clock;
  }

  /// {@return the rates of the node} Collective.
  ///
  /// @param cores of the node, which its ranks share
  /// @param threads of this rank
  MeasuredRates rates(int cores, int threads) {
    progress.at("generating graphs", 0, 1);
    try (Arena arena = Arena.ofShared();
        Workers alone = new Workers(1);
        Workers team = new Workers(threads)) {
      CalibrationData operands = new CalibrationData(arena, sizes);
      Map<Work, RateTable> tables = new EnumMap<>(Work.class);
      for (Work work : Work.values()) {
        if (node.rank() == 0) {
          progress.at("measuring kernels", tables.size(), Work.values().length);
        }
        tables.put(work, table(work, operands, alone, team));
      }
      return new MeasuredRates(cores, tables);
    }
  }

  /// What the node does of one kind of work.
  private RateTable table(Work work, CalibrationData operands, Workers alone, Workers team) {
    List<Kernel> kernels = operands.kernels(work, sizes, alone);
    double[] one = new double[kernels.size()];
    if (node.rank() == 0) {
      warmUp(operands.kernels(work, sizes.small(), alone));
      one = seconds(kernels, false);
    }
    one = ofFirst(one);
    warmUp(operands.kernels(work, sizes.small(), team));
    double[] all = seconds(operands.kernels(work, sizes, team), true);
    List<RateTable.Point> points = new ArrayList<>();
    for (int k = 0; k < one.length; k++) {
      points.add(new RateTable.Point(kernels.get(k).at(), one[k], all[k] / node.size()));
    }
    return new RateTable(points);
  }

  /// The numbers of the first rank, for which the others wait without taking a core from it.
  private double[] ofFirst(double[] mine) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment numbers = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, mine);
      Request broadcast = node.beginBroadcast(0, numbers);
      while (node.rank() > 0 && !broadcast.test()) {
        LockSupport.parkNanos(REST_NANOS);
      }
      broadcast.await();
      return numbers.toArray(ValueLayout.JAVA_DOUBLE);
    }
  }

  /// Seconds of a unit of each kernel; if all ranks of the node do the same at the same time, their
  /// mean.
  private double[] seconds(List<Kernel> kernels, boolean together) {
    double[][] seconds = new double[kernels.size()][repetition.rounds()];
    // In the first round operands come to where they will be.
    for (int round = -1; round < repetition.rounds(); round++) {
      for (int k = 0; k < kernels.size(); k++) {
        if (together) {
          node.barrier();
        }
        Kernel kernel = kernels.get(k);
        double taken = seconds(kernel, round < 0 ? 0 : repetition.nanos());
        if (round >= 0) {
          seconds[k][round] = taken / kernel.units();
        }
      }
    }
    double[] typical = Arrays.stream(seconds).mapToDouble(KernelTimes::lowerQuartile).toArray();
    return together ? means(typical) : typical;
  }

  /// Runs kernels in turns until the compiler has had its time with each of them.
  private void warmUp(List<Kernel> kernels) {
    double[] fastest = new double[kernels.size()];
    Arrays.fill(fastest, Double.POSITIVE_INFINITY);
    long begin = clock.getAsLong();
    long progressed = begin;
    long now = begin;
    while (now - progressed < repetition.warmUpNanos()
        && now - begin < MOST_WARM_UPS * repetition.warmUpNanos()) {
      for (int k = 0; k < fastest.length; k++) {
        double seconds = seconds(kernels.get(k), 0);
        now = clock.getAsLong();
        progressed = seconds < PROGRESS * fastest[k] ? now : progressed;
        fastest[k] = Math.min(fastest[k], seconds);
      }
    }
  }

  /// Of one run, and the mean of as many as a time has room for.
  private double seconds(Kernel kernel, long nanos) {
    long begin = clock.getAsLong();
    long taken;
    int runs = 0;
    do {
      kernel.run().run();
      runs++;
      taken = clock.getAsLong() - begin;
    } while (taken < nanos);
    return Math.max(1, taken) / 1e9 / runs;
  }

  /// Returns the lower quartile: other load makes a kernel slower, never faster.
  static double lowerQuartile(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 4];
  }

  private double[] means(double... mine) {
    try (Arena arena = Arena.ofShared()) {
      return Arrays.stream(Team.of(node, arena).sum(mine)).map(sum -> sum / node.size()).toArray();
    }
  }
}
