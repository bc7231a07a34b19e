package dev.gossamer.pruned.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageCorpusTest {
  @TempDir Path folder;

  @Test
  void permutationsAreOneToOne() {
    for (long size : new long[] {1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 1000, 4097}) {
      KeyedPermutation order = new KeyedPermutation(new Philox(1, 2), size);
      long[] seen = LongStream.range(0, size).map(order::of).sorted().toArray();
      assertThat(seen).isEqualTo(LongStream.range(0, size).toArray());
    }
  }

  /// Each element goes to each place `k` times on average, with a deviation of at most `sqrt(k)`.
  @Test
  void permutationsAreRandom() {
    int size = 13;
    int each = 400;
    int[][] counts = new int[size][size];
    for (int key = 0; key < size * each; key++) {
      KeyedPermutation order = new KeyedPermutation(Philox.keyed(9, 1, key), size);
      for (int i = 0; i < size; i++) {
        counts[i][(int) order.of(i)]++;
      }
    }
    for (int[] row : counts) {
      assertThat(Arrays.stream(row)).allMatch(c -> Math.abs(c - each) < 5 * Math.sqrt(each));
    }
  }

  @Test
  void idxImagesAreSplitAndNormalised() {
    Fixtures.mnistLike(folder, 30);
    try (Arena arena = Arena.ofConfined();
        ImageCorpus corpus = open(folder)) {
      assertThat(corpus.input()).isEqualTo(new Shape(3, 2, 1));
      assertThat(corpus.classes()).isEqualTo(5);
      assertThat(corpus.labelsPerSample()).isEqualTo(1);
      assertThat(corpus.size(Part.TRAIN)).isEqualTo(27);
      assertThat(corpus.size(Part.VALIDATION)).isEqualTo(3);
      assertThat(corpus.size(Part.TEST)).isEqualTo(4);
      assertThat(corpus.description())
          .endsWith(": 27, 3 and 4 images to train, validate and test, 3 x 2 x 1, 5 classes");
      double mean = 0;
      double square = 0;
      int count = 27 * 6;
      for (int i = 0; i < count; i++) {
        double v = 7 * i % 251 / 255.0;
        mean += v / count;
        square += v * v / count;
      }
      double deviation = Math.sqrt(square - mean * mean);
      DenseMatrix inputs = DenseMatrix.allocate(arena, 12, 1);
      int[] labels = new int[2];
      corpus.load(Part.VALIDATION, new long[] {2, 0}, 2, inputs, labels);
      for (int pixel = 0; pixel < 6; pixel++) {
        double expected = (7 * (29 * 6 + pixel) % 251 / 255.0 - mean) / deviation;
        assertThat((double) inputs.get(pixel, 0)).isCloseTo(expected, within(4e-7));
      }
      assertThat(labels).containsExactly(7 * 29 % 5, 7 * 27 % 5);
      corpus.load(Part.TEST, new long[] {1}, 1, inputs, labels);
      double expected = ((7 * 6 + 3) / 255.0 - mean) / deviation;
      assertThat((double) inputs.get(0, 0)).isCloseTo(expected, within(4e-7));
      assertThat(labels[0]).isEqualTo(8 % 5);
    }
  }

  @Test
  void constantImagesBecomeZero() {
    Fixtures.mnistLike(folder, 30);
    byte[] grey = Fixtures.idx(IdxFiles.IMAGES, 1, 0, 30, 3, 2);
    Fixtures.write(folder, "train-images-idx3-ubyte.gz", grey);
    try (ImageCorpus corpus = open(folder)) {
      assertThat(corpus.value(0, 0)).isZero();
      assertThat(corpus.value(0, 255)).isEqualTo(1f);
    }
  }

  @Test
  void anEpochHasEachImageOnce() {
    Fixtures.mnistLike(folder, 30);
    try (ImageCorpus corpus = open(folder)) {
      int batch = 4;
      // Four epochs of 27 images are 27 batches.
      long[] drawn = new long[27 * batch];
      for (int step = 0; step < 27; step++) {
        long[] ids = new long[batch];
        corpus.trainingSamples(5, step, batch, 0, ids);
        System.arraycopy(ids, 0, drawn, step * batch, batch);
      }
      long[] previous = {};
      for (int epoch = 0; epoch < 4; epoch++) {
        long[] ids = Arrays.copyOfRange(drawn, 27 * epoch, 27 * (epoch + 1));
        assertThat(ids).isNotEqualTo(previous);
        previous = ids.clone();
        Arrays.sort(ids);
        assertThat(ids).isEqualTo(LongStream.range(0, 27).toArray());
      }
      long[] other = new long[27];
      corpus.trainingSamples(6, 0, 27, 0, other);
      assertThat(other).isNotEqualTo(Arrays.copyOf(drawn, 27));
    }
  }

  @Test
  void trainingSamplesDoNotDependOnHowABatchIsCut() {
    Fixtures.mnistLike(folder, 30);
    try (ImageCorpus corpus = open(folder)) {
      // Longer than an epoch, and across the ends of two.
      long[] whole = new long[64];
      corpus.trainingSamples(3, 1, 64, 0, whole);
      for (int begin : new int[] {0, 1, 13, 40, 63}) {
        long[] part = new long[Math.min(30, 64 - begin)];
        corpus.trainingSamples(3, 1, 64, begin, part);
        assertThat(part).isEqualTo(Arrays.copyOfRange(whole, begin, begin + part.length));
      }
    }
  }

  @Test
  void cifarPlanesBecomeChannels() {
    Fixtures.cifarFolder(folder);
    try (Arena arena = Arena.ofConfined();
        ImageCorpus corpus = open(folder)) {
      assertThat(corpus.input()).isEqualTo(new Shape(32, 32, 3));
      assertThat(corpus.classes()).isEqualTo(10);
      // While the planes are made channels, the files are there as well.
      assertThat(corpus.memory()).isEqualTo(new CorpusMemory((35 + 3) * 3073, (2 * 35 + 3) * 3073));
      assertThat(corpus.size(Part.TRAIN)).isEqualTo(35 - 3);
      assertThat(corpus.size(Part.VALIDATION)).isEqualTo(3);
      assertThat(corpus.size(Part.TEST)).isEqualTo(3);
      DenseMatrix inputs = DenseMatrix.allocate(arena, 1024, 3);
      int[] labels = new int[1];
      // Image 7 is the third of the second batch.
      corpus.load(Part.TRAIN, new long[] {7}, 1, inputs, labels);
      assertThat(labels).containsExactly(2);
      for (int pixel : new int[] {0, 1, 33, 1023}) {
        for (int channel = 0; channel < 3; channel++) {
          int level = (2 + 31 * (1024 * channel + pixel)) & 0xff;
          assertThat(inputs.get(pixel, channel)).isEqualTo(corpus.value(channel, level));
        }
      }
    }
  }

  @Test
  void malformedIdxFilesAreRefused() throws Exception {
    Fixtures.mnistLike(folder, 30);
    String images = "train-images-idx3-ubyte.gz";
    byte[] good = Fixtures.idx(IdxFiles.IMAGES, 251, 0, 30, 3, 2);
    Fixtures.write(folder, images, ByteBuffer.wrap(good.clone()).putInt(0, 2050).array());
    assertRefused("expected the magic number 2051 of images of unsigned bytes, found 2050");
    Fixtures.write(folder, images, Arrays.copyOf(good, good.length - 1));
    assertRefused("expected 180 bytes behind the header, as it says, found 179");
    Fixtures.write(folder, images, Arrays.copyOf(good, good.length + 1));
    assertRefused("found 181");
    Fixtures.write(folder, images, Arrays.copyOf(good, 10));
    assertRefused("with a header of 16 bytes, found 10 bytes");
    int most = Integer.MAX_VALUE;
    byte[] huge = ByteBuffer.wrap(good.clone()).putInt(4, most).putInt(8, most).array();
    Fixtures.write(folder, images, huge);
    assertRefused("bytes behind the header, as it says, found 180");
    Fixtures.write(folder, images, Arrays.copyOf(Fixtures.gzip(good), 40));
    assertRefused("expected whole gzip data, found it truncated");
    Fixtures.write(folder, images, Fixtures.idx(IdxFiles.IMAGES, 251, 0, 29, 3, 2));
    assertRefused("expected a label for each of the 29 images of " + images + ", found 30");
    Fixtures.write(folder, images, Fixtures.idx(IdxFiles.IMAGES, 251, 0, 30, 2, 3));
    assertRefused("expected test images like the training images, 2 x 3 x 1, found 3 x 2 x 1");
    Fixtures.write(folder, images, good);
    Fixtures.write(folder, "t10k-labels-idx1-ubyte.gz", Fixtures.idx(IdxFiles.LABELS, 99, 5, 4));
    assertRefused("label 0: expected a class in 0..4, found 5");
    Files.delete(folder.resolve("t10k-labels-idx1-ubyte.gz"));
    assertRefused(
        "expected one file t10k-labels-idx1-ubyte or t10k-labels-idx1-ubyte.gz, found none");
    assertThatThrownBy(() -> open(folder.resolve("train-labels-idx1-ubyte")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found an IDX file, one of four; give their folder");
  }

  @Test
  void malformedCifarFilesAreRefused() throws Exception {
    Fixtures.cifarFolder(folder);
    Fixtures.write(folder, "data_batch_3.bin", Arrays.copyOf(Fixtures.cifar(2), 2 * 3073 - 1));
    assertRefused("data_batch_3.bin: expected records of 3073 bytes, found 6145 bytes");
    Fixtures.write(folder, "data_batch_3.bin", new byte[0]);
    assertRefused("expected records of 3073 bytes, found 0 bytes");
    byte[] wrong = Fixtures.cifar(2);
    wrong[3073] = 10;
    Fixtures.write(folder, "data_batch_3.bin", wrong);
    assertRefused("record 1: expected a class in 0..9, found 10");
    Files.delete(folder.resolve("data_batch_3.bin"));
    assertRefused("expected one file data_batch_3.bin or data_batch_3.bin.gz, found none");
    assertThatThrownBy(() -> open(folder.resolve("test_batch.bin")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("one batch of CIFAR-10; give the folder");
  }

  @Test
  void wrongArgumentsAreRefused() {
    Fixtures.mnistLike(folder, 30);
    try (Arena arena = Arena.ofConfined();
        ImageCorpus corpus = open(folder)) {
      DenseMatrix inputs = DenseMatrix.allocate(arena, 6, 1);
      assertThatThrownBy(() -> corpus.inputs(Part.VALIDATION, new long[] {3}, 1, inputs))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the validation part has 0..2, found 3");
      assertThatThrownBy(() -> corpus.inputs(Part.TRAIN, new long[2], 2, inputs))
          .hasMessageContaining("need 12 x 1, found 6 x 1");
      assertThatThrownBy(() -> corpus.evaluationSamples(Part.TEST, 2, 3, new long[3]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void mnist() {
    try (ImageCorpus corpus = open(RealCorpora.path("mnist"))) {
      assertThat(corpus.name()).isEqualTo("mnist");
      assertThat(corpus.input()).isEqualTo(new Shape(28, 28, 1));
      assertThat(corpus.classes()).isEqualTo(10);
      assertThat(corpus.size(Part.TRAIN)).isEqualTo(55_000);
      assertThat(corpus.size(Part.VALIDATION)).isEqualTo(5_000);
      assertThat(corpus.size(Part.TEST)).isEqualTo(10_000);
      int[] labels = new int[10];
      long[] ids = new long[10];
      corpus.evaluationSamples(Part.TRAIN, 0, 10, ids);
      corpus.labels(Part.TRAIN, ids, 10, labels);
      assertThat(labels).containsExactly(5, 0, 4, 1, 9, 2, 1, 3, 1, 4);
      corpus.labels(Part.TEST, ids, 10, labels);
      assertThat(labels).containsExactly(7, 2, 1, 0, 4, 1, 4, 9, 5, 9);
      // The customary mean and deviation, 0.1307 and 0.3081, are those of all 60,000 images.
      float unit = 1 / (corpus.value(0, 255) - corpus.value(0, 0));
      assertThat(unit).isCloseTo(0.3081f, within(1e-3f));
      assertThat(-corpus.value(0, 0) * unit).isCloseTo(0.1307f, within(1e-3f));
    }
  }

  private static ImageCorpus open(Path path) {
    return (ImageCorpus) Corpora.open(path, new Tokens.Bytes(), 1, ReadingProgress.SILENT);
  }

  private void assertRefused(String message) {
    assertThatThrownBy(() -> open(folder))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
  }
}
