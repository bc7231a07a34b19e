package dev.gossamer.pruned.layers;

import java.util.Locale;

/// The shape of one sample between two layers: `height x width` positions with `channels` elements
/// each. A text is a column of tokens: `T x 1`.
///
/// A batch of `s` samples is a matrix of `s * positions` rows and `channels` columns: positions row
/// by row, one sample after the other.
///
/// @param height positions from top to bottom, or the length of a text
/// @param width positions from left to right; 1 for a text
/// @param channels elements at each position
public record Shape(int height, int width, int channels) {
  /// Checks the sizes.
  public Shape {
    if (height < 1 || width < 1 || channels < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "shape: expected sizes of at least 1, found %d x %d x %d",
              height,
              width,
              channels));
    }
  }

  /// {@return the number of rows of one sample in a batch}
  public int positions() {
    return Math.multiplyExact(height, width);
  }

  /// {@return the number of elements of one sample}
  public long elements() {
    return (long) positions() * channels;
  }

  /// {@return a copy with another number of channels}
  ///
  /// @param newChannels elements at each position
  public Shape withChannels(int newChannels) {
    return new Shape(height, width, newChannels);
  }

  @Override
  public String toString() {
    return height + " x " + width + " x " + channels;
  }
}
