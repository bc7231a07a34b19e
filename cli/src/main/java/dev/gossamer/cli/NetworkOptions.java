package dev.gossamer.cli;

import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.network.NetworkSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that shape the network.
final class NetworkOptions {
  @Option(
      names = "--model",
      paramLabel = "MODEL",
      defaultValue = "gcn",
      description =
          "gcn (graph convolutions), sage (GraphSAGE, the mean over the neighbours), or mlp: the"
              + " layers of gcn without the graph, the baseline (default: ${DEFAULT-VALUE}).")
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
          "Width of the hidden layers: one for all, or one for each as 256,128 (default: ${DEFAULT-VALUE}).")
  List<Integer> hidden = List.of(64);

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
          "Scaling of the adjacency matrix: symmetric, row-mean or none (default: symmetric; row-mean for sage and --sampler sage).")
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
    Normalisation ofModel = sage ? Normalisation.ROW_MEAN : Normalisation.SYMMETRIC;
    Normalisation unsaid = usual == null ? ofModel : usual;
    try {
      return new NetworkSettings(
          kind,
          widths(),
          dropout,
          inputDropout,
          normalisation == null ? unsaid : normalisation,
          selfLoops == null ? !sage : selfLoops,
          decayFirstLayerOnly);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--" + e.getMessage(), e);
    }
  }

  private NetworkSettings.Model kind() {
    return switch (model) {
      case "gcn" -> NetworkSettings.Model.GCN;
      case "sage" -> NetworkSettings.Model.SAGE;
      case "mlp" -> NetworkSettings.Model.MLP;
      default ->
          throw new InvalidInputException("--model: expected gcn, sage or mlp, found " + model);
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
