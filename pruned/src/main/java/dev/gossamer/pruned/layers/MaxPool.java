package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Window;
import org.jspecify.annotations.Nullable;

/// The maximum of each channel over each window. Backward: the gradient of a window goes to the
/// first position, line by line, that has the maximum.
///
/// @param input shape of a sample
/// @param size height and width of the window
/// @param stride positions from one window to the next
/// @param padding positions around the image that windows may cover; never the maximum
public record MaxPool(Shape input, int size, int stride, int padding) implements Layer {
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
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    window().max(x, y, pass.kernels().workers());
    return y;
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    if (g != null) {
      DenseMatrix y = Batches.output(this, kept, pass.samples());
      window().maxGradient(x, y, t, g, pass.kernels().workers());
    }
  }
}
