package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Window;

/// The maximum of each channel over each window. Backward: the gradient of a window goes to the
/// first position, line by line, that has the maximum.
///
/// @param input shape of a sample
/// @param size height and width of the window
/// @param stride positions from one window to the next
/// @param padding positions around the image that windows may cover; never the maximum
public record MaxPool(Shape input, int size, int stride, int padding) implements Weightless {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the window does not fit the image
  public MaxPool {
    window(input, size, stride, padding);
  }

  /// Creates a pooling without padding.
  ///
  /// @param input shape of a sample
  /// @param size height and width of the window
  /// @param stride positions from one window to the next
  public MaxPool(Shape input, int size, int stride) {
    this(input, size, stride, 0);
  }

  private static Window window(Shape input, int size, int stride, int padding) {
    return new Window(input.height(), input.width(), input.channels(), size, size, stride, padding);
  }

  private Window window() {
    return window(input, size, stride, padding);
  }

  @Override
  public Shape output() {
    return new Shape(window().outHeight(), window().outWidth(), input.channels());
  }

  @Override
  public void compute(DenseMatrix x, DenseMatrix y, Pass pass) {
    window().max(x, y, pass.kernels().workers());
  }

  @Override
  public void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass) {
    window().maxGradient(x, y, t, g, pass.kernels().workers());
  }
}
