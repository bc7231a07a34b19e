package dev.gossamer.nn.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// How weights are distributed: counts in buckets of fixed limits, eight for each power of two, and
/// the least and the greatest weight, the sum and the sum of squares.
///
/// Limits are `(1 + m / 8) 2^e` for `m = 0..7` and `e = -40..39`, of either sign; what is nearer to
/// 0 is in one bucket, and what is further away in the last one on its side. So a bucket is at most
/// an eighth wider than its lower limit, it is found by a shift of the bits of a number, and
/// histograms of parts of a tensor are added up. Immutable.
///
/// Memory: [#NUMBERS] numbers, 10 KiB.
public final class WeightHistogram {
  /// Buckets of one sign.
  private static final int SIDE = 8 * 80;

  /// Numbers of [#numbers].
  public static final int NUMBERS = 2 * SIDE + 3;

  private static final int ZERO = SIDE;
  private static final int SUM = 2 * SIDE + 1;
  private static final int SQUARES = SUM + 1;

  /// Bits of a float32 below those of the bucket.
  private static final int SHIFT = 20;

  /// Of the least bucket above 0, `2^-40`.
  private static final int FIRST = Float.floatToRawIntBits(0x1p-40f) >> SHIFT;

  private static final int NO_SIGN = Integer.MAX_VALUE;

  private final double[] numbers;
  private final double least;
  private final double greatest;

  /// Weights in `[limit of the bucket before, limit)`; of the first and the last bucket, all that
  /// are less or greater.
  ///
  /// @param limit upper limit
  /// @param count weights in the bucket
  public record Bucket(double limit, long count) {}

  private WeightHistogram(double[] numbers, double least, double greatest) {
    this.numbers = numbers;
    this.least = least;
    this.greatest = greatest;
  }

  /// Counts weights. Those that are not finite are left out.
  ///
  /// Cost: one pass, about 7 ns for each weight.
  ///
  /// @param weights `float32[n]`
  /// @return the histogram
  public static WeightHistogram of(MemorySegment weights) {
    double[] numbers = new double[NUMBERS];
    double sum = 0;
    double squares = 0;
    float least = Float.POSITIVE_INFINITY;
    float greatest = Float.NEGATIVE_INFINITY;
    long count = weights.byteSize() / Float.BYTES;
    for (long i = 0; i < count; i++) {
      float weight = weights.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      if (Float.isFinite(weight)) {
        numbers[bucket(weight)]++;
        sum += weight;
        squares += (double) weight * weight;
        least = Math.min(least, weight);
        greatest = Math.max(greatest, weight);
      }
    }
    numbers[SUM] = sum;
    numbers[SQUARES] = squares;
    return new WeightHistogram(numbers, least, greatest);
  }

  /// {@return the histogram of the numbers of several added up}
  ///
  /// @param numbers `float64[NUMBERS]`, elementwise sums of [#numbers]
  /// @param least of all weights
  /// @param greatest of all weights
  /// @throws IllegalArgumentException if there is another number of them
  public static WeightHistogram ofSums(double[] numbers, double least, double greatest) {
    if (numbers.length != NUMBERS) {
      throw new IllegalArgumentException(
          "histogram: expected %d numbers, found %d".formatted(NUMBERS, numbers.length));
    }
    return new WeightHistogram(numbers.clone(), least, greatest);
  }

  /// The limits of negative numbers are mirrored; for these to be upper ones too, a number at a
  /// limit belongs to the bucket nearer to 0.
  private static int bucket(float weight) {
    int bits = Float.floatToRawIntBits(weight);
    int magnitude = bits < 0 ? (bits & NO_SIGN) - 1 : bits;
    int place = Math.clamp((magnitude >> SHIFT) - FIRST + 1L, 0, SIDE);
    return bits < 0 ? ZERO - place : ZERO + place;
  }

  /// The upper limit of a bucket.
  private static double limit(int bucket) {
    int place = bucket >= ZERO ? bucket - ZERO : ZERO - 1 - bucket;
    float magnitude = Float.intBitsToFloat((FIRST + place) << SHIFT);
    return bucket >= ZERO ? magnitude : -magnitude;
  }

  /// {@return counts of all buckets, the sum and the sum of squares, which can be added up over
  /// histograms} A copy.
  public double[] numbers() {
    return numbers.clone();
  }

  /// {@return the number of weights}
  public long count() {
    double count = 0;
    for (int b = 0; b < SUM; b++) {
      count += numbers[b];
    }
    return (long) count;
  }

  /// {@return the least weight; infinity if there is none}
  public double least() {
    return least;
  }

  /// {@return the greatest weight; negative infinity if there is none}
  public double greatest() {
    return greatest;
  }

  /// {@return the sum of the weights}
  public double sum() {
    return numbers[SUM];
  }

  /// {@return the sum of their squares}
  public double squares() {
    return numbers[SQUARES];
  }

  /// {@return the buckets from the first to the last that is not empty, with empty ones that follow
  /// each other as one; none if there are no weights}
  public List<Bucket> buckets() {
    List<Bucket> buckets = new ArrayList<>();
    for (int b = 0; b < SUM; b++) {
      long count = (long) numbers[b];
      Bucket before = buckets.isEmpty() ? null : buckets.getLast();
      if (count == 0 && before != null && before.count == 0) {
        buckets.removeLast();
      }
      if (count > 0 || before != null) {
        buckets.add(new Bucket(limit(b), count));
      }
    }
    if (!buckets.isEmpty() && buckets.getLast().count == 0) {
      buckets.removeLast();
    }
    return List.copyOf(buckets);
  }
}
