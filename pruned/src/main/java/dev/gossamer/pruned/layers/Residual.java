package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Elementwise;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ParameterLayout;
import org.jspecify.annotations.Nullable;

/// `y = body(x) + shortcut(x)`, or `y = body(x) + x`. Backward: both get the gradient of `y`, and
/// their input gradients are added.
///
/// @param body layers parallel to the shortcut
/// @param shortcut null for the identity
public record Residual(Layer body, @Nullable Layer shortcut) implements Layer {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the shapes do not fit
  public Residual {
    Shape in = shortcut == null ? body.input() : shortcut.input();
    Shape out = shortcut == null ? body.input() : shortcut.output();
    if (!in.equals(body.input()) || !out.equals(body.output())) {
      throw new IllegalArgumentException(
          "residual: the body makes %s of %s but the shortcut makes %s of %s"
              .formatted(body.output(), body.input(), out, in));
    }
  }

  /// Creates a residual layer with the identity as its shortcut.
  ///
  /// @param body layers parallel to the shortcut
  public Residual(Layer body) {
    this(body, null);
  }

  @Override
  public Shape input() {
    return body.input();
  }

  @Override
  public Shape output() {
    return body.output();
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    body.declare(layout);
    if (shortcut != null) {
      shortcut.declare(layout);
    }
  }

  @Override
  public void initialise(Initialisation weights) {
    body.initialise(weights);
    if (shortcut != null) {
      shortcut.initialise(weights);
    }
  }

  @Override
  public void declareStatistics(ParameterLayout.Builder layout) {
    body.declareStatistics(layout);
    if (shortcut != null) {
      shortcut.declareStatistics(layout);
    }
  }

  @Override
  public long keptElements(int samples) {
    return Batches.elements(output(), samples)
        + body.keptElements(samples)
        + (shortcut == null ? 0 : shortcut.keptElements(samples));
  }

  @Override
  public long workElements(int samples) {
    long bodyWork = body.workElements(samples);
    return shortcut == null
        ? bodyWork
        : Batches.elements(input(), samples) + Math.max(bodyWork, shortcut.workElements(samples));
  }

  @Override
  public double operations() {
    return body.operations() + (shortcut == null ? 0 : shortcut.operations());
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    Pieces pieces = new Pieces(kept);
    DenseMatrix y = Batches.next(pieces, output(), pass.samples());
    DenseMatrix through = body.forward(x, bodyKept(pieces, pass), pass);
    DenseMatrix past =
        shortcut == null ? x : shortcut.forward(x, shortcutKept(pieces, shortcut, pass), pass);
    Elementwise.add(through, past, y, pass.kernels().workers());
    return y;
  }

  private DenseMatrix bodyKept(Pieces pieces, Pass pass) {
    return pieces.next(body.keptElements(pass.samples()), 1);
  }

  private static DenseMatrix shortcutKept(Pieces pieces, Layer shortcut, Pass pass) {
    return pieces.next(shortcut.keptElements(pass.samples()), 1);
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    Pieces pieces = new Pieces(kept);
    Batches.next(pieces, output(), pass.samples());
    DenseMatrix through = bodyKept(pieces, pass);
    if (shortcut == null) {
      body.backward(x, through, t, g, work, pass);
      if (g != null) {
        Elementwise.add(g, t, g, pass.kernels().workers());
      }
      return;
    }
    Pieces own = new Pieces(work);
    DenseMatrix past = Batches.next(own, input(), pass.samples());
    DenseMatrix inner =
        own.next(workElements(pass.samples()) - Batches.elements(input(), pass.samples()), 1);
    body.backward(x, through, t, g, inner, pass);
    DenseMatrix shortcutKept = shortcutKept(pieces, shortcut, pass);
    shortcut.backward(x, shortcutKept, t, g == null ? null : past, inner, pass);
    if (g != null) {
      Elementwise.add(g, past, g, pass.kernels().workers());
    }
  }
}
