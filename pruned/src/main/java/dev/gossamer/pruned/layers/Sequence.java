package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A chain of layers. Keeps the memory of each layer, that of the last one first; the backward pass
/// alternates between two gradient buffers, and needs the largest work memory of its layers.
///
/// @param layers at least one; the output of each has the shape of the next one's input
public record Sequence(List<Layer> layers) implements Layer {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if there is no layer or shapes do not fit
  public Sequence {
    layers = List.copyOf(layers);
    if (layers.isEmpty()) {
      throw new IllegalArgumentException("sequence: expected at least one layer");
    }
    for (int i = 1; i < layers.size(); i++) {
      if (!layers.get(i).input().equals(layers.get(i - 1).output())) {
        throw new IllegalArgumentException(
            "sequence: layer %d makes %s but layer %d takes %s"
                .formatted(i - 1, layers.get(i - 1).output(), i, layers.get(i).input()));
      }
    }
  }

  /// {@return a chain of layers}
  ///
  /// @param layers at least one
  /// @throws IllegalArgumentException if there is no layer or shapes do not fit
  public static Sequence of(Layer... layers) {
    return new Sequence(List.of(layers));
  }

  @Override
  public Shape input() {
    return layers.getFirst().input();
  }

  @Override
  public Shape output() {
    return layers.getLast().output();
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    layers.forEach(layer -> layer.declare(layout));
  }

  @Override
  public void initialise(Initialisation weights) {
    layers.forEach(layer -> layer.initialise(weights));
  }

  @Override
  public void declareStatistics(ParameterLayout.Builder layout) {
    layers.forEach(layer -> layer.declareStatistics(layout));
  }

  @Override
  public long keptElements(int samples) {
    return layers.stream().mapToLong(layer -> layer.keptElements(samples)).sum();
  }

  @Override
  public long workElements(int samples) {
    long inner = layers.stream().mapToLong(layer -> layer.workElements(samples)).max().orElse(0);
    return 2 * gradientElements(samples) + inner;
  }

  /// Elements of the largest gradient between two layers.
  private long gradientElements(int samples) {
    return layers.stream()
        .skip(1)
        .mapToLong(layer -> Batches.elements(layer.input(), samples))
        .max()
        .orElse(0);
  }

  @Override
  public double operations() {
    return layers.stream().mapToDouble(Layer::operations).sum();
  }

  /// What each layer keeps.
  private DenseMatrix[] kept(DenseMatrix memory, int samples) {
    Pieces pieces = new Pieces(memory);
    DenseMatrix[] kept = new DenseMatrix[layers.size()];
    for (int i = kept.length - 1; i >= 0; i--) {
      kept[i] = pieces.next(layers.get(i).keptElements(samples), 1);
    }
    return kept;
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix[] memory = kept(kept, pass.samples());
    DenseMatrix next = x;
    for (int i = 0; i < memory.length; i++) {
      next = layers.get(i).forward(next, memory[i], pass);
    }
    return next;
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    int samples = pass.samples();
    DenseMatrix[] memory = kept(kept, samples);
    Pieces pieces = new Pieces(work);
    DenseMatrix even = pieces.next(gradientElements(samples), 1);
    DenseMatrix odd = pieces.next(gradientElements(samples), 1);
    DenseMatrix inner = pieces.next(workElements(samples) - 2 * gradientElements(samples), 1);
    DenseMatrix above = t;
    for (int i = memory.length - 1; i > 0; i--) {
      Layer layer = layers.get(i);
      Shape shape = layer.input();
      DenseMatrix below =
          (i % 2 == 0 ? even : odd).reshaped(Batches.rows(shape, samples), shape.channels());
      DenseMatrix in = Batches.output(layers.get(i - 1), memory[i - 1], samples);
      layer.backward(in, memory[i], above, below, inner, pass);
      above = below;
    }
    layers.getFirst().backward(x, memory[0], above, g, inner, pass);
  }
}
