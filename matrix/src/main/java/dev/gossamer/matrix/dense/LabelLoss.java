package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import dev.gossamer.matrix.tile.Lanes;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The binary cross-entropy of independent labels: with the logit `z` of a label that a row has (`y
/// = 1`) or not (`y = 0`), `max(z, 0) - z y + log(1 + exp(-|z|))`, and the gradient `p - y` with `p
/// = 1 / (1 + exp(-z))`. The exponential is that of [Softmax].
public record LabelLoss() implements TargetLoss {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Factors of at most 2 in each lane, so that float64 can hold the product of all lanes.
  private static final int MOST_FACTORS = 1000 / LANES < 100 ? 1000 / LANES : 100;

  @Override
  public double row(DenseMatrix outputs, TargetRows targets, int row, float weight) {
    MemorySegment z = outputs.data();
    MemorySegment y = targets.values().data();
    long zAt = outputs.offset(row);
    long yAt = targets.values().offset(targets.ids()[row]);
    int cols = outputs.cols();
    FloatVector linear = FloatVector.zero(SPECIES);
    // The sum of logarithms is the logarithm of the product, of some at a time.
    FloatVector product = FloatVector.broadcast(SPECIES, 1f);
    double logs = 0;
    int steps = 0;
    for (int j = 0; j < cols; j += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      long shift = (long) j * Float.BYTES;
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, zAt + shift, ORDER, inside);
      FloatVector label = FloatVector.fromMemorySegment(SPECIES, y, yAt + shift, ORDER, inside);
      VectorMask<Float> known = inside.andNot(label.test(VectorOperators.IS_NAN));
      FloatVector e = Softmax.exp(v.abs().neg());
      FloatVector p = Softmax.logistic(v, e);
      FloatVector gradient = FloatVector.zero(SPECIES).blend(p.sub(label).mul(weight), known);
      gradient.intoMemorySegment(z, zAt + shift, ORDER, inside);
      linear = linear.add(v.max(0f).sub(v.mul(label)), known);
      product = product.mul(e.add(1f), known);
      if (++steps == MOST_FACTORS) {
        logs += logarithm(product);
        product = FloatVector.broadcast(SPECIES, 1f);
        steps = 0;
      }
    }
    return Lanes.sum(linear) + logs + logarithm(product);
  }

  private static double logarithm(FloatVector factors) {
    double product = 1;
    for (int l = 0; l < LANES; l++) {
      product *= factors.lane(l);
    }
    return StrictMath.log(product);
  }

  /// Turns logits into probabilities, each by itself.
  ///
  /// @param logits `n x t`, overwritten
  /// @param w threads that share the work
  public static void sigmoid(DenseMatrix logits, Workers w) {
    Epilogues.apply(
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            for (int j = 0; j < y.cols(); j += LANES) {
              VectorMask<Float> inside = SPECIES.indexInRange(j, y.cols());
              long at = y.offset(i) + (long) j * Float.BYTES;
              FloatVector z = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, inside);
              Softmax.logistic(z, Softmax.exp(z.abs().neg()))
                  .intoMemorySegment(y.data(), at, ORDER, inside);
            }
          }
        },
        logits,
        w);
  }
}
