package dev.gossamer.onnx;

import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import dev.gossamer.GraphModel;
import dev.gossamer.ModelDescription;
import dev.gossamer.ModelOutputs;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The graph of a model of a graph: its inputs, features as the network reads them, the network,
/// and what its outputs stand for.
final class GraphOutputs {
  private static final String VERTICES = "vertices";

  private final OnnxGraph graph;
  private final ModelDescription description;
  private final Map<String, Safetensors.Tensor> parameters;

  private GraphOutputs(OnnxGraph graph, GraphModel model, Map<String, Safetensors.Tensor> all) {
    this.graph = graph;
    description = model.description();
    parameters = all;
  }

  /// {@return the graph of a model}
  static OnnxGraph of(GraphModel model) {
    Map<String, Safetensors.Tensor> parameters = model.values();
    OnnxGraph graph = new OnnxGraph(parameters);
    new GraphOutputs(graph, model, parameters).add();
    return graph;
  }

  private void add() {
    int width = description.features().width();
    Value features = graph.input("features", DataType.FLOAT, VERTICES, width);
    GraphLayers layers = new GraphLayers(graph, description, features.size(0));
    Value z = layers.outputs(scaled(features));
    graph.enter("outputs");
    ModelOutputs outputs = description.outputs();
    int columns = outputs.names().size();
    switch (outputs.task()) {
      case CLASSIFICATION -> {
        graph.output("logits", z, VERTICES, columns);
        double temperature = outputs.decision().temperature();
        Value tempered = temperature == 1 ? z : z.times((float) (1 / temperature));
        graph.output("probabilities", tempered.softmax(), VERTICES, columns);
      }
      case MULTI_LABEL -> {
        graph.output("logits", z, VERTICES, columns);
        graph.output("probabilities", z.mapped("Sigmoid"), VERTICES, columns);
      }
      case REGRESSION -> graph.output("numbers", inUnits(z), VERTICES, columns);
      case LINKS -> {
        graph.output("embeddings", z, VERTICES, columns);
        Value scores = scores(z);
        graph.output("scores", scores, "pairs");
        graph.output("probabilities", scores.mapped("Sigmoid"), "pairs");
      }
    }
  }

  /// Features as the network reads them, computed in float64 as in data sets.
  private Value scaled(Value features) {
    graph.enter("features");
    return switch (description.features().scaling()) {
      case NONE -> features;
      case ROW -> {
        Value x = features.as(DataType.DOUBLE);
        Value sums = x.summed(1).unsqueezed(1);
        Value zero = graph.node("Equal", sums, graph.exactly(0));
        yield graph.node("Where", zero, x, x.over(sums)).as(DataType.FLOAT);
      }
      case STANDARD -> {
        Standardisation scale =
            Objects.requireNonNull(description.features().standard(), "standard");
        yield features
            .as(DataType.DOUBLE)
            .minus(graph.doubles("features.means", scale.means()))
            .over(graph.doubles("features.deviations", scale.deviations()))
            .as(DataType.FLOAT);
      }
    };
  }

  private Value inUnits(Value z) {
    Standardisation units = Objects.requireNonNull(description.outputs().units(), "units");
    return z.as(DataType.DOUBLE)
        .times(graph.doubles("units.deviations", units.deviations()))
        .plus(graph.doubles("units.means", units.means()))
        .as(DataType.FLOAT);
  }

  /// The scores of pairs of vertices by the decoder, for the inputs `pairs` and, of maps that
  /// depend on the type of an edge, `pair_types`.
  private Value scores(Value z) {
    Value pairs = graph.input("pairs", DataType.INT64, 2, "pairs");
    Value u = z.gather(pairs.gather(graph.integer(0)));
    Value v = z.gather(pairs.gather(graph.integer(1)));
    LinkDecoder decoder = description.network().decoder();
    if (decoder.isDot()) {
      return u.times(v).summed(1);
    }
    Value all = decoder.kind() == LinkDecoder.Kind.MLP ? layers(u, v) : maps(decoder, u, v);
    if (decoder.types().size() == 1) {
      return graph.node("Squeeze", all, graph.integers(1));
    }
    Value types = graph.input("pair_types", DataType.INT64, "pairs").unsqueezed(1);
    Value own = graph.node("GatherElements", List.of(all, types), OnnxGraph.attribute("axis", 1));
    return graph.node("Squeeze", own, graph.integers(1));
  }

  /// Scores of pairs (rows) as edges of each type (columns), by a map of each.
  private Value maps(LinkDecoder decoder, Value u, Value v) {
    List<Value> ofTypes = new ArrayList<>();
    for (int type = 0; type < decoder.types().size(); type++) {
      ofTypes.add(u.matmul(map(decoder, type)).times(v).summed(1).unsqueezed(1));
    }
    return ofTypes.size() == 1 ? ofTypes.getFirst() : graph.concatenated(1, ofTypes);
  }

  /// The same by two layers over the elementwise product.
  private Value layers(Value u, Value v) {
    Value hidden =
        u.times(v)
            .matmul(graph.matrix(LinkDecoder.HIDDEN_WEIGHT))
            .plus(graph.vector(LinkDecoder.HIDDEN_BIAS))
            .mapped("Relu");
    return hidden
        .matmul(graph.matrix(LinkDecoder.OUTPUT_WEIGHT).transposed(1, 0))
        .plus(graph.vector(LinkDecoder.OUTPUT_BIAS));
  }

  /// The decoder's map of a type.
  private Value map(LinkDecoder decoder, int type) {
    int width = description.outputs().names().size();
    DenseMatrix m = DenseMatrix.allocate(Arena.ofAuto(), width, width);
    decoder.map(decoder.group(type, false), this::matrix, m);
    return graph.constant("decoder.%d.map".formatted(type), m);
  }

  private DenseMatrix matrix(String name) {
    Safetensors.Tensor tensor = Objects.requireNonNull(parameters.get(name), name);
    long cols = tensor.shape().getLast();
    return DenseMatrix.wrap(tensor.data(), tensor.count() / cols, (int) cols);
  }
}
