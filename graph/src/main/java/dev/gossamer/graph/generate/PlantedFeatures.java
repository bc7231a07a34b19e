package dev.gossamer.graph.generate;

import dev.gossamer.graph.format.FeatureRows;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;

/// The features that [Planted] describes, drawn row by row: row `v` depends on the seed, `v` and
/// its class only.
final class PlantedFeatures implements FeatureRows {
  private static final int ROWS_AT_ONCE = 1024;

  private final int width;
  private final int[] labels;
  private final float[][] means;
  private final long seed;

  /// @param labels class of each vertex, borrowed
  PlantedFeatures(Planted planted, int[] labels) {
    this.width = planted.features();
    this.labels = labels;
    this.seed = planted.seed();
    means = new float[planted.classes()][];
    CounterRandom random = new CounterRandom(seed, Purpose.CLASS_MEANS);
    for (int c = 0; c < means.length; c++) {
      means[c] = direction(random.at(c), planted.signal());
    }
  }

  @Override
  public int width() {
    return width;
  }

  /// The memory of the block must be open to all threads.
  @Override
  public void fill(long begin, DenseMatrix block) {
    long pieces = (block.rows() + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    LongStream.range(0, pieces)
        .parallel()
        .forEach(piece -> {
          long first = piece * ROWS_AT_ONCE;
          long end = Math.min(block.rows(), first + ROWS_AT_ONCE);
          fill(begin + first, block.rows(first, end), new float[width]);
        });
  }

  private void fill(long begin, DenseMatrix block, float[] row) {
    CounterRandom random = new CounterRandom(seed, Purpose.FEATURES);
    ContinuousSampler noise = ZigguratSampler.NormalizedGaussian.of(random);
    for (long i = 0; i < block.rows(); i++) {
      random.at(begin + i);
      float[] mean = means[labels[Math.toIntExact(begin + i)]];
      for (int j = 0; j < width; j++) {
        row[j] = mean[j] + (float) noise.sample();
      }
      MemorySegment.copy(
          row, 0, block.data(), ValueLayout.JAVA_FLOAT_UNALIGNED, block.offset(i), width);
    }
  }

  private float[] direction(CounterRandom random, double length) {
    ContinuousSampler normal = ZigguratSampler.NormalizedGaussian.of(random);
    double[] direction = new double[width];
    double squares = 0;
    for (int j = 0; j < width; j++) {
      direction[j] = normal.sample();
      squares += direction[j] * direction[j];
    }
    float[] scaled = new float[width];
    for (int j = 0; j < width; j++) {
      scaled[j] = (float) (direction[j] * length / Math.sqrt(squares));
    }
    return scaled;
  }
}
