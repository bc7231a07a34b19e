package dev.gossamer.pruned.layers;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Residual networks of bottleneck units (K. He et al., 2016) that are wider inside (S. Zagoruyko
/// and N. Komodakis, 2016): a first convolution; groups of units `relu(body(x) + shortcut(x))`,
/// where the body is a convolution of 1 x 1, one of 3 x 3, with stride 2 in the first unit of each
/// later group, and one of 1 x 1, with batch normalisation behind each; the mean over all
/// positions; and a linear layer.
public final class WideResNet {
  private WideResNet() {}

  /// The network: a block for the first convolution, for each unit, and for the last layer.
  public static DenseNetwork of(String name, WideResNetSettings settings) {
    List<Layer> blocks = new ArrayList<>();
    blocks.add(stem(settings));
    for (int group = 0; group < settings.depths().size(); group++) {
      for (int i = 0; i < settings.depths().get(group); i++) {
        Shape shape = blocks.getLast().output();
        int planes = settings.planes() << group;
        int stride = group > 0 && i == 0 ? 2 : 1;
        blocks.add(
            unit("groups.%d.%d".formatted(group, i), shape, planes, settings.widening(), stride));
      }
    }
    AveragePool pool = AveragePool.global(blocks.getLast().output());
    double deviation = Math.sqrt(1.0 / pool.output().channels());
    blocks.add(
        Sequence.of(
            pool, new Linear("linear", pool.output(), settings.classes(), true, deviation)));
    return new DenseNetwork(name, blocks);
  }

  private static Layer stem(WideResNetSettings settings) {
    List<Layer> layers = new ArrayList<>();
    boolean reduced = settings.reduced();
    addConvolution(
        layers,
        "stem",
        settings.input(),
        settings.planes(),
        reduced ? 7 : 3,
        reduced ? 2 : 1,
        true);
    if (reduced) {
      layers.add(new MaxPool(layers.getLast().output(), 3, 2, 1));
    }
    return new Sequence(layers);
  }

  private static Layer unit(String name, Shape input, int planes, int widening, int stride) {
    int out = planes * WideResNetSettings.EXPANSION;
    int width = planes * widening;
    List<Layer> body = new ArrayList<>();
    addConvolution(body, name + ".reduce", input, width, 1, 1, true);
    addConvolution(body, name + ".inner", body.getLast().output(), width, 3, stride, true);
    addConvolution(body, name + ".expand", body.getLast().output(), out, 1, 1, false);
    Residual residual = new Residual(new Sequence(body), shortcut(name, input, out, stride));
    return Sequence.of(residual, new Relu(residual.output()));
  }

  private static @Nullable Layer shortcut(String name, Shape input, int out, int stride) {
    if (stride == 1 && input.channels() == out) {
      return null;
    }
    List<Layer> layers = new ArrayList<>();
    addConvolution(layers, name + ".shortcut", input, out, 1, stride, false);
    return new Sequence(layers);
  }

  /// A convolution with as much padding as keeps the image's size at stride 1, batch normalisation
  /// and, if wanted, ReLU.
  private static void addConvolution(
      List<Layer> to, String name, Shape input, int out, int kernel, int stride, boolean relu) {
    to.add(new Convolution(name, input, out, kernel, stride, kernel / 2, false));
    Shape shape = to.getLast().output();
    to.add(new BatchNorm(name + ".norm", shape));
    if (relu) {
      to.add(new Relu(shape));
    }
  }
}
