package dev.gossamer.onnx;

import dev.gossamer.ModelDescription;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.gnn.stack.Hops;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Relations;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.DynamicGraphAttention;
import dev.gossamer.nn.layers.GraphAttention;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.GraphConvolution;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.HopProjection;
import dev.gossamer.nn.layers.InitialResidualConvolution;
import dev.gossamer.nn.layers.IsomorphismConvolution;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.layers.PersonalizedPropagation;
import dev.gossamer.nn.layers.Projection;
import dev.gossamer.nn.layers.RelationalConvolution;
import dev.gossamer.nn.layers.SageConvolution;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The layers of a graph network, as their classes in `dev.gossamer.nn` compute them in prediction
/// from all neighbours.
final class GraphLayers {
  /// Slope of the scores of attention below 0.
  private static final float SLOPE = 0.2f;

  /// Of normalisations.
  private static final float EPSILON = 1e-5f;

  private final OnnxGraph graph;
  private final ModelDescription description;
  private final NetworkSettings network;

  /// `Â`; null of a network that reads no edges, or their relations.
  private final @Nullable Entries edges;

  private final Entries.@Nullable Related relations;

  /// The rows that the first layer leaves for all later ones.
  private @Nullable Value carried;

  /// @param vertices `n`, `int64[1]`
  GraphLayers(OnnxGraph graph, ModelDescription description, Value vertices) {
    this.graph = graph;
    this.description = description;
    network = description.network();
    if (network.kind().edgeFeatures() > 0) {
      throw new InvalidInputException(
          "model: expected one that reads no features of edges, which the inputs of an ONNX file do not have, found %d features; train it on edges without features, or export --format safetensors"
              .formatted(network.kind().edgeFeatures()));
    }
    edges = edges(vertices);
    relations = network.seesRelations() ? related(vertices) : null;
  }

  private @Nullable Entries edges(Value vertices) {
    if (network.seesRelations() || (!network.seesGraph() && network.precomputed().isNone())) {
      return null;
    }
    ModelDescription.Edges trained = description.edges();
    if (trained == null) {
      throw new InvalidInputException(
          "model: expected one that says whether edges have a direction, found one of an earlier version; train it again with this version");
    }
    boolean weighted = trained.weighted() && network.kind().weighsEdges();
    Entries.Form form = new Entries.Form(trained.directed(), weighted, network.selfLoops());
    return Entries.of(graph, form, vertices).scaled(network.normalisation());
  }

  private Entries.Related related(Value vertices) {
    Relations known = new Relations(network.kind().relations(), List.of());
    return Entries.Related.of(graph, known.hasInverses(), known.names().size(), vertices);
  }

  private Entries edges() {
    return Objects.requireNonNull(edges, "edges");
  }

  /// {@return the outputs of the network, `n x outputs`}
  ///
  /// @param features `n x f`, scaled
  Value outputs(Value features) {
    int outputs = description.outputs().names().size();
    List<Integer> widths = network.graphWidths(outputs);
    List<Value> hidden = new ArrayList<>();
    int in = network.precomputed().width(description.features().width());
    Value h = hops(features);
    if (network.finish().inputProjection()) {
      in = network.hidden().getFirst();
      h = projected(h);
    }
    for (int l = 0; l < widths.size(); l++) {
      LayerKind kind = network.kind();
      boolean last = !network.isHidden(l);
      int out = widths.get(l);
      LayerKind.Place place = new LayerKind.Place(l, in, out, last, kind.order(in, out), network);
      graph.enter(place.name());
      Value z = layer(kind.layer(place), h);
      h = last ? z : finished(place, z, h);
      hidden.add(h);
      in = out;
    }
    return network.finish().jumps() ? jumped(hidden) : h;
  }

  /// What the first layer reads.
  private Value hops(Value features) {
    Hops hops = network.precomputed();
    graph.enter("hops");
    List<Value> all = new ArrayList<>(List.of(features));
    for (int k = 0; k < hops.count(); k++) {
      all.add(edges().product(all.getLast()));
    }
    return hops.blocks() == 1 ? all.getLast() : graph.concatenated(1, all);
  }

  /// What the first layer reads of a projection.
  private Value projected(Value features) {
    String name = "layers.0.projection";
    graph.enter(name);
    return activated(dense(features, name), Objects.requireNonNull(network.function(0)), name);
  }

