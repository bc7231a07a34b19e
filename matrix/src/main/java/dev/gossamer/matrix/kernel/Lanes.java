package dev.gossamer.matrix.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// Sums across the lanes of a vector in a fixed order. `reduceLanes` may add in one order when
/// interpreted and in another when compiled, and would give other bits then.
final class Lanes {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  private Lanes() {}

  /// The sum of all lanes by halves: lane `i` takes lane `i + L/2`, then `i + L/4`, down to 1.
  static float sum(FloatVector v) {
    FloatVector sum = v;
    for (int half = SPECIES.length() / 2; half > 0; half /= 2) {
      sum = sum.add(sum.rearrange(VectorShuffle.iota(SPECIES, half, 1, true)));
    }
    return sum.lane(0);
  }
}
