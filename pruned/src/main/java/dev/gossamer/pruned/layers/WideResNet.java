package dev.gossamer.pruned.layers;

import dev.gossamer.pruned.layers.Convolution.Kernel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Residual networks of bottleneck units (K. He et al., 2016) that are wider inside (S. Zagoruyko
/// and N. Komodakis, 2016): a first convolution; groups of units `relu(body(x) + shortcut(x))`,
/// where the body is a convolution of 1 x 1, one of 3 x 3, with stride 2 in the first unit of each
/// later group, and one of 1 x 1, with batch normalisation after each; the mean over all positions;
/// and a linear layer.
public final class WideResNet {
  private WideResNet() {}

  /// {@return the network: a block for the first convolution, for each unit, and for the last
  /// layer}
  ///
  /// @param name of the network in log lines
  /// @param settings its sizes
  public static LayerNetwork of(String name, WideResNetSettings settings) {
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
        Sequence.of(pool, Linear.biased("linear", pool.output(), settings.classes(), deviation)));
    return new LayerNetwork(name, blocks);
  }

  private static Layer stem(WideResNetSettings settings) {
    boolean reduced = settings.reduced();
    Kernel kernel = reduced ? new Kernel(7, 2, 3) : Kernel.same(3);
    List<Layer> layers = normalised("stem", settings.input(), settings.planes(), kernel);
    layers.add(new Relu(layers.getLast().output()));
    if (reduced) {
      layers.add(new MaxPool(layers.getLast().output(), 3, 2, 1));
    }
    return new Sequence(layers);
  }

  private static Layer unit(String name, Shape input, int planes, int widening, int stride) {
    int out = planes * WideResNetSettings.EXPANSION;
    int width = planes * widening;
    List<Layer> body = normalised(name + ".reduce", input, width, Kernel.same(1));
    body.add(new Relu(body.getLast().output()));
    body.addAll(
        normalised(name + ".inner", body.getLast().output(), width, new Kernel(3, stride, 1)));
    body.add(new Relu(body.getLast().output()));
    body.addAll(normalised(name + ".expand", body.getLast().output(), out, Kernel.same(1)));
    Residual residual = new Residual(new Sequence(body), shortcut(name, input, out, stride));
    return Sequence.of(residual, new Relu(residual.output()));
  }

  private static @Nullable Layer shortcut(String name, Shape input, int out, int stride) {
    return stride == 1 && input.channels() == out
        ? null
        : new Sequence(normalised(name + ".shortcut", input, out, new Kernel(1, stride, 0)));
  }

  /// A convolution and batch normalisation.
  private static List<Layer> normalised(String name, Shape input, int out, Kernel kernel) {
    Convolution convolution = Convolution.unbiased(name, input, out, kernel);
    return new ArrayList<>(
        List.of(convolution, new BatchNorm(name + ".norm", convolution.output())));
  }
}
