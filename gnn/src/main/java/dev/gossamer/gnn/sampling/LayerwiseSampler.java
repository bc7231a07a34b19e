package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.List;
import java.util.Map;

/// A sampler that draws the vertices of a layer for a whole batch, not per vertex.
interface LayerwiseSampler extends Sampler {
  /// {@return vertices per layer, from the batch outwards}
  LayerSizes layerSizes();

  /// {@return a copy with other sizes}
  ///
  /// @param other vertices per layer, from the batch outwards
  Sampler with(LayerSizes other);

  @Override
  default List<Integer> sizes() {
    return layerSizes().sizes();
  }

  @Override
  default Map<String, List<Integer>> options() {
    return layerSizes().usual() ? Map.of() : Map.of("layerSizes", sizes());
  }

  @Override
  default Sampler withBatchSize(int batchSize) {
    return with(layerSizes().withBatchSize(batchSize));
  }

  @Override
  default Sampler outermost(int hops) {
    return with(layerSizes().outermost(hops));
  }

  @Override
  default List<BlockBound> blocks(Degrees degrees, int batchSize) {
    return BlockBound.ofLayers(degrees, batchSize, sizes(), (rows, s) -> s);
  }
}
