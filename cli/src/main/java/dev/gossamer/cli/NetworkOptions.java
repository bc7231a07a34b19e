package dev.gossamer.cli;

import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.GraphAttention.Variant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that shape the network.
final class NetworkOptions {
  private static final int HEADS = 4;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      defaultValue = "gcn",
      description =
          "gcn (graph convolutions), sage (GraphSAGE, the mean over the neighbours), gat (graph"
              + " attention), or mlp: the layers of gcn without the graph, the baseline (default:"
              + " ${DEFAULT-VALUE}).")
  String model = "gcn";

  @Option(
      names = "--layers",
      paramLabel = "L",
      description = "Layers, the output layer included (default: 2, or as --hidden says).")
  @Nullable Integer layers;

  @Option(
      names = "--hidden",
      paramLabel = "WIDTH",
      split = ",",
      defaultValue = "64",
      description =
          "Width of the hidden layers, with gat that of all heads together: one for all, or one for"
              + " each as 256,128 (default: ${DEFAULT-VALUE}).")
  List<Integer> hidden = List.of(64);

  @Option(
      names = "--heads",
      paramLabel = "K",
      description =
          "Heads of gat: side by side in a hidden layer, their mean in the last (default: 4).")
  @Nullable Integer heads;

  @Option(
      names = "--gat-variant",
      paramLabel = "KIND",
      description =
          "mb (bias and ReLU before attention) or standard (attention first) (default: mb).")
  @Nullable Variant gatVariant;

  @Option(
      names = "--attention-dropout",
      paramLabel = "RATE",
      description = "Share of gat's attention coefficients dropped in training (default: 0).")
  @Nullable Double attentionDropout;

  @Option(
      names = "--dropout",
      paramLabel = "RATE",
      defaultValue = "0.5",
      description = "Share of hidden activations dropped in training (default: ${DEFAULT-VALUE}).")
  double dropout;

  @Option(
      names = "--input-dropout",
      paramLabel = "RATE",
      defaultValue = "0",
      description = "Share of input features dropped in training (default: ${DEFAULT-VALUE}).")
  double inputDropout;

  @Option(
      names = "--normalisation",
      paramLabel = "KIND",
      description =
          "Scaling of the adjacency matrix: symmetric, row-mean or none (default: symmetric; row-mean"
              + " for sage and --sampler sage); not for gat.")
  @Nullable Normalisation normalisation;

  @Option(
      names = "--self-loops",
      negatable = true,
      fallbackValue = "true",
      description = "Make every vertex its own neighbour (default: true; false for sage).")
  @Nullable Boolean selfLoops;

  /// @param usual normalisation of a sampler, if its flag does not say, or null for the model's
  NetworkSettings settings(boolean decayFirstLayerOnly, @Nullable Normalisation usual) {
    NetworkSettings.Model kind = kind();
    boolean sage = kind == NetworkSettings.Model.SAGE;
    boolean gat = kind == NetworkSettings.Model.GAT;
    requireOwnFlags(gat);
    Normalisation ofModel = sage ? Normalisation.ROW_MEAN : Normalisation.SYMMETRIC;
    Normalisation unsaid = gat ? Normalisation.NONE : usual == null ? ofModel : usual;
    try {
      return new NetworkSettings(
          kind,
          widths(),
          dropout,
          inputDropout,
          normalisation == null ? unsaid : normalisation,
          selfLoops == null ? !sage : selfLoops,
          decayFirstLayerOnly,
          gat ? attention() : null);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--" + e.getMessage(), e);
    }
  }

  private NetworkSettings.Attention attention() {
    return new NetworkSettings.Attention(
        heads == null ? HEADS : heads,
        gatVariant == null ? Variant.MB : gatVariant,
        attentionDropout == null ? 0 : attentionDropout);
  }

  /// @throws InvalidInputException if a flag is given that the model does not read
  private void requireOwnFlags(boolean gat) {
    if (gat) {
      requireNone("--normalisation", normalisation, "gat weighs neighbours by attention");
      return;
    }
    String only = "a flag of --model gat";
    requireNone("--heads", heads, only);
    requireNone("--gat-variant", gatVariant, only);
    requireNone("--attention-dropout", attentionDropout, only);
  }

  private void requireNone(String flag, @Nullable Object value, String why) {
    if (value != null) {
      throw new InvalidInputException(
          "%s: %s; leave it out, found --model %s".formatted(flag, why, model));
    }
  }

  private NetworkSettings.Model kind() {
    return switch (model) {
      case "gcn" -> NetworkSettings.Model.GCN;
      case "sage" -> NetworkSettings.Model.SAGE;
      case "gat" -> NetworkSettings.Model.GAT;
      case "mlp" -> NetworkSettings.Model.MLP;
      default ->
          throw new InvalidInputException(
              "--model: expected gcn, sage, gat or mlp, found " + model);
    };
  }

  private List<Integer> widths() {
    int hiddenLayers = layers == null ? hidden.size() : layers - 1;
    if (hiddenLayers < 0) {
      throw new InvalidInputException("--layers: expected at least 1, found " + layers);
    }
    if (hidden.size() == 1) {
      List<Integer> widths = new ArrayList<>();
      for (int i = 0; i < hiddenLayers; i++) {
        widths.add(hidden.getFirst());
      }
      return widths;
    }
    if (hidden.size() != hiddenLayers) {
      throw new InvalidInputException(
          "--hidden: expected 1 or %d widths for %d layers, found %d"
              .formatted(hiddenLayers, hiddenLayers + 1, hidden.size()));
    }
    return hidden;
  }
}
