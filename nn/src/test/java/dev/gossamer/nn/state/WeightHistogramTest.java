package dev.gossamer.nn.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WeightHistogramTest {
  /// Normal numbers of all magnitudes, and each limit, with its neighbours.
  private static float[] weights(long seed) {
    Random random = new Random(seed);
    float[] weights = new float[6000];
    for (int i = 0; i < 3000; i++) {
      weights[i] = (float) (random.nextGaussian() * Math.pow(2, random.nextInt(-45, 20)));
    }
    for (int i = 3000; i < weights.length; i += 3) {
      float limit = Math.scalb(1 + random.nextInt(8) / 8f, random.nextInt(-41, 41));
      limit = random.nextBoolean() ? limit : -limit;
      weights[i] = limit;
      weights[i + 1] = Math.nextUp(limit);
      weights[i + 2] = Math.nextDown(limit);
    }
    return weights;
  }

  private static WeightHistogram of(float... weights) {
    return WeightHistogram.of(MemorySegment.ofArray(weights));
  }

  /// Counts again, by the limits alone.
  private static void assertCounts(WeightHistogram histogram, float... weights) {
    List<WeightHistogram.Bucket> buckets = histogram.buckets();
    double from = Double.NEGATIVE_INFINITY;
    for (WeightHistogram.Bucket bucket : buckets) {
      boolean last = bucket.equals(buckets.getLast());
      double begin = from;
      double end = last ? Double.POSITIVE_INFINITY : bucket.limit();
      assertThat(bucket.limit()).isGreaterThan(begin);
      long count = 0;
      for (float weight : weights) {
        count += weight >= begin && weight < end ? 1 : 0;
      }
      assertThat(bucket.count()).as("[%s, %s)", begin, end).isEqualTo(count);
      from = bucket.limit();
    }
  }

  @Test
  void everyWeightIsInItsBucket() {
    float[] weights = weights(1);
    WeightHistogram histogram = of(weights);
    assertCounts(histogram, weights);
    assertThat(histogram.count()).isEqualTo(weights.length);
    double[] sorted = new double[weights.length];
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < weights.length; i++) {
      sorted[i] = weights[i];
      sum += weights[i];
      squares += (double) weights[i] * weights[i];
    }
    Arrays.sort(sorted);
    assertThat(histogram.least()).isEqualTo(sorted[0]);
    assertThat(histogram.greatest()).isEqualTo(sorted[sorted.length - 1]);
    assertThat(histogram.sum()).isEqualTo(sum);
    assertThat(histogram.squares()).isEqualTo(squares);
  }

  /// One power of two has eight buckets of equal width.
  @Test
  void bucketsAreNarrow() {
    float[] weights = new float[64];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = 2 + i / 32f;
    }
    assertThat(of(weights).buckets())
        .extracting(WeightHistogram.Bucket::limit)
        .containsExactly(2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0);
    assertThat(of(weights).buckets()).allMatch(bucket -> bucket.count() == 8);
  }

  @Test
  void emptyBucketsInARowAreOne() {
    assertThat(of(-3, 5, 5).buckets())
        .containsExactly(
            new WeightHistogram.Bucket(-2.75, 1),
            new WeightHistogram.Bucket(5, 0),
            new WeightHistogram.Bucket(5.5, 2));
  }

  @Test
  void zerosAreInOneBucketAroundThem() {
    assertThat(of(0, -0f, Float.MIN_VALUE, -Float.MIN_VALUE).buckets())
        .containsExactly(new WeightHistogram.Bucket(0x1p-40, 4));
  }

  @Test
  void whatIsNotFiniteIsLeftOut() {
    WeightHistogram histogram =
        of(Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0.5f);
    assertThat(histogram.count()).isEqualTo(1);
    assertThat(histogram.sum()).isEqualTo(0.5);
    assertThat(histogram.greatest()).isEqualTo(0.5);
    assertThat(of().buckets()).isEmpty();
    assertThat(of().count()).isZero();
    assertThat(of(Float.MAX_VALUE, -Float.MAX_VALUE).count()).isEqualTo(2);
  }

  @Test
  void histogramsOfPartsAreAddedUp() {
    float[] weights = weights(2);
    WeightHistogram whole = of(weights);
    WeightHistogram one = of(Arrays.copyOfRange(weights, 0, 1000));
    WeightHistogram other = of(Arrays.copyOfRange(weights, 1000, weights.length));
    double[] numbers = one.numbers();
    double[] more = other.numbers();
    Arrays.setAll(numbers, i -> numbers[i] + more[i]);
    WeightHistogram sum =
        WeightHistogram.ofSums(
            numbers,
            Math.min(one.least(), other.least()),
            Math.max(one.greatest(), other.greatest()));
    assertThat(sum.buckets()).isEqualTo(whole.buckets());
    assertThat(sum.count()).isEqualTo(weights.length);
    assertThat(sum.least()).isEqualTo(whole.least());
    assertThat(sum.greatest()).isEqualTo(whole.greatest());
    // Each of n additions rounds by half a unit of a number that is at most the sum of absolutes.
    double absolutes = 0;
    for (float weight : weights) {
      absolutes += Math.abs(weight);
    }
    assertThat(sum.sum()).isCloseTo(whole.sum(), within(weights.length * 0x1p-53 * absolutes));
    assertThatThrownBy(() -> WeightHistogram.ofSums(new double[3], 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected 1283 numbers, found 3");
  }
}
