package dev.gossamer.planner.calibration;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Request;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.Workers;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.calibration.Kernel.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Times all kernels on one node, whose ranks share its cores: first one thread of the first rank
/// while the others rest, then all threads of all ranks at once.
///
/// Rounds go over all kernels in turn, so that what disturbs the machine for a moment disturbs one
/// round of some; the lower quartile counts.
final class KernelTimes {
  /// Longer than a rank that rests may be noticed by one that computes.
  private static final long REST_NANOS = 5_000_000;

  /// Rounds without progress after which a kernel is taken for compiled.
  private static final int WARM_UP_ROUNDS = 10;

  private final Communicator node;
  private final Effort effort;
  private final Progress progress;
  private final LongSupplier clock;

  /// @param node the ranks of one node
  /// @param progress hears of the first rank
  KernelTimes(Communicator node, Effort effort, Progress progress) {
    this(node, effort, progress, System::nanoTime);
  }

  /// @param clock nanoseconds
  KernelTimes(Communicator node, Effort effort, Progress progress, LongSupplier clock) {
    this.node = node;
    this.effort = effort;
    this.progress = progress;
    this.clock = clock;
  }

  /// {@return what the node does} Collective.
  ///
  /// @param cores of the node, which its ranks share
  /// @param threads of this rank
  MeasuredRates rates(int cores, int threads) {
    progress.at("generating graphs", 0, 1);
    try (Arena arena = Arena.ofShared();
        Workers alone = new Workers(1);
        Workers team = new Workers(threads)) {
      Operands operands = new Operands(arena, effort.sizes());
      List<Kernel> kernels = operands.kernels(alone);
      double[] one = new double[kernels.size()];
      if (node.rank() == 0) {
        warmUp(kernels);
        one = seconds("measuring one thread", kernels, false);
      }
      one = ofFirst(one);
      List<Kernel> shared = operands.kernels(team);
      warmUp(shared);
      double[] all = seconds("measuring all threads", shared, true);
      for (int k = 0; k < all.length; k++) {
        all[k] /= node.size();
      }
      return rates(cores, kernels, one, all);
    }
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

  /// Seconds of a unit of each kernel, and of several ranks the mean.
  ///
  /// @param together whether all ranks of the node do the same at the same time
  private double[] seconds(String label, List<Kernel> kernels, boolean together) {
    Effort.Repetition repetition = effort.repetition();
    int total = kernels.size() * (repetition.rounds() + 1);
    int[] repeats = new int[kernels.size()];
    double[][] seconds = new double[kernels.size()][repetition.rounds()];
    for (int round = -1; round < repetition.rounds(); round++) {
      for (int k = 0; k < repeats.length; k++) {
        if (together) {
          node.barrier();
        }
        Kernel kernel = kernels.get(k);
        if (round < 0) {
          repeats[k] = repeats(kernel, repetition.nanos());
        } else {
          seconds[k][round] = seconds(kernel, repeats[k]) / kernel.units();
        }
        if (node.rank() == 0) {
          progress.at(label, (round + 1L) * repeats.length + k + 1, total);
        }
      }
    }
    double[] typical = Arrays.stream(seconds).mapToDouble(KernelTimes::lowerQuartile).toArray();
    return together ? means(typical) : typical;
  }

  /// Runs the smallest kernel of each kind, in turns, until the compiler has had its time.
  private void warmUp(List<Kernel> kernels) {
    List<Kernel> smallest =
        Arrays.stream(Kind.values())
            .flatMap(kind -> kernels.stream().filter(k -> k.kind() == kind).limit(1))
            .toList();
    double fastest = Double.POSITIVE_INFINITY;
    for (int since = 0; since < WARM_UP_ROUNDS; since++) {
      double round = smallest.stream().mapToDouble(kernel -> seconds(kernel, 1)).sum();
      if (round < 0.9 * fastest) {
        fastest = round;
        since = 0;
      }
    }
  }

  /// Runs a kernel until its operands are where they will be.
  ///
  /// @return how often it runs in the time of a round
  private int repeats(Kernel kernel, long nanos) {
    double fastest = Math.min(seconds(kernel, 1), seconds(kernel, 1));
    return (int) Math.clamp(nanos / 1e9 / fastest, 1, 1 << 20);
  }

  private double seconds(Kernel kernel, int repeats) {
    long begin = clock.getAsLong();
    for (int i = 0; i < repeats; i++) {
      kernel.run().run();
    }
    return Math.max(1, clock.getAsLong() - begin) / 1e9 / repeats;
  }

  /// What else the machine does makes a kernel slower and never faster.
  static double lowerQuartile(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 4];
  }

  private double[] means(double... mine) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment numbers = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, mine);
      node.allReduce(numbers, Element.DOUBLE, Reduction.SUM);
      return Arrays.stream(numbers.toArray(ValueLayout.JAVA_DOUBLE))
          .map(sum -> sum / node.size())
          .toArray();
    }
  }

  private static MeasuredRates rates(
      int threads, List<Kernel> kernels, double[] one, double... all) {
    return new MeasuredRates(
        threads,
        table(Kind.START, kernels, one, all).points().getFirst().all(),
        table(Kind.MATMUL, kernels, one, all),
        table(Kind.SPMM, kernels, one, all),
        table(Kind.STREAM, kernels, one, all),
        table(Kind.SAMPLING, kernels, one, all),
        table(Kind.GATHER, kernels, one, all));
  }

  private static RateTable table(Kind kind, List<Kernel> kernels, double[] one, double... all) {
    List<RateTable.Point> points = new ArrayList<>();
    for (int k = 0; k < one.length; k++) {
      if (kernels.get(k).kind() == kind) {
        points.add(new RateTable.Point(kernels.get(k).at(), one[k], all[k]));
      }
    }
    return new RateTable(points);
  }
}
