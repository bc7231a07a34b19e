package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Window;

/// The mean of each channel over each window. Backward: the gradient of a window is divided equally
/// among its positions.
///
/// @param input shape of a sample
/// @param height of the window
/// @param width of the window
/// @param stride positions from one window to the next
public record AveragePool(Shape input, int height, int width, int stride) implements Weightless {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the window does not fit the image
  public AveragePool {
    window(input, height, width, stride);
  }

  /// Creates a pooling over square windows.
  ///
  /// @param input shape of a sample
  /// @param size height and width of the window
  /// @param stride positions from one window to the next
  public AveragePool(Shape input, int size, int stride) {
    this(input, size, size, stride);
  }

  /// {@return a pooling over the whole image}
  ///
  /// @param input shape of a sample
  public static AveragePool global(Shape input) {
    return new AveragePool(input, input.height(), input.width(), 1);
  }

  private static Window window(Shape input, int height, int width, int stride) {
    return new Window(input.height(), input.width(), input.channels(), height, width, stride, 0);
  }

  private Window window() {
    return window(input, height, width, stride);
  }

  @Override
  public Shape output() {
    return new Shape(window().outHeight(), window().outWidth(), input.channels());
  }

  @Override
  public void compute(DenseMatrix x, DenseMatrix y, Pass pass) {
    window().mean(x, y, pass.kernels().workers());
  }

  @Override
  public void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass) {
    window().meanGradient(t, g, pass.kernels().workers());
  }
}
