package dev.gossamer.onnx;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.layers.AveragePool;
import dev.gossamer.pruned.layers.BatchNorm;
import dev.gossamer.pruned.layers.CausalAttention;
import dev.gossamer.pruned.layers.Convolution;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.DropoutLayer;
import dev.gossamer.pruned.layers.Flatten;
import dev.gossamer.pruned.layers.Gelu;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.layers.LayerNorm;
import dev.gossamer.pruned.layers.Linear;
import dev.gossamer.pruned.layers.MaxPool;
import dev.gossamer.pruned.layers.Relu;
import dev.gossamer.pruned.layers.Residual;
import dev.gossamer.pruned.layers.Sequence;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.layers.TiedHead;
import dev.gossamer.pruned.layers.TokenEmbedding;
import java.util.List;

/// The layers of a pruned network, as their classes in `dev.gossamer.pruned` compute them in
/// evaluation. Values between layers have the dimensions `samples, positions, channels`, which are
/// those of the matrices of Gossamer; convolutions and pools see images, `samples, channels,
/// height, width`.
final class DenseLayers {
  private static final String SAMPLES = "samples";

  /// What a person reads in the file.
  static final String WORDS =
      "A network of Gossamer. Texts are numbers of tokens; images are pixels, standardised by the mean and the deviation of each channel in the training part.";

  private final OnnxGraph graph;

  private DenseLayers(OnnxGraph graph) {
    this.graph = graph;
  }

  /// {@return the graph of a network}
  static OnnxGraph graph(PrunedModel model) {
    OnnxGraph graph = new OnnxGraph(model.values());
    LayerNetwork network = model.architecture().network(0);
    DenseLayers layers = new DenseLayers(graph);
    Shape in = network.input();
    Shape out = network.output();
    switch (model.architecture()) {
      case DenseArchitecture.Text _ -> {
        Value tokens = graph.input("tokens", DataType.INT64, SAMPLES, in.height());
        Value logits = layers.all(network.blocks(), tokens);
        graph.output("logits", logits, SAMPLES, out.height(), out.channels());
        graph.output("probabilities", logits.softmax(), SAMPLES, out.height(), out.channels());
      }
      case DenseArchitecture.Images _ -> {
        Value images =
            graph.input("images", DataType.FLOAT, SAMPLES, in.height(), in.width(), in.channels());
        Value rows = images.reshaped(-1, in.positions(), in.channels());
        Value logits = layers.all(network.blocks(), rows).reshaped(-1, out.channels());
        graph.output("logits", logits, SAMPLES, out.channels());
        graph.output("probabilities", logits.softmax(), SAMPLES, out.channels());
      }
    }
    return graph;
  }

  private Value all(List<Layer> layers, Value x) {
    Value y = x;
    for (Layer layer : layers) {
      y = of(layer, y);
    }
    return y;
  }

  private Value of(Layer layer, Value x) {
    return switch (layer) {
      case Sequence sequence -> all(sequence.layers(), x);
      case Residual residual -> {
        Value past = residual.shortcut() == null ? x : of(residual.shortcut(), x);
        yield of(residual.body(), x).plus(past);
      }
      case Linear linear -> linear(linear, x);
      case TokenEmbedding embedding -> {
        graph.enter(embedding.name());
        yield graph
            .matrix(embedding.name() + ".tokens")
            .gather(x)
            .plus(graph.matrix(embedding.name() + ".positions"));
      }
      case TiedHead head -> {
        graph.enter("head");
        yield x.matmul(graph.matrix(head.tokens()).transposed(1, 0));
      }
      case LayerNorm norm -> {
        graph.enter(norm.name());
        yield x.layerNormalised(
            graph.vector(norm.name() + ".gain"),
            graph.vector(norm.name() + ".bias"),
            norm.epsilon());
      }
      case CausalAttention attention -> attended(attention, x);
      case Convolution convolution -> convolved(convolution, x);
      case BatchNorm norm -> normalised(norm, x);
      case MaxPool pool ->
          asRows(
              graph.node(
                  "MaxPool",
                  List.of(asImage(x, pool.input())),
                  window(pool.size(), pool.size()),
                  strides(pool.stride()),
                  pads(pool.padding())),
              pool.output());
      case AveragePool pool ->
          asRows(
              graph.node(
                  "AveragePool",
                  List.of(asImage(x, pool.input())),
                  window(pool.height(), pool.width()),
                  strides(pool.stride())),
              pool.output());
      case Flatten flatten -> x.reshaped(-1, 1, flatten.output().channels());
      case Relu _ -> x.mapped("Relu");
      case Gelu _ -> x.gelu();
      case DropoutLayer _ -> x;
    };
  }

