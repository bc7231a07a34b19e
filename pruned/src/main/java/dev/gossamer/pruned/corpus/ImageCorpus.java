package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Images to be classified.
///
/// The id of a sample is its number within the part. The validation part is the last 5,000 training
/// images, or the last tenth of fewer than 50,000. A pixel `v` in `0..255` of channel `c` becomes
/// `(v - mean_c) / deviation_c`, with mean and deviation of the channel in the training part
/// (deviation 255 in place of 0), see [PixelScaling].
///
/// Step `s` with batches of `b` trains on the positions `s b` to `s b + b - 1` of an infinite
/// sequence of random permutations of all training images ([KeyedPermutation]), so that each epoch
/// has each image once. Memory: one byte per pixel.
public final class ImageCorpus implements Corpus {
  private static final int STREAM = 0x494d4147;
  private static final int VALIDATION = 5_000;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final String name;
  private final int classes;
  private final Arena arena;
  private final ImageSet train;
  private final ImageSet test;
  private final long validation;
  private final long temporary;
  private final PixelScaling standardisation;

  /// The value that each level of each channel becomes.
  private final float[][] values;

  /// @param place name in messages
  /// @param arena owner of the images; closed with the corpus
  /// @param temporary additional bytes while it was opened
  /// @throws InvalidInputException if the two sets have images of different shapes, or there are
  ///   too few for a validation part
  ImageCorpus(
      String place,
      String name,
      Arena arena,
      ImageSet train,
      ImageSet test,
      int classes,
      long temporary) {
    if (!train.shape().equals(test.shape())) {
      throw new InvalidInputException(
          "%s: expected test images like the training images, %s, found %s"
              .formatted(place, train.shape(), test.shape()));
    }
    if (train.count() < 2) {
      throw new InvalidInputException(
          "%s: expected at least 2 images, one to train and one to validate, found %d"
              .formatted(place, train.count()));
    }
    test.requireClasses(place + ": test", classes);
    this.name = name;
    this.classes = classes;
    this.arena = arena;
    this.train = train;
    this.test = test;
    this.temporary = temporary;
    validation = Math.clamp(train.count() / 10, 1, VALIDATION);
    standardisation = PixelScaling.of(train, train.count() - validation);
    values = standardisation.values();
  }

  /// The same images with other values.
  private ImageCorpus(ImageCorpus images, PixelScaling standardisation) {
    name = images.name;
    classes = images.classes;
    arena = images.arena;
    train = images.train;
    test = images.test;
    validation = images.validation;
    temporary = images.temporary;
    this.standardisation = standardisation;
    values = standardisation.values();
  }

  /// {@return a view of the same images whose pixels are standardised as those of others, for a
  /// network that was trained on these} Closing one closes both.
  ///
  /// @param other a mean and a deviation for each channel
  /// @throws IllegalArgumentException if it has another number of channels
  public ImageCorpus standardised(PixelScaling other) {
    if (other.means().size() != input().channels()) {
      throw new IllegalArgumentException(
          "images: expected means of %d channels, found %d"
              .formatted(input().channels(), other.means().size()));
    }
    return new ImageCorpus(this, other);
  }

  /// {@return the mean and the deviation of each channel, by which pixels are standardised}
  public PixelScaling standardisation() {
    return standardisation;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Shape input() {
    return train.shape();
  }

  @Override
  public int classes() {
    return classes;
  }

  @Override
  public int labelsPerSample() {
    return 1;
  }

  @Override
  public long size(Part part) {
    return switch (part) {
      case TRAIN -> train.count() - validation;
      case VALIDATION -> validation;
      case TEST -> test.count();
    };
  }

  /// {@return the normalised value of a level of a channel}
  ///
  /// @param channel from 0
  /// @param level in `0..255`
  public float value(int channel, int level) {
    return values[channel][level];
  }

  @Override
  public void trainingSamples(long seed, long step, int batch, int begin, long[] ids) {
    Requests.batch(batch, begin, ids.length, step);
    long images = size(Part.TRAIN);
    long first = Math.addExact(Math.multiplyExact(step, (long) batch), begin);
    for (int i = 0; i < ids.length; ) {
      long epoch = (first + i) / images;
      long place = (first + i) % images;
      KeyedPermutation order = new KeyedPermutation(Philox.keyed(seed, STREAM, epoch), images);
      for (; i < ids.length && place < images; i++, place++) {
        ids[i] = order.of(place);
      }
    }
  }

  @Override
  public void evaluationSamples(Part part, long first, int count, long[] ids) {
    Requests.evaluation(part, size(part), first, count, ids.length);
    for (int i = 0; i < count; i++) {
      ids[i] = first + i;
    }
  }

  @Override
  public void inputs(Part part, long[] ids, int count, DenseMatrix inputs) {
    Shape shape = input();
    Requests.inputs(shape, ids.length, count, inputs);
    MemorySegment pixels = set(part).pixels();
    MemorySegment to = inputs.data();
    int channels = shape.channels();
    long elements = shape.elements();
    for (int i = 0; i < count; i++) {
      long from = image(part, ids[i]) * elements;
      long at = i * elements * Float.BYTES;
      for (long pixel = 0; pixel < elements; pixel += channels) {
        for (int c = 0; c < channels; c++) {
          int level = pixels.get(ValueLayout.JAVA_BYTE, from + pixel + c) & 0xff;
          to.set(FLOAT, at, values[c][level]);
          at += Float.BYTES;
        }
      }
    }
  }

  @Override
  public void labels(Part part, long[] ids, int count, int[] labels) {
    Requests.labels(1, ids.length, count, labels.length);
    ImageSet set = set(part);
    for (int i = 0; i < count; i++) {
      labels[i] = set.label(image(part, ids[i]));
    }
  }

  private ImageSet set(Part part) {
    return switch (part) {
      case TRAIN, VALIDATION -> train;
      case TEST -> test;
    };
  }

  /// The number of an image within its set.
  private long image(Part part, long id) {
    if (id < 0 || id >= size(part)) {
      throw new IllegalArgumentException(
          "images: the %s part has 0..%d, found %d".formatted(part, size(part) - 1, id));
    }
    return part == Part.VALIDATION ? size(Part.TRAIN) + id : id;
  }

  @Override
  public String description() {
    return "%s: %d, %d and %d images to train, validate and test, %s, %d classes"
        .formatted(
            name, size(Part.TRAIN), size(Part.VALIDATION), size(Part.TEST), train.shape(), classes);
  }

  @Override
  public String fingerprint() {
    return new ContentDigest()
        .section("train pixels " + train.shape(), train.pixels())
        .section("train labels", train.labels())
        .section("test pixels", test.pixels())
        .section("test labels", test.labels())
        .text();
  }

  @Override
  public long bytes() {
    return train.bytes() + test.bytes();
  }

  @Override
  public CorpusMemory memory() {
    return new CorpusMemory(bytes(), bytes() + temporary);
  }

  @Override
  public void close() {
    arena.close();
  }
}
