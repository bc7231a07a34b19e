package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.Window;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Weight;
import org.jspecify.annotations.Nullable;

/// A convolution: `Y = C W + b`, where row `p` of `C` has the window at output position `p`, with
/// zeros outside the image. Backward: `dW = C^T T`, `db` the column sums of `T`, and `dX` adds the
/// rows of `T W^T` to the positions that [Window#gather] read for `C`. With a window of 1 x 1,
/// stride 1 and no padding, `C` is `X`.
///
/// `C` is computed in blocks of output lines: it is a small part of the kept memory, and a larger
/// part of the work memory, in which the backward pass recomputes `C`. Larger blocks multiply
/// faster.
///
/// Parameters: `name.weight`, `kernel kernel in x out`, the window's positions line by line with
/// adjacent channels, normal with deviation `sqrt(2 / (kernel kernel in))` (K. He et al., 2015);
/// `name.bias`, `1 x out`, zero.
///
/// @param name of the parameters, before a dot and their own name
/// @param input shape of a sample
/// @param outChannels columns of `Y`
/// @param kernel size and steps of the window
/// @param biased whether there is a bias; see [#biased] and [#unbiased]
public record Convolution(String name, Shape input, int outChannels, Kernel kernel, boolean biased)
    implements Layer {
  /// A window over an image.
  ///
  /// @param size height and width in positions
  /// @param stride positions from one window to the next
  /// @param padding positions of zeros around the image
  public record Kernel(int size, int stride, int padding) {
    /// {@return a window with stride 1 that preserves the image size}
    ///
    /// @param size odd
    public static Kernel same(int size) {
      return new Kernel(size, 1, size / 2);
    }
  }

  /// Floats of a block of `C`, unless that were fewer rows than the other number.
  private static final int FORWARD_FLOATS = 1 << 18;

  private static final int FORWARD_ROWS = 256;
  private static final int BACKWARD_FLOATS = 1 << 20;
  private static final int BACKWARD_ROWS = 1024;

  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the window does not fit the image
  public Convolution {
    window(input, kernel);
    input.withChannels(outChannels);
  }

  /// {@return a convolution with a bias}
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input shape of a sample
  /// @param outChannels of the output
  /// @param kernel size and steps of the window
  /// @throws IllegalArgumentException if the window does not fit the image
  public static Convolution biased(String name, Shape input, int outChannels, Kernel kernel) {
    return new Convolution(name, input, outChannels, kernel, true);
  }

  /// {@return a convolution without a bias, for use before a normalisation with one}
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input shape of a sample
  /// @param outChannels of the output
  /// @param kernel size and steps of the window
  /// @throws IllegalArgumentException if the window does not fit the image
  public static Convolution unbiased(String name, Shape input, int outChannels, Kernel kernel) {
    return new Convolution(name, input, outChannels, kernel, false);
  }

  private static Window window(Shape input, Kernel kernel) {
    return new Window(
        input.height(),
        input.width(),
        input.channels(),
        kernel.size(),
        kernel.size(),
        kernel.stride(),
        kernel.padding());
  }

  private Window window() {
    return window(input, kernel);
  }

  @Override
  public Shape output() {
    return new Shape(window().outHeight(), window().outWidth(), outChannels);
  }

  /// {@return the name of its matrix, which has a column for each output channel}
  public String weight() {
    return name + ".weight";
  }

  /// Name of its bias.
  String bias() {
    return name + ".bias";
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    layout.add(weight(), window().covered(), outChannels, true);
    if (biased) {
      layout.add(bias(), 1, outChannels, false);
    }
  }

  @Override
  public void initialise(Initialisation weights) {
    weights.normal(weight(), Math.sqrt(2.0 / window().covered()));
  }

  /// Whether `C` is `X`.
  private boolean direct() {
    return kernel.equals(new Kernel(1, 1, 0));
  }

  private int lines(int samples) {
    return Math.multiplyExact(samples, output().height());
  }

  /// Lines of the output whose rows of `C` are made at a time.
  private int block(int samples, int floats, int rows) {
    int width = output().width();
    int wanted = Math.max(floats / window().covered() / width, Math.ceilDiv(rows, width));
    return Math.min(lines(samples), wanted);
  }

  private long columns(int lines) {
    return Pieces.elements((long) lines * output().width(), window().covered());
  }

  @Override
  public long keptElements(int samples) {
    long columns = direct() ? 0 : columns(block(samples, FORWARD_FLOATS, FORWARD_ROWS));
    return Batches.elements(output(), samples) + columns;
  }

  @Override
  public long workElements(int samples) {
    long columns = direct() ? 0 : columns(block(samples, BACKWARD_FLOATS, BACKWARD_ROWS));
    return columns + Pieces.elements(1, outChannels);
  }

  @Override
  public double operations() {
    return 2.0 * output().elements() * window().covered();
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    Pieces pieces = new Pieces(kept);
    DenseMatrix y = Batches.next(pieces, output(), pass.samples());
    Workers w = pass.kernels().workers();
    Weight weight = pass.state().parameter(weight());
    RowEpilogue epilogue = biased ? Epilogues.bias(pass.state().vector(bias())) : RowEpilogue.NONE;
    if (direct()) {
      weight.multiply(x, y, w, epilogue);
      return y;
    }
    int block = block(pass.samples(), FORWARD_FLOATS, FORWARD_ROWS);
    DenseMatrix memory = pieces.next((long) block * output().width(), window().covered());
    for (int first = 0; first < lines(pass.samples()); first += block) {
      DenseMatrix part = part(y, first, block);
      DenseMatrix columns = memory.rows(0, part.rows());
      window().gather(x, first, lines(part), columns, w);
      weight.multiply(columns, part, w, epilogue);
    }
    return y;
  }

  /// The rows of a block of lines of the output.
  private DenseMatrix part(DenseMatrix y, int first, int block) {
    long begin = (long) first * output().width();
    return y.rows(begin, Math.min(y.rows(), begin + (long) block * output().width()));
  }

  private int lines(DenseMatrix part) {
    return Math.toIntExact(part.rows() / output().width());
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    Pieces pieces = new Pieces(work);
    DenseMatrix sums = pieces.next(1, outChannels);
    if (biased) {
      Batches.addColumnSums(t, bias(), sums, pass);
    }
    Workers w = pass.kernels().workers();
    Weight weight = pass.state().parameter(weight());
    if (direct()) {
      weight.addGradient(x, t, w);
      if (g != null) {
        weight.multiplyTransposed(t, g, w, RowEpilogue.NONE);
      }
      return;
    }
    int block = block(pass.samples(), BACKWARD_FLOATS, BACKWARD_ROWS);
    DenseMatrix memory = pieces.next((long) block * output().width(), window().covered());
    if (g != null) {
      g.fill(0);
    }
    for (int first = 0; first < lines(pass.samples()); first += block) {
      DenseMatrix part = part(t, first, block);
      DenseMatrix columns = memory.rows(0, part.rows());
      window().gather(x, first, lines(part), columns, w);
      weight.addGradient(columns, part, w);
      if (g != null) {
        weight.multiplyTransposed(part, columns, w, RowEpilogue.NONE);
        window().scatter(columns, first, lines(part), g, w);
      }
    }
  }
}
