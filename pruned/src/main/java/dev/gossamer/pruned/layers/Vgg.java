package dev.gossamer.pruned.layers;

import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.util.ArrayList;
import java.util.List;

/// The networks of K. Simonyan and A. Zisserman (*Very deep convolutional networks for large-scale
/// image recognition*, 2015): convolutions of 3 x 3 with ReLU, max pooling of 2 x 2 between groups,
/// then linear layers. Batch normalisation, which is newer, is optional.
public final class Vgg {
  /// Of the deviation `sqrt(2 / in)` that keeps the size of signals through ReLU.
  private static final double GAIN = 2;

  private Vgg() {}

  /// {@return the network: a block for each convolution, with its pooling if there is one, and for
  /// each linear layer}
  ///
  /// @param name of the network in log lines
  /// @param settings its sizes
  /// @param seed of dropout
  public static LayerNetwork of(String name, VggSettings settings, long seed) {
    List<Layer> blocks = new ArrayList<>();
    Shape shape = settings.input();
    for (int i = 0; i < settings.plan().size(); i++) {
      if (settings.plan().get(i) != VggSettings.POOL) {
        boolean pools =
            i + 1 < settings.plan().size() && settings.plan().get(i + 1) == VggSettings.POOL;
        blocks.add(convolution(settings, "convolutions." + blocks.size(), shape, i, pools));
        shape = blocks.getLast().output();
      }
    }
    addLinear(settings, shape, seed, blocks);
    return new LayerNetwork(name, blocks);
  }

  private static Layer convolution(
      VggSettings settings, String name, Shape input, int planned, boolean pools) {
    List<Layer> layers = new ArrayList<>();
    int channels = settings.plan().get(planned);
    Kernel kernel = Kernel.same(3);
    layers.add(
        settings.normalised()
            ? Convolution.unbiased(name, input, channels, kernel)
            : Convolution.biased(name, input, channels, kernel));
    Shape shape = layers.getLast().output();
    if (settings.normalised()) {
      layers.add(new BatchNorm(name + ".norm", shape));
    }
    layers.add(new Relu(shape));
    if (pools) {
      layers.add(new MaxPool(shape, 2, 2));
    }
    return new Sequence(layers);
  }

  private static void addLinear(VggSettings settings, Shape image, long seed, List<Layer> blocks) {
    Shape shape = new Flatten(image).output();
    for (int i = 0; i <= settings.hidden().size(); i++) {
      List<Layer> layers = new ArrayList<>();
      if (i == 0) {
        layers.add(new Flatten(image));
      }
      boolean last = i == settings.hidden().size();
      int width = last ? settings.classes() : settings.hidden().get(i);
      double deviation = Math.sqrt(GAIN / shape.channels());
      layers.add(Linear.biased("linear." + i, shape, width, deviation));
      shape = layers.getLast().output();
      if (!last) {
        layers.add(new Relu(shape));
        if (settings.dropout() > 0) {
          layers.add(new DropoutLayer(shape, seed, i, settings.dropout()));
        }
      }
      blocks.add(new Sequence(layers));
    }
  }
}
