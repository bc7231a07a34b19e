package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The machine's bandwidth by STREAM's triad, `a = b + s c` (McCalpin 1995).
final class Triad {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final long BYTES = 1L << 28;
  private static final int TASKS = 64;
  private static final int RUNS = 7;

  private Triad() {}

  /// Median bytes per nanosecond (GB/s), 12 bytes an element.
  static double gigabytesPerSecond(Workers workers) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment a = arena.allocate(BYTES, 4096);
      MemorySegment b = arena.allocate(BYTES, 4096);
      MemorySegment c = arena.allocate(BYTES, 4096);
      double[] rates = new double[RUNS];
      for (int run = -2; run < RUNS; run++) {
        long start = System.nanoTime();
        workers.run(
            TASKS,
            (task, worker) -> part(a, b, c, BYTES / TASKS * task, BYTES / TASKS * (task + 1)));
        double rate = 3.0 * BYTES / (System.nanoTime() - start);
        if (run >= 0) {
          rates[run] = rate;
        }
      }
      Arrays.sort(rates);
      return rates[RUNS / 2];
    }
  }

  private static void part(
      MemorySegment a, MemorySegment b, MemorySegment c, long begin, long end) {
    FloatVector scale = FloatVector.broadcast(SPECIES, 3f);
    for (long at = begin; at < end; at += SPECIES.vectorByteSize()) {
      FloatVector.fromMemorySegment(SPECIES, c, at, ByteOrder.nativeOrder())
          .fma(scale, FloatVector.fromMemorySegment(SPECIES, b, at, ByteOrder.nativeOrder()))
          .intoMemorySegment(a, at, ByteOrder.nativeOrder());
    }
  }
}
