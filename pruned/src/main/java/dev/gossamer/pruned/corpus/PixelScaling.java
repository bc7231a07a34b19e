package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the pixels of images become in a network: `(v - mean) / deviation` for a level `v` in
/// `0..255`, with mean and deviation of its channel. It is stored in model files, so that other
/// images are read as those of the training.
///
/// @param means of the channels, in levels, 0 to 255
/// @param deviations of the channels, in levels, finite and more than 0
public record PixelScaling(List<Double> means, List<Double> deviations) {
  /// Number of levels of a pixel.
  static final int LEVELS = 256;

  /// The key of the means in a model file.
  private static final String MEANS = "means";

  /// The key of the deviations in a model file.
  private static final String DEVIATIONS = "deviations";

  private static final String NUMBER = "[0-9]{1,3}\\.[0-9]{1,20}(E-[0-9]{1,3})?";

  /// Checks and copies the lists.
  public PixelScaling {
    means = List.copyOf(means);
    deviations = List.copyOf(deviations);
    if (means.size() != deviations.size()
        || !means.stream().allMatch(PixelScaling::isLevel)
        || !deviations.stream().allMatch(each -> each > 0 && Double.isFinite(each))) {
      throw new IllegalArgumentException(
          "expected as many means in 0..%d as deviations of more than 0, found %s and %s"
              .formatted(LEVELS - 1, means, deviations));
    }
  }

  private static boolean isLevel(double mean) {
    return mean >= 0 && mean <= LEVELS - 1;
  }

  /// The mean and the deviation of each channel, from how often each level occurs, which is exact;
  /// the deviation of a constant channel is the largest level.
  ///
  /// @param count number of images, the first ones
  static PixelScaling of(ImageSet images, long count) {
    List<Double> means = new ArrayList<>();
    List<Double> deviations = new ArrayList<>();
    double pixels = (double) count * images.shape().positions();
    for (long[] levels : levels(images, count)) {
      double sum = 0;
      double squares = 0;
      for (int v = 0; v < LEVELS; v++) {
        sum += (double) v * levels[v];
        squares += (double) v * v * levels[v];
      }
      double mean = sum / pixels;
      double deviation = Math.sqrt(Math.max(0, squares / pixels - mean * mean));
      means.add(mean);
      deviations.add(deviation > 0 ? deviation : LEVELS - 1);
    }
    return new PixelScaling(means, deviations);
  }

  private static long[][] levels(ImageSet images, long count) {
    int channels = images.shape().channels();
    long[][] levels = new long[channels][LEVELS];
    int bytes = Math.toIntExact(images.shape().elements());
    byte[] image = new byte[bytes];
    for (long i = 0; i < count; i++) {
      MemorySegment.copy(images.pixels(), ValueLayout.JAVA_BYTE, i * bytes, image, 0, bytes);
      for (int at = 0; at < bytes; at += channels) {
        for (int c = 0; c < channels; c++) {
          levels[c][image[at + c] & 0xff]++;
        }
      }
    }
    return levels;
  }

  /// Returns the value that each level of each channel becomes.
  float[][] values() {
    float[][] values = new float[means.size()][LEVELS];
    for (int c = 0; c < values.length; c++) {
      for (int v = 0; v < LEVELS; v++) {
        values[c][v] = (float) ((v - means.get(c)) / deviations.get(c));
      }
    }
    return values;
  }

  /// {@return the description in a model file, which [#of(Object, Map, int)] reads}
  public Map<String, String> description() {
    return Map.of(MEANS, text(means), DEVIATIONS, text(deviations));
  }

  private static String text(List<Double> numbers) {
    return numbers.stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  /// {@return what a model file describes; null if it is older and describes nothing}
  ///
  /// @param place named in errors
  /// @param description as returned by [#description], among others
  /// @param channels of the images
  /// @throws InvalidInputException if it does not have these numbers of each channel
  public static @Nullable PixelScaling of(
      Object place, Map<String, String> description, int channels) {
    if (!description.containsKey(MEANS) && !description.containsKey(DEVIATIONS)) {
      return null;
    }
    List<Double> deviations = numbers(place, description, DEVIATIONS, channels);
    if (!deviations.stream().allMatch(deviation -> deviation > 0)) {
      throw new InvalidInputException(
          "%s: %s: expected more than 0, found %s".formatted(place, DEVIATIONS, text(deviations)));
    }
    List<Double> means = numbers(place, description, MEANS, channels);
    if (!means.stream().allMatch(PixelScaling::isLevel)) {
      throw new InvalidInputException(
          "%s: %s: expected at most %d, found %s".formatted(place, MEANS, LEVELS - 1, text(means)));
    }
    return new PixelScaling(means, deviations);
  }

  private static List<Double> numbers(
      Object place, Map<String, String> description, String key, int channels) {
    String text = description.getOrDefault(key, "none");
    String[] numbers = text.split(", ", -1);
    if (numbers.length != channels
        || !Arrays.stream(numbers).allMatch(number -> number.matches(NUMBER))) {
      throw new InvalidInputException(
          "%s: %s: expected a number for each of %d channels, found %s"
              .formatted(place, key, channels, text));
    }
    return Arrays.stream(numbers).map(Double::valueOf).toList();
  }
}