  private Value linear(Linear linear, Value x) {
    graph.enter(linear.name());
    Value y = x.matmul(graph.matrix(linear.name() + ".weight"));
    return linear.biased() ? y.plus(graph.vector(linear.name() + ".bias")) : y;
  }

  /// Rows of a matrix are the positions of the window, line by line, with adjacent channels.
  private Value convolved(Convolution convolution, Value x) {
    String name = convolution.name();
    graph.enter(name);
    int size = convolution.kernel().size();
    Value weight =
        graph
            .matrix(name + ".weight")
            .reshaped(size, size, convolution.input().channels(), convolution.outChannels())
            .transposed(3, 2, 0, 1);
    Value image = asImage(x, convolution.input());
    List<Value> operands =
        convolution.biased()
            ? List.of(image, weight, graph.vector(name + ".bias"))
            : List.of(image, weight);
    Value y =
        graph.node(
            "Conv",
            operands,
            window(size, size),
            strides(convolution.kernel().stride()),
            pads(convolution.kernel().padding()));
    return asRows(y, convolution.output());
  }

  private Value normalised(BatchNorm norm, Value x) {
    String name = norm.name();
    graph.enter(name);
    Value y =
        graph.node(
            "BatchNormalization",
            List.of(
                x.transposed(0, 2, 1),
                graph.vector(name + ".gain"),
                graph.vector(name + ".bias"),
                graph.vector(name + ".mean"),
                graph.vector(name + ".variance")),
            OnnxGraph.attribute("epsilon", norm.epsilon()));
    return y.transposed(0, 2, 1);
  }

  private static Value asImage(Value rows, Shape shape) {
    return rows.reshaped(-1, shape.height(), shape.width(), shape.channels())
        .transposed(0, 3, 1, 2);
  }

  private static Value asRows(Value image, Shape shape) {
    return image.transposed(0, 2, 3, 1).reshaped(-1, shape.positions(), shape.channels());
  }

  private static AttributeProto window(long height, long width) {
    return OnnxGraph.attribute("kernel_shape", new long[] {height, width});
  }

  private static AttributeProto strides(long stride) {
    return OnnxGraph.attribute("strides", new long[] {stride, stride});
  }

  private static AttributeProto pads(long padding) {
    return OnnxGraph.attribute("pads", new long[] {padding, padding, padding, padding});
  }

  private Value attended(CausalAttention attention, Value x) {
    String name = attention.name();
    graph.enter(name);
    int heads = attention.heads();
    int width = attention.headWidth();
    int length = attention.input().positions();
    Value all = x.matmul(graph.matrix(name + ".in.weight")).plus(graph.vector(name + ".in.bias"));
    // Queries, keys and values: samples, heads, positions, width.
    List<Value> parts =
        graph.split(all, 3).stream()
            .map(part -> part.reshaped(-1, length, heads, width).transposed(0, 2, 1, 3))
            .toList();
    Value scores =
        parts.get(0).matmul(parts.get(1).transposed(0, 1, 3, 2)).times(1 / Math.sqrt(width));
    Value seen = graph.node("Trilu", List.of(ones(length)), OnnxGraph.attribute("upper", 0));
    Value causal =
        graph.node("Where", seen.as(DataType.BOOL), scores, graph.number(Float.NEGATIVE_INFINITY));
    Value sums = causal.softmax().matmul(parts.get(2)).transposed(0, 2, 1, 3);
    return sums.reshaped(-1, length, (long) heads * width)
        .matmul(graph.matrix(name + ".out.weight"))
        .plus(graph.vector(name + ".out.bias"));
  }

  private Value ones(int length) {
    return graph.node("Expand", graph.number(1), graph.integers(length, length));
  }
}
