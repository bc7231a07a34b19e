package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.Backward;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.Order;
import dev.gossamer.nn.PassSize;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;

/// What full-graph training of a network on a data set consists of, decided from sizes alone:
/// layers and their order of products, parameters, buffers, memory.
///
/// @param network layers and parameters
/// @param aggregatesInput whether `Â X` is computed once, before the first epoch, and stands for
///   `X` from then on: then the first layer is a plain matmul forward and backward (exact, where MG
///   approximates; see [dev.gossamer.nn.GraphConvolution]). For dense features that training does
///   not drop; sparse features stay sparse, which is cheaper than a dense `Â X`
/// @param buffers everything with one row a vertex
public record NetworkPlan(Network network, boolean aggregatesInput, BufferPlan buffers) {
  /// Buffer name of the dense input that is not the data set's own: `Â X`, or `X` with dropout
  /// applied.
  static final String INPUT = "input";

  static final String SHARED = "shared";

  /// Buffer name of a layer's output.
  static String layer(int l) {
    return "layer " + (l + 1);
  }

  /// Buffer name of what a layer keeps for its backward pass.
  static String kept(int l) {
    return "kept by layer " + (l + 1);
  }

  /// Plans a network for a whole data set on one rank.
  public static NetworkPlan of(GraphData dataset, NetworkSettings settings) {
    long n = dataset.vertices();
    long edges = settings.seesEdges() ? edges(dataset.adjacency(), settings) : 0;
    return of(dataset.features(), new PassSize(n, n, edges), dataset.classes(), settings);
  }

  /// Plans a network for the vertices of one rank.
  ///
  /// @param features tells kind and width only
  /// @param size vertices of the rank, the targets, and for layers that see edges those that it
  ///   needs besides, and its edges
  public static NetworkPlan of(
      Features features, PassSize size, int classes, NetworkSettings settings) {
    boolean graph = settings.seesGraph();
    boolean dense = features instanceof Features.Dense;
    boolean dropsInput = settings.inputDropout() > 0;
    boolean aggregatesInput = graph && dense && !dropsInput && !settings.seesEdges();
    Network network =
        Network.of(
            settings,
            features.width(),
            classes,
            (l, in, out) ->
                l == 0 && aggregatesInput
                    ? Order.TRANSFORM_ONLY
                    : l == 0 && graph && !dense ? Order.TRANSFORM_FIRST : order(settings, in, out));
    int input = dense && (aggregatesInput || dropsInput) ? features.width() : 0;
    return new NetworkPlan(network, aggregatesInput, buffers(size, network, input));
  }

  private static Order order(NetworkSettings settings, int in, int out) {
    return switch (settings.model()) {
      case GCN -> Order.cheapest(in, out);
      case SAGE -> Order.AGGREGATE_AND_KEEP;
      case GAT -> Order.TRANSFORM_FIRST;
      case MLP -> Order.TRANSFORM_ONLY;
    };
  }

  /// MG's buffers (MG, section 4.2): the output `H^l` of each layer and one shared by all; what a
  /// layer keeps for its backward pass; and one for a dense input that is not the data set's own.
  private static BufferPlan buffers(PassSize size, Network network, int input) {
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    long rows = size.targets();
    long shared = 0;
    for (int l = 0; l < network.layers().size(); l++) {
      GraphLayer layer = network.layers().get(l);
      buffers.add(new BufferPlan.Buffer(layer(l), rows, layer.out()));
      long kept = layer.keptElements(size);
      if (kept > 0) {
        buffers.add(BufferPlan.Buffer.ofElements(kept(l), rows, kept));
      }
      Backward backward = l > 0 ? Backward.INPUT : Backward.PARAMETERS;
      shared = Math.max(shared, layer.sharedElements(size, backward));
    }
    buffers.add(BufferPlan.Buffer.ofElements(SHARED, rows, shared));
    if (input > 0) {
      buffers.add(new BufferPlan.Buffer(INPUT, rows, input));
    }
    return new BufferPlan(buffers);
  }

  /// The memory of a run with this plan.
  public MemoryEstimate memory(
      GraphData dataset, NetworkSettings settings, OptimizerRule rule, int threads) {
    CsrMatrix a = dataset.adjacency();
    boolean graph = settings.seesGraph();
    return MemoryEstimate.builder()
        .add("Java runtime", MemoryEstimate.RUNTIME_BYTES)
        .add("graph", CsrMatrix.bytes(a.rows(), a.nnz(), a.values() != null))
        .add("features", featureBytes(dataset.features(), settings))
        .add("labels and split", dataset.vertices() * (2L * Integer.BYTES + 1))
        .add("normalised graph", graph ? settings.propagation(dataset).bytes() : 0)
        .add("sparse kernels", graph ? kernelBytes(dataset, settings) : 0)
        .add("buffers", buffers.bytes())
        .add("parameters and optimizer", network.stateBytes(rule))
        .add("thread scratch", (long) threads * Workers.SCRATCH_BYTES)
        .build();
  }

  /// Most columns that a layer passes to the aggregation.
  ///
  /// @param features columns of the input
  int widestAggregated(int features) {
    int first = aggregatesInput ? features : 1;
    int widest = network.layers().stream().mapToInt(GraphLayer::aggregatedWidth).max().orElse(0);
    return Math.max(first, widest);
  }

  /// Entries of `Â`, at most.
  private static long edges(CsrMatrix a, NetworkSettings settings) {
    return a.nnz() + (settings.selfLoops() ? a.rows() : 0);
  }

  /// What the products by `Â` and `Â^T` hold besides it, one for both if they are equal; with
  /// attention, the edges by their sources.
  private static long kernelBytes(GraphData dataset, NetworkSettings settings) {
    CsrMatrix a = dataset.adjacency();
    long nnz = edges(a, settings);
    boolean one = settings.propagation(dataset).isSymmetric();
    if (settings.seesEdges()) {
      return EdgePattern.transposedBytes(a.rows(), nnz, one);
    }
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
