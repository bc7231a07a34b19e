package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.List;

/// What the samplers of GraphSAINT have in common: one subgraph for all layers, of a size of its
/// own.
interface SubgraphSampler extends Sampler {
  /// What is drawn for a batch: vertices, edges or walks.
  int batchSize();

  /// Vertices that are drawn for a batch, those drawn twice included.
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

  /// Subgraphs, which any vertex may be in, until as many vertices are drawn as the graph has.
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
