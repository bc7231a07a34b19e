package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import java.util.stream.IntStream;

/// Vertices that a layer-wise sampler draws for a batch in each layer: given numbers, or the
/// defaults, which depend on the batch size.
///
/// @param sizes from the batch outwards
/// @param usual whether they are the defaults
public record LayerSizes(List<Integer> sizes, boolean usual) {
  /// Default growth per layer, as a multiple of the batch size: rows share the drawn vertices, but
  /// each keeps a few of its entries, as with a fanout.
  public static final int PER_VERTEX = 4;

  /// Maximum default size of a layer, so that it is smaller than a neighbourhood.
  public static final int MOST = 1 << 15;

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if there is no size or one is less than 1
  public LayerSizes {
    sizes = LayerSampling.sizes("layerSizes", sizes);
  }

  /// {@return given sizes}
  ///
  /// @param sizes from the batch outwards
  public static LayerSizes of(List<Integer> sizes) {
    return new LayerSizes(sizes, false);
  }

  /// {@return the default sizes: `4 b l`, at most [#MOST], in the `l`-th layer from the batch
  /// outwards}
  ///
  /// @param layers of the network
  /// @param batchSize `b`
  public static LayerSizes usual(int layers, int batchSize) {
    return new LayerSizes(
        IntStream.rangeClosed(1, layers)
            .mapToObj(l -> (int) Math.min(MOST, (long) PER_VERTEX * batchSize * l))
            .toList(),
        true);
  }

  /// {@return the sizes for another batch size}
  ///
  /// @param batchSize training vertices of a batch
  LayerSizes withBatchSize(int batchSize) {
    return usual ? usual(sizes.size(), batchSize) : this;
  }

  /// {@return the sizes of the layers nearest to the batch}
  ///
  /// @param hops layers
  LayerSizes outermost(int hops) {
    return new LayerSizes(sizes.subList(0, hops), usual);
  }
}
