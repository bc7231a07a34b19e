package dev.gossamer.fullgraph;

import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.Spmm;
import dev.gossamer.nn.GraphConvolution;
import dev.gossamer.nn.GraphConvolution.Order;
import dev.gossamer.nn.ModelState;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.plan.BufferPlan;
import dev.gossamer.plan.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;

/// What full-graph training of a network on a data set consists of, decided from sizes alone:
/// layers and their order of products, parameters, buffers, memory.
///
/// @param layers first to last
/// @param aggregatesInput whether `Â X` is computed once, before the first epoch, and stands for
///   `X` from then on: then the first layer is a plain matmul forward and backward (exact, where MG
///   approximates; see [GraphConvolution]). For dense features that training does not drop; sparse
///   features stay sparse, which is cheaper than a dense `Â X`
/// @param layout the parameters
/// @param buffers everything with one row a vertex
public record NetworkPlan(
    List<GraphConvolution> layers,
    boolean aggregatesInput,
    ParameterLayout layout,
    BufferPlan buffers) {
  /// Resident bytes of a Java virtual machine with this program loaded, before any data: code,
  /// heap, threads.
  static final long RUNTIME_BYTES = 512L << 20;

  /// Buffer name of the dense input that is not the data set's own: `Â X`, or `X` with dropout
  /// applied.
  static final String INPUT = "input";

  static final String SHARED = "shared";

  /// Buffer name of a layer's output.
  static String layer(int l) {
    return "layer " + (l + 1);
  }

  /// Plans a network for a whole data set on one rank.
  public static NetworkPlan of(Dataset dataset, NetworkSettings settings) {
    return of(dataset.features(), dataset.vertices(), dataset.classes(), settings);
  }

  /// Plans a network for the vertices of one rank.
  ///
  /// @param features tells kind and width only
  /// @param rows vertices of the rank
  public static NetworkPlan of(
      Features features, long rows, int classes, NetworkSettings settings) {
    List<Integer> widths = new ArrayList<>(settings.hidden());
    widths.add(classes);
    boolean graph = settings.model() == NetworkSettings.Model.GCN;
    boolean dense = features instanceof Features.Dense;
    boolean dropsInput = settings.inputDropout() > 0;
    boolean aggregatesInput = graph && dense && !dropsInput;

    List<GraphConvolution> layers = new ArrayList<>();
    ParameterLayout.Builder layout = ParameterLayout.builder();
    int in = features.width();
    for (int l = 0; l < widths.size(); l++) {
      int out = widths.get(l);
      Order order = graph ? Order.cheapest(in, out) : Order.TRANSFORM_ONLY;
      if (l == 0 && graph) {
        order = aggregatesInput ? Order.TRANSFORM_ONLY : dense ? order : Order.TRANSFORM_FIRST;
      }
      GraphConvolution layer = new GraphConvolution("layers." + l, in, out, order);
      layer.declare(layout, l == 0 || !settings.decayFirstLayerOnly());
      layers.add(layer);
      in = out;
    }
    int shared = layers.stream().mapToInt(GraphConvolution::sharedWidth).max().orElse(0);
    int input = dense && (aggregatesInput || dropsInput) ? features.width() : 0;
    BufferPlan buffers = buffers(rows, widths, shared, input);
    return new NetworkPlan(List.copyOf(layers), aggregatesInput, layout.build(), buffers);
  }

  /// MG's buffers (MG, section 4.2): the output `H^l` of each layer and one shared by all; and one
  /// for a dense input that is not the data set's own.
  private static BufferPlan buffers(long rows, List<Integer> widths, int shared, int input) {
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    for (int l = 0; l < widths.size(); l++) {
      buffers.add(new BufferPlan.Buffer(layer(l), rows, widths.get(l)));
    }
    buffers.add(new BufferPlan.Buffer(SHARED, rows, shared));
    if (input > 0) {
      buffers.add(new BufferPlan.Buffer(INPUT, rows, input));
    }
    return new BufferPlan(buffers);
  }

  /// The memory of a run with this plan.
  public MemoryEstimate memory(
      Dataset dataset, NetworkSettings settings, OptimizerRule rule, int threads) {
    CsrMatrix a = dataset.adjacency();
    boolean graph = settings.model() == NetworkSettings.Model.GCN;
    return MemoryEstimate.builder()
        .add("Java runtime", RUNTIME_BYTES)
        .add("graph", CsrMatrix.bytes(a.rows(), a.nnz(), a.values() != null))
        .add("features", featureBytes(dataset.features(), settings))
        .add("labels and split", dataset.vertices() * (2L * Integer.BYTES + 1))
        .add("normalised graph", graph ? Shard.propagation(dataset, settings).bytes() : 0)
        .add("sparse kernels", graph ? kernelBytes(dataset, settings) : 0)
        .add("buffers", buffers.bytes())
        .add("parameters and optimizer", stateBytes(rule))
        .add("thread scratch", (long) threads * Workers.SCRATCH_BYTES)
        .build();
  }

  /// Parameters, gradients, what the optimizer keeps, and the best parameters so far.
  long stateBytes(OptimizerRule rule) {
    return ModelState.bytes(layout) + Optimizer.bytes(rule, layout) + layout.count() * Float.BYTES;
  }

  /// Most columns that a layer passes to the aggregation.
  ///
  /// @param features columns of the input
  int widestAggregated(int features) {
    int widest = aggregatesInput ? features : 1;
    for (GraphConvolution layer : layers) {
      if (layer.order() != Order.TRANSFORM_ONLY) {
        widest = Math.max(widest, layer.sharedWidth());
      }
    }
    return widest;
  }

  /// What the products by `Â` and `Â^T` hold besides it; one product serves both if they are equal.
  private static long kernelBytes(Dataset dataset, NetworkSettings settings) {
    CsrMatrix a = dataset.adjacency();
    long nnz = a.nnz() + (settings.selfLoops() ? a.rows() : 0);
    boolean one = Shard.propagation(dataset, settings).isSymmetric();
    return (one ? 1 : 2) * Spmm.bytesAtMost(a.rows(), nnz, a.values() != null);
  }

  private static long featureBytes(Features features, NetworkSettings settings) {
    return switch (features) {
      case Features.Dense dense -> DenseMatrix.bytes(dense.x().rows(), dense.x().cols());
      case Features.Sparse sparse -> {
        CsrMatrix x = sparse.x();
        yield sparseFeatureBytes(x.rows(), x, x.nnz(), settings);
      }
      case Features.None none -> 0;
    };
  }

  /// Sparse features of some vertices, their transpose, and the values that dropout draws.
  static long sparseFeatureBytes(long rows, CsrMatrix x, long nnz, NetworkSettings settings) {
    boolean values = x.values() != null || settings.inputDropout() > 0;
    return CsrMatrix.bytes(rows, nnz, x.values() != null)
        + CsrMatrix.bytes(x.cols(), nnz, values)
        + (settings.inputDropout() > 0 ? nnz * Float.BYTES : 0);
  }
}
