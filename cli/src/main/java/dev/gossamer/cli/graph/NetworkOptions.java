package dev.gossamer.cli.graph;

import dev.gossamer.Architecture;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerKinds;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the network.
final class NetworkOptions {
  /// Names of layers for help texts and completion.
  static final class LayerNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return LayerKinds.names().iterator();
    }
  }

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      defaultValue = "gcn",
      description =
          "Kind of layer: ${COMPLETION-CANDIDATES}; rgcn and rsage tell types of edges apart; sgc and sign compute hops of the"
              + " features once, before training; mlp is gcn without the graph, the baseline (default:"
              + " ${DEFAULT-VALUE}).",
      completionCandidates = LayerNames.class)
  String model = "gcn";

  @Option(
      names = "--layers",
      paramLabel = "L",
      description =
          "Number of layers, including the output layer (default: 2, with sgc 1, or as implied by --hidden); of appnp, of"
              + " its perceptron.")
  @Nullable Integer layers;

  @Option(
      names = "--hidden",
      paramLabel = "WIDTH",
      split = ",",
      description =
          "Width of the hidden layers (with gat, of all heads together; with gcnii, of its convolutions; with sign, of the"
              + " first for each hop): one number for all, or one for each, as 256,128 (default: "
              + NetworkSettings.DEFAULT_HIDDEN
              + ").")
  @Nullable List<Integer> hidden;

  @Option(
      names = "--heads",
      paramLabel = "K",
      description =
          "Heads of gat, concatenated in a hidden layer and averaged in the last (default: 4).")
  @Nullable Integer heads;

  @Option(
      names = "--gat-variant",
      paramLabel = "KIND",
      description =
          "mb (bias and ReLU before attention), standard (attention first) or v2 (GATv2, dynamic attention) (default: mb).")
  @Nullable Variant gatVariant;

  @Option(
      names = "--attention-dropout",
      paramLabel = "RATE",
      description = "Fraction of gat's attention coefficients dropped in training (default: 0).")
  @Nullable Double attentionDropout;

  @Option(
      names = "--bases",
      paramLabel = "B",
      description =
          "Weights that those of rgcn's relations are made of, at most; there are never more than"
              + " relations (default: 4).")
  @Nullable Integer bases;

  @Option(
      names = "--hops",
      paramLabel = "K",
      description =
          "Propagations of appnp (default: 10), or of the features in sgc and sign (default: 2).")
  @Nullable Integer hops;

  @Option(
      names = "--teleport",
      paramLabel = "SHARE",
      description =
          "Share of what a vertex's own features give in each propagation of appnp and each convolution of gcnii"
              + " (default: 0.1).")
  @Nullable Double teleport;

  @Option(
      names = "--lambda",
      paramLabel = "STRENGTH",
      description =
          "Strength of the weights in gcnii, at most 1.718: they have a share of log(STRENGTH / l + 1) in convolution l"
              + " (default: 0.5).")
  @Nullable Double lambda;

  @Option(
      names = "--activation",
      paramLabel = "KIND",
      description =
          "Function after each hidden layer: relu, elu, gelu, or prelu, whose slope is trained (default: relu; elu for the"
              + " variants standard and v2 of gat).")
  Activation.@Nullable Function activation;

  @Option(
      names = "--norm",
      paramLabel = "KIND",
      defaultValue = "none",
      description =
          "Normalisation of each hidden layer before its activation: none, layer or batch (default:"
              + " ${DEFAULT-VALUE}).")
  Norm norm = Norm.NONE;

  @Option(
      names = "--residual",
      description =
          "Add the input of each hidden layer to its output, of the first only with --input-projection; hidden layers have"
              + " one width.")
  boolean residual;

  @Option(
      names = "--jumping",
      paramLabel = "KIND",
      defaultValue = "none",
      description =
          "Compute the outputs from all layers, which then are hidden ones: from their outputs side by side (concat), or"
              + " from the maximum or the sum of these, if they have one width: none, concat, max or sum (default:"
              + " ${DEFAULT-VALUE}).")
  Jumping jumping = Jumping.NONE;

  @Option(
      names = "--input-projection",
      description =
          "Put a dense layer before the first layer, as wide as that, with the activation and dropout of hidden layers.")
  boolean inputProjection;

  @Option(
      names = "--feed-forward",
      description =
          "Put a dense layer after the activation of each hidden layer, before its residual connection.")
  boolean feedForward;

  @Option(
      names = "--decoder",
      paramLabel = "KIND",
      description =
          "How edges follow from the vectors of vertices, with --task links: dot, or with weights for each type of edges"
              + " distmult, bilinear or mlp (default: dot; bilinear for several types).")
  LinkDecoder.@Nullable Kind decoder;

  @Option(
      names = "--dropout",
      paramLabel = "RATE",
      defaultValue = "0.5",
      description =
          "Fraction of hidden activations dropped in training (default: ${DEFAULT-VALUE}).")
  double dropout;

  @Option(
      names = "--input-dropout",
      paramLabel = "RATE",
      description =
          "Fraction of input features dropped in training (default: 0.2 for sage with sparse features in minibatches,"
              + " else 0).")
  @Nullable Double inputDropout;

  @Option(
      names = "--edge-dropout",
      paramLabel = "RATE",
      defaultValue = "0",
      description =
          "Fraction of edges dropped in each step of training, both directions of an edge together (default:"
              + " ${DEFAULT-VALUE}).")
  double edgeDropout;

  @Option(
      names = "--normalisation",
      paramLabel = "KIND",
      description =
          "Scaling of the adjacency matrix: symmetric, row-mean or none (default: symmetric;"
              + " row-mean for sage and --sampler sage; none for gin); not for gat, rgcn and rsage.")
  @Nullable Normalisation normalisation;

  @Option(
      names = "--self-loops",
      negatable = true,
      fallbackValue = "true",
      description =
          "Add a self loop to every vertex (default: true; false for sage, rgcn and rsage).")
  @Nullable Boolean selfLoops;

  /// Returns the settings of the flags.
  Architecture architecture(Architecture.FeatureScaling scaling) {
    return new Architecture(
            kind(),
            widths(),
            new Architecture.DropoutRates(dropout, inputDropout, edgeDropout),
            new Architecture.View(normalisation, selfLoops),
            scaling,
            new Finish(activation, norm, residual)
                .withJumping(jumping)
                .withInputProjection(inputProjection)
                .withFeedForward(feedForward))
        .withDecoder(decoder);
  }

  private LayerKind kind() {
    Map<String, String> options = new LinkedHashMap<>();
    put(options, "heads", heads);
    put(options, "gatVariant", gatVariant);
    put(options, "attentionDropout", attentionDropout);
    put(options, "bases", bases);
    put(options, "hops", hops);
    put(options, "teleport", teleport);
    put(options, "lambda", lambda);
    return LayerKinds.named(model, options);
  }

  private static void put(Map<String, String> options, String name, @Nullable Object value) {
    if (value != null) {
      options.put(name, value.toString());
    }
  }

  /// Returns the name of the default sampler.
  String usualSampler() {
    return Samplers.usualName(kind().sight() != LayerKind.Sight.NONE);
  }

  /// Returns the number of layers that a sampler draws neighbours for, including the output layer.
  int layerCount() {
    return kind().widths(widths(), 1).size();
  }

  private List<Integer> widths() {
    Integer count = layers == null && hidden == null ? (Integer) kind().usualLayers() : layers;
    return Architecture.widths(
        count, hidden == null ? List.of(NetworkSettings.DEFAULT_HIDDEN) : hidden);
  }
}
