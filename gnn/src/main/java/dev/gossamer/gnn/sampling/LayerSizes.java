package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import java.util.stream.IntStream;

/// Vertices that a batch takes in each layer, of a sampler that draws them by layer: numbers that
/// are asked for, or the usual ones, which go by the batch.
///
/// @param sizes from the batch outwards
/// @param usual whether they are the usual ones
public record LayerSizes(List<Integer> sizes, boolean usual) {
  /// Vertices for each vertex of the batch, in each layer more: enough that a row keeps a few of
  /// its entries, as with a fanout, although a batch's rows share what is drawn.
  public static final int PER_VERTEX = 4;

  /// The most that a layer has by default: what is drawn by layer is to be smaller than a
  /// neighbourhood.
  public static final int MOST = 1 << 15;

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if there is no size or one is less than 1
  public LayerSizes {
    sizes = LayerSampling.sizes("layerSizes", sizes);
  }

  /// {@return sizes that are asked for}
  ///
  /// @param sizes from the batch outwards
  public static LayerSizes of(List<Integer> sizes) {
    return new LayerSizes(sizes, false);
  }

  /// {@return the usual sizes: `4 b l`, at most [#MOST], in the `l`-th layer from the batch
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

  /// {@return the sizes for batches of another size}
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
