package dev.gossamer.pruned.layers;

import java.util.ArrayList;
import java.util.List;

/// The decoder of GPT-2 and GPT-3 (A. Radford et al., 2019; T. Brown et al., 2020) with dense
/// attention in every layer: token and position embedding; blocks `x + attention(norm(x))`, then `x
/// + mlp(norm(x))` with a hidden layer of four times the width and GELU; a final norm; and a head
///   without bias. The head has its own weights, `width x vocabulary`, or is the transposed token
///   embedding ([GptSettings#tiedHead]), which requires a pipeline of one stage.
///
/// Initial weights are normal with deviation 0.02, or `0.02 / sqrt(2 layers)` before a residual
/// sum.
public final class Gpt {
  private static final double DEVIATION = 0.02;

  private Gpt() {}

  /// {@return the network: a block for the embedding, one for each layer, one for the head}
  ///
  /// @param name of the network in log lines
  /// @param settings its sizes
  /// @param seed of dropout
  public static LayerNetwork of(String name, GptSettings settings, long seed) {
    List<Layer> blocks = new ArrayList<>();
    TokenEmbedding embedding =
        new TokenEmbedding(
            "embedding", settings.length(), settings.vocabulary(), settings.width(), DEVIATION);
    Shape shape = embedding.output();
    blocks.add(dropped(settings, seed, 0, List.of(embedding)));
    for (int i = 0; i < settings.layers(); i++) {
      blocks.add(block(settings, shape, i, seed));
    }
    blocks.add(
        Sequence.of(
            new LayerNorm("norm", shape),
            settings.tiedHead()
                ? new TiedHead(embedding.tokens(), shape, settings.vocabulary())
                : Linear.unbiased("head", shape, settings.vocabulary(), DEVIATION)));
    return new LayerNetwork(name, blocks);
  }

  private static Layer block(GptSettings settings, Shape shape, int layer, long seed) {
    String name = "blocks." + layer;
    double outDeviation = DEVIATION / Math.sqrt(2.0 * settings.layers());
    Shape hidden = shape.withChannels(4 * shape.channels());
    Layer norm = new LayerNorm(name + ".attention_norm", shape);
    Layer attention =
        new CausalAttention(name + ".attention", shape, settings.heads(), DEVIATION, outDeviation);
    List<Layer> perceptron =
        List.of(
            new LayerNorm(name + ".mlp_norm", shape),
            Linear.biased(name + ".mlp.in", shape, hidden.channels(), DEVIATION),
            new Gelu(hidden),
            Linear.biased(name + ".mlp.out", hidden, shape.channels(), outDeviation));
    return Sequence.of(
        new Residual(dropped(settings, seed, 2 * layer + 1, List.of(norm, attention))),
        new Residual(dropped(settings, seed, 2 * layer + 2, perceptron)));
  }

  /// Layers with dropout behind them, if there is any.
  private static Sequence dropped(GptSettings settings, long seed, int stream, List<Layer> layers) {
    if (settings.dropout() == 0) {
      return new Sequence(layers);
    }
    List<Layer> all = new ArrayList<>(layers);
    Shape shape = layers.getLast().output();
    all.add(new DropoutLayer(shape, seed, stream, settings.dropout()));
    return new Sequence(all);
  }
}
