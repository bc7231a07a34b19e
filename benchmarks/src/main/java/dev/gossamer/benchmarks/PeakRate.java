package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The highest rate of float32 operations that the Vector API reaches here: multiply-adds between
/// registers, twelve independent chains, nothing from memory.
final class PeakRate {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int CHAINS = 12;
  private static final int STEPS = 2_000_000;

  private PeakRate() {}

  /// Operations of one task of [#run]: a multiply-add counts as two.
  static double operations() {
    return 2.0 * CHAINS * SPECIES.length() * STEPS;
  }

  /// Runs the loop once on every thread of the team.
  static void run(Workers workers) {
    workers.run(
        workers.threads(),
        (task, worker) -> {
          float end = chains();
          if (!(end < 2)) {
            throw new IllegalStateException("the chains converge to 1 but gave " + end);
          }
        });
  }

  /// The mean of chains that all converge to 1.
  private static float chains() {
    FloatVector x = FloatVector.broadcast(SPECIES, 0.5f);
    FloatVector a = x;
    FloatVector b = x;
    FloatVector c = x;
    FloatVector d = x;
    FloatVector e = x;
    FloatVector f = x;
    FloatVector g = x;
    FloatVector h = x;
    FloatVector i = x;
    FloatVector j = x;
    FloatVector k = x;
    FloatVector l = x;
    for (int step = 0; step < STEPS; step++) {
      a = a.fma(x, x);
      b = b.fma(x, x);
      c = c.fma(x, x);
      d = d.fma(x, x);
      e = e.fma(x, x);
      f = f.fma(x, x);
      g = g.fma(x, x);
      h = h.fma(x, x);
      i = i.fma(x, x);
      j = j.fma(x, x);
      k = k.fma(x, x);
      l = l.fma(x, x);
    }
    FloatVector sum = a.add(b).add(c).add(d).add(e).add(f);
    return sum.add(g).add(h).add(i).add(j).add(k).add(l).lane(0) / CHAINS;
  }
}
