package dev.gossamer.gnn.fullgraph;

import dev.gossamer.exchange.ExchangeWidth;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.StackBounds;
import dev.gossamer.graph.Features;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.run.memory.BufferPlan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The plan of full-graph training of a network on a data set, from sizes alone: layers and their
/// order of products, parameters, buffers, memory.
///
/// @param network layers and parameters
/// @param aggregatesInput whether `Â X` is computed once before the first epoch and replaces `X`,
///   so that the first layer is a plain matmul forward and backward (exact, where MG approximates;
///   see [dev.gossamer.nn.layers.GraphConvolution]). Applies to dense features if neither they nor
///   edges are dropped, unless memory is short ([GraphProducts.Input]); sparse features stay
///   sparse, which is cheaper than a dense `Â X`
/// @param buffers all matrices with one row per vertex
public record NetworkPlan(Network network, boolean aggregatesInput, BufferPlan buffers) {
  /// Buffer name of the dense input that is not the data set's own: `Â X`, or `X` with dropout
  /// applied.
  static final String INPUT = "input";

  /// Columns that `Â X` is multiplied by at a time, at least, where it is done once and kept: a
  /// cache line of each row. Layers that aggregate more columns have buffers for more.
  private static final int LEAST_COLUMNS = 16;

  /// Plans a network for the vertices of one rank.
  ///
  /// @param features only kind and width are used
  /// @param size vertices of the rank, which are the targets; for layers that read edges also the
  ///   other vertices that it needs, and its edges
  /// @param classes outputs of the network
  /// @param settings shape of the network
  /// @param kept whether the first layer's product is stored
  /// @return the plan
  public static NetworkPlan of(
      Features features, PassSize size, int classes, NetworkSettings settings, Input kept) {
    boolean graph = settings.seesGraph();
    Features read = settings.input(features);
    boolean dense = read instanceof Features.Dense;
    boolean dropsInput = settings.inputDropout() > 0;
    boolean aggregatesInput =
        kept == Input.KEPT
            && graph
            && dense
            && !dropsInput
            && settings.edgeDropout() == 0
            && !settings.seesEdges()
            && !settings.projectsFirst();
    Network network =
        Network.of(
            settings,
            features.width(),
            classes,
            (l, in, out) -> {
              Order usual = settings.kind().order(in, out);
              if (l > 0 || !graph || settings.projectsFirst()) {
                return usual;
              }
              boolean keeps = kept == Input.RECOMPUTED && usual == Order.AGGREGATE_AND_KEEP;
              return aggregatesInput
                  ? Order.TRANSFORM_ONLY
                  : !dense || keeps ? Order.TRANSFORM_FIRST : usual;
            });
    int input = dense && (aggregatesInput || dropsInput) ? read.width() : 0;
    return new NetworkPlan(network, aggregatesInput, buffers(size, network, input));
  }

  /// MG's buffers, and one for a dense input that is not the data set's own.
  private static BufferPlan buffers(PassSize size, Network network, int input) {
    int layers = network.layers().size();
    List<BufferPlan.Buffer> buffers =
        new ArrayList<>(StackBounds.buffers(network, Collections.nCopies(layers, size)));
    if (input > 0) {
      buffers.add(new BufferPlan.Buffer(INPUT, size.targets(), input));
    }
    return new BufferPlan(buffers);
  }

  /// {@return the width of exchanged rows: that of the inputs of aggregations in an epoch; a wider
  /// `Â X`, which is computed once, is exchanged in blocks}
  ///
  /// @param columns maximum columns of remote rows at a time
  public ExchangeWidth exchangeWidth(int columns) {
    List<GraphLayer> layers = network.layers();
    int widest = Math.max(1, layers.stream().mapToInt(GraphLayer::aggregatedWidth).max().orElse(1));
    int all = aggregatesInput ? Math.max(widest, layers.getFirst().in()) : widest;
    int usual = aggregatesInput ? Math.min(all, Math.max(widest, LEAST_COLUMNS)) : widest;
    return new ExchangeWidth(all, Math.min(usual, columns));
  }
}