  /// What follows a hidden layer.
  private Value finished(LayerKind.Place place, Value z, Value h) {
    String norm = place.name() + ".norm";
    Value normalised =
        switch (network.finish().norm()) {
          case NONE -> z;
          case LAYER ->
              z.layerNormalised(
                  graph.vector(norm + ".gain"), graph.vector(norm + ".bias"), EPSILON);
          case BATCH ->
              graph.node(
                  "BatchNormalization",
                  List.of(
                      z,
                      graph.vector(norm + ".gain"),
                      graph.vector(norm + ".bias"),
                      graph.vector(norm + ".mean"),
                      graph.vector(norm + ".variance")),
                  OnnxGraph.attribute("epsilon", EPSILON));
        };
    Activation.Function function = network.function(place.number());
    Value active = function == null ? normalised : activated(normalised, function, place.name());
    Value fed =
        network.finish().feedForward() ? dense(active, place.name() + ".feed_forward") : active;
    boolean adds = place.number() > 0 || network.finish().inputProjection();
    return network.finish().residual() && adds ? fed.plus(h) : fed;
  }

  /// @param layer prefix of a slope that is trained
  private Value activated(Value z, Activation.Function function, String layer) {
    return switch (function) {
      case RELU -> z.mapped("Relu");
      case ELU -> z.mapped("Elu");
      case GELU -> z.gelu();
      case PRELU -> graph.node("PRelu", List.of(z, graph.vector(layer + ".slope")));
    };
  }

  /// Within layers, of which none has a slope.
  private Value activated(Value z) {
    return activated(z, network.kind().activation(), "");
  }

  private Value jumped(List<Value> hidden) {
    String name = "layers.%d.jumping".formatted(hidden.size() - 1);
    Value combined =
        switch (network.finish().jumping()) {
          case NONE, CONCAT -> graph.concatenated(1, hidden);
          case MAX -> graph.node("Max", hidden);
          case SUM -> graph.node("Sum", hidden);
        };
    return dense(combined, name);
  }

  /// `H W + b`.
  private Value dense(Value h, String name) {
    return h.matmul(graph.matrix(name + ".weight")).plus(graph.vector(name + ".bias"));
  }

  private Value layer(GraphLayer layer, Value h) {
    return switch (layer) {
      case GraphConvolution gcn -> convolved(gcn, h);
      case SageConvolution sage ->
          h.matmul(graph.matrix(sage.name() + ".self_weight"))
              .plus(propagated(h, sage, ".neighbour_weight"))
              .plus(graph.vector(sage.name() + ".bias"));
      case IsomorphismConvolution gin ->
          dense(convolved(gin.first(), h).mapped("Relu"), gin.name() + ".output");
      case GraphAttention gat -> attended(gat, h);
      case DynamicGraphAttention gat -> attended(gat, h);
      case RelationalConvolution relational -> related(relational, h);
      case PersonalizedPropagation appnp -> propagated(appnp, h);
      case InitialResidualConvolution gcnii -> convolved(gcnii, h);
      case HopProjection sign -> projected(sign, h);
      default ->
          throw new InvalidInputException(
              "model: expected layers that can be written as ONNX, found %s"
                  .formatted(network.kind().name()));
    };
  }

  private Value convolved(GraphConvolution gcn, Value h) {
    return gcn.order() == Order.TRANSFORM_ONLY
        ? dense(h, gcn.name())
        : propagated(h, gcn, ".weight").plus(graph.vector(gcn.name() + ".bias"));
  }

  /// `Â H W`, in the order in which `Â` multiplies the narrower matrix.
  private Value propagated(Value h, GraphLayer layer, String suffix) {
    Value w = graph.matrix(layer.name() + suffix);
    return layer.in() < layer.out() ? edges().product(h).matmul(w) : edges().product(h.matmul(w));
  }

  private Value attended(GraphAttention gat, Value h) {
    int heads = gat.heads();
    Value biasless = h.matmul(graph.matrix(gat.name() + ".weight"));
    Value bias = graph.vector(gat.name() + ".bias");
    boolean early = gat.variant() == Variant.MB;
    Value biased = early ? biasless.plus(bias) : biasless;
    Value z = early && !gat.last() ? biased.mapped("Relu") : biased;
    Value rows = z.reshaped(-1, heads, gat.width());
    // Rows of the parameter: a vector for each head as a source, and then as a target.
    Value vectors = graph.matrix(gat.name() + ".attention").reshaped(2, heads, gat.width());
    Value sources = rows.times(vectors.gather(graph.integer(0))).summed(2);
    Value targets = rows.times(vectors.gather(graph.integer(1))).summed(2);
    Value scores = leaky(sources.gather(edges().sources()).plus(targets.gather(edges().targets())));
    Value sums = weighed(rows, scores, gat.last());
    return early ? sums : sums.plus(bias);
  }

  private Value attended(DynamicGraphAttention gat, Value h) {
    Value z = h.matmul(graph.matrix(gat.name() + ".weight"));
    Value rows = z.reshaped(-1, gat.heads(), gat.width());
    Value ends = rows.gather(edges().sources()).plus(rows.gather(edges().targets()));
    Value scores = leaky(ends).times(graph.matrix(gat.name() + ".attention")).summed(2);
    return weighed(rows, scores, gat.last()).plus(graph.vector(gat.name() + ".bias"));
  }

