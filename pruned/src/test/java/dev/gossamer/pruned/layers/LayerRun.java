package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/// A layer with memory for passes of so many samples. What a layer must overwrite before it reads
/// it begins as NaN.
final class LayerRun implements AutoCloseable {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final Arena arena = Arena.ofShared();
  private final Workers workers;
  private final int samples;
  private final DenseMatrix kept;
  private final DenseMatrix work;
  final Layer layer;
  final DenseState state;
  final Statistics statistics;
  final DenseMatrix x;
  final DenseMatrix t;
  final DenseMatrix g;

  LayerRun(Layer layer, int samples, int threads) {
    this.layer = layer;
    this.samples = samples;
    workers = new Workers(threads);
    ParameterLayout.Builder layout = ParameterLayout.builder();
    layer.declare(layout);
    state = new DenseState(arena, layout.build());
    ParameterLayout.Builder averaged = ParameterLayout.builder();
    layer.declareStatistics(averaged);
    statistics = new Statistics(arena, averaged.build());
    kept = DenseMatrix.allocate(arena, layer.keptElements(samples), 1);
    work = DenseMatrix.allocate(arena, layer.workElements(samples), 1);
    x = batch(layer.input());
    t = batch(layer.output());
    g = batch(layer.input());
    kept.fill(Float.NaN);
  }

  private DenseMatrix batch(Shape shape) {
    return DenseMatrix.allocate(arena, (long) samples * shape.positions(), shape.channels());
  }

  /// Gives every parameter an element of `[-1, 1)`.
  void randomParameters(long seed) {
    Random random = new Random(seed);
    for (long i = 0; i < state.layout().count(); i++) {
      state.weights().setAtIndex(FLOAT, i, 2 * random.nextFloat() - 1);
    }
  }

  Workers workers() {
    return workers;
  }

  /// @param firstSample of the batch of all ranks
  Pass pass(long firstSample, boolean training) {
    Kernels kernels = new Kernels(workers, Matmul.java());
    return new Pass(state, statistics, kernels, new Microbatch(samples, firstSample, 7, training));
  }

  DenseMatrix forward(boolean training) {
    return forward(3, training);
  }

  DenseMatrix forward(long firstSample, boolean training) {
    return layer.forward(x, kept, pass(firstSample, training));
  }

  /// Overwrites [#g], adds to the gradients of the parameters.
  void backward() {
    g.fill(Float.NaN);
    work.fill(Float.NaN);
    layer.backward(x, kept, t, g, work, pass(3, true));
  }

  /// The backward pass of a first layer.
  void backwardWithoutInput() {
    work.fill(Float.NaN);
    layer.backward(x, kept, t, null, work, pass(3, true));
  }

  @Override
  public void close() {
    workers.close();
    arena.close();
  }
}
