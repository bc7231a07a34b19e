package dev.gossamer.pruned.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Rebuilds layers with fewer units.
///
/// @param widths units by the name of the layer; others are unchanged
record Resizing(Map<String, Integer> widths) {
  /// The layer for another input.
  Layer of(Layer layer, Shape input) {
    return switch (layer) {
      case Sequence sequence -> new Sequence(all(sequence.layers(), input));
      case Residual residual ->
          new Residual(
              of(residual.body(), input),
              residual.shortcut() == null ? null : of(residual.shortcut(), input));
      case Convolution c ->
          new Convolution(
              c.name(), input, width(c.name(), c.outChannels()), c.kernel(), c.biased());
      case Linear l ->
          new Linear(l.name(), input, width(l.name(), l.outChannels()), l.biased(), l.deviation());
      case CausalAttention attention ->
          attention.withHeads(width(attention.name(), attention.heads()));
      case BatchNorm norm -> new BatchNorm(norm.name(), input, norm.epsilon());
      case Relu _ -> new Relu(input);
      case Gelu _ -> new Gelu(input);
      case DropoutLayer d -> new DropoutLayer(input, d.seed(), d.stream(), d.rate());
      case MaxPool p -> new MaxPool(input, p.size(), p.stride(), p.padding());
      case AveragePool p -> new AveragePool(input, p.height(), p.width(), p.stride());
      case Flatten _ -> new Flatten(input);
      case TokenEmbedding _, LayerNorm _, TiedHead _ -> layer;
    };
  }

  /// Layers one after the other.
  List<Layer> all(List<Layer> layers, Shape input) {
    List<Layer> resized = new ArrayList<>();
    Shape next = input;
    for (Layer each : layers) {
      resized.add(of(each, next));
      next = resized.getLast().output();
    }
    return resized;
  }

  private int width(String name, int usual) {
    return widths.getOrDefault(name, usual);
  }
}
