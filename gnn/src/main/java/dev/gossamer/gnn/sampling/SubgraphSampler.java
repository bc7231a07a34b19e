package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.List;

/// A sampler of GraphSAINT: one subgraph for all layers, with its own size.
interface SubgraphSampler extends Sampler {
  /// Returns the number of draws per batch: vertices, edges or walks.
  int batchSize();

  /// Returns the number of vertices drawn for a batch, including repeated ones.
  long visited();

  @Override
  SubgraphSampler withBatchSize(int size);

  @Override
  default Sampler ofSharedStep(int stepSize, int batches) {
    return new SubgraphParts(withBatchSize(stepSize), batches);
  }

  @Override
  default List<Integer> sizes() {
    return List.of();
  }

  @Override
  default boolean drawsSubgraphs() {
    return true;
  }

  @Override
  default int usualBatchSize() {
    return batchSize();
  }

  /// Returns the number of subgraphs per epoch, which together draw as many vertices as the graph
  /// has.
  @Override
  default int batches(int vertices, int training, int size) {
    return Math.toIntExact(Math.ceilDiv(vertices, visited()));
  }

  @Override
  default List<BlockBound> blocks(Degrees degrees, int size) {
    return BlockBound.ofSubgraph(degrees, layers(), visited());
  }

  @Override
  default SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    return SamplingMemory.ofSubgraph(degrees.vertices(), blocks.getFirst(), visited());
  }
}