  private Value leaky(Value scores) {
    return graph.node("LeakyRelu", List.of(scores), OnnxGraph.attribute("alpha", SLOPE));
  }

  /// Sums of the rows of sources with the softmax of scores as weights: the heads side by side, or
  /// their mean.
  ///
  /// @param rows `n x heads x width`
  /// @param scores `m x heads`
  private Value weighed(Value rows, Value scores, boolean mean) {
    Value alpha = edges().softmax(scores).unsqueezed(2);
    Value weighed = rows.gather(edges().sources()).times(alpha);
    // Both sizes are known: -1 would be ambiguous without edges.
    Value sizes = graph.concatenated(0, List.of(scores.size(0), wide(rows)));
    Value sums = edges().summed(graph.node("Reshape", weighed, sizes));
    if (!mean) {
      return sums;
    }
    Value apart = graph.concatenated(0, List.of(sums.size(0), rows.size(1), rows.size(2)));
    return graph.node("Reshape", sums, apart).mean(1);
  }

  /// Columns of all heads, `int64[1]`.
  private static Value wide(Value rows) {
    return rows.size(1).times(rows.size(2));
  }

  private Value related(RelationalConvolution layer, Value h) {
    Entries.Related related = Objects.requireNonNull(relations, "relations");
    Entries entries = related.entries();
    Value count = graph.integer(layer.relations());
    Value self = h.matmul(graph.matrix(layer.name() + ".self_weight"));
    Value groups = entries.targets().times(count).plus(related.relations());
    Value ones = graph.node("Expand", graph.number(1), groups.unsqueezed(1).shape());
    Value numbers = graph.sums(ones, groups, entries.vertices().times(count)).gather(groups);
    Value messages =
        layer.isSeparate()
            ? separate(layer, h, entries.sources().times(count).plus(related.relations()))
                .over(numbers)
            : mixed(layer, h, related, numbers);
    return self.plus(entries.summed(messages)).plus(graph.vector(layer.name() + ".bias"));
  }

  /// The part of each entry's source that belongs to its relation.
  ///
  /// @param parts `source R + relation` of each entry
  private Value separate(RelationalConvolution layer, Value h, Value parts) {
    return h.matmul(graph.matrix(layer.name() + ".relation_weight"))
        .reshaped(-1, layer.out())
        .gather(parts);
  }

  /// The bases of each entry's source, mixed for its relation.
  private Value mixed(
      RelationalConvolution layer, Value h, Entries.Related related, Value numbers) {
    Value z =
        h.matmul(graph.matrix(layer.name() + ".basis_weight"))
            .reshaped(-1, layer.bases(), layer.out());
    Value weights =
        graph
            .matrix(layer.name() + ".coefficients")
            .gather(related.relations())
            .over(numbers)
            .unsqueezed(2);
    return z.gather(related.entries().sources()).times(weights).summed(1);
  }

  private Value propagated(PersonalizedPropagation appnp, Value h) {
    Projection first = appnp.first();
    Value z = first == null ? h : perceptron(first, h);
    Value p = carried == null ? z : carried;
    carried = p;
    return mixed(edges().product(z), p, appnp.teleport());
  }

  /// The last layer of the perceptron has no activation.
  private Value perceptron(Projection projection, Value h) {
    int layers = projection.widths().size() - 1;
    Value z = h;
    for (int i = 0; i < layers; i++) {
      Value next = dense(z, "%s.%d".formatted(projection.name(), i));
      z = i < layers - 1 ? activated(next) : next;
    }
    return z;
  }

  private static Value mixed(Value rows, Value others, double share) {
    return rows.times((float) (1 - share)).plus(others.times((float) share));
  }

  private Value convolved(InitialResidualConvolution gcnii, Value h) {
    Projection first = gcnii.first();
    Value z = first == null ? h : activated(perceptron(first, h));
    Value p = carried == null ? z : carried;
    carried = p;
    Value m = mixed(edges().product(z), p, gcnii.teleport());
    Value w = graph.matrix(gcnii.name() + ".weight");
    Value convolved = mixed(m, m.matmul(w), gcnii.identity());
    return gcnii.output() == null
        ? convolved
        : dense(activated(convolved), gcnii.name() + ".output");
  }

  private Value projected(HopProjection sign, Value h) {
    List<Value> hops = graph.split(h, sign.blocks());
    List<Value> products = new ArrayList<>();
    for (int k = 0; k < hops.size(); k++) {
      String weight = "%s.hop.%d.weight".formatted(sign.name(), k);
      products.add(hops.get(k).matmul(graph.matrix(weight)));
    }
    return graph.concatenated(1, products).plus(graph.vector(sign.name() + ".bias"));
  }
}
