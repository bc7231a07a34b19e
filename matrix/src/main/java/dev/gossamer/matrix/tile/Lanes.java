package dev.gossamer.matrix.tile;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// Sums across the lanes of a vector in a fixed order, and patterns for exchanging lanes.
///
/// `reduceLanes` may add in one order when interpreted and in another when compiled, and would give
/// other bits then.
public final class Lanes {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  private Lanes() {}

  /// {@return the sum of all lanes by halves: lane `i` takes lane `i + L/2`, then `i + L/4`, down
  /// to 1}
  ///
  /// @param v a vector
  public static float sum(FloatVector v) {
    FloatVector sum = v;
    for (int half = SPECIES.length() / 2; half > 0; half /= 2) {
      sum = sum.add(sum.rearrange(VectorShuffle.iota(SPECIES, half, 1, true)));
    }
    return sum.lane(0);
  }

  /// Exchanges the halves of each `2 half` lanes. To be kept in a constant, as compiled code wants
  /// it.
  ///
  /// @param half lanes in a half
  /// @return the pattern
  public static VectorShuffle<Float> swap(int half) {
    return VectorShuffle.fromOp(SPECIES, lane -> (lane ^ half) % SPECIES.length());
  }

  /// {@return the upper halves of each `2 half` lanes} To be kept in a constant.
  ///
  /// @param half lanes in a half
  public static VectorMask<Float> upper(int half) {
    boolean[] lanes = new boolean[SPECIES.length()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = (i & half) != 0;
    }
    return VectorMask.fromArray(SPECIES, lanes, 0);
  }
}
