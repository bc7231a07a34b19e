package dev.gossamer.matrix.tile;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// Sums across the lanes of a vector in a fixed order, and patterns for exchanging lanes.
///
/// `reduceLanes` may add in different orders in interpreted and compiled code, with different
/// results.
public final class Lanes {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  private Lanes() {}

  /// {@return the sum of all lanes by halves: lane `i` adds lane `i + L/2`, then `i + L/4`, down to
  /// 1}
  ///
  /// @param v a vector
  public static float sum(FloatVector v) {
    FloatVector sum = v;
    for (int half = SPECIES.length() / 2; half > 0; half /= 2) {
      sum = sum.add(sum.rearrange(VectorShuffle.iota(SPECIES, half, 1, true)));
    }
    return sum.lane(0);
  }

  /// Returns a pattern that exchanges the halves of each `2 half` lanes. Store it in a constant,
  /// for efficient compiled code.
  ///
  /// @param half number of lanes in a half
  /// @return the pattern
  public static VectorShuffle<Float> swap(int half) {
    return VectorShuffle.fromOp(SPECIES, lane -> (lane ^ half) % SPECIES.length());
  }

  /// {@return a mask of the upper halves of each `2 half` lanes} Store it in a constant.
  ///
  /// @param half number of lanes in a half
  public static VectorMask<Float> upper(int half) {
    boolean[] lanes = new boolean[SPECIES.length()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = (i & half) != 0;
    }
    return VectorMask.fromArray(SPECIES, lanes, 0);
  }
}
