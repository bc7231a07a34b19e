package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.List;

/// One subgraph per step, which the batches of the step divide, so that subgraph, loss and gradient
/// are the same for any number of ranks. A separate subgraph per batch would be smaller, with fewer
/// edges of the same vertices; its estimates would have another variance and, after a ReLU, another
/// expectation.
///
/// A part has the loss of an even share of the subgraph's training vertices. It computes these and,
/// for each previous layer, their neighbours in the subgraph; parts compute shared vertices
/// redundantly.
///
/// @param whole draws the subgraphs
/// @param parts batches of a step
record SubgraphParts(SubgraphSampler whole, int parts) implements SubgraphSampler {
  @Override
  public String name() {
    return whole.name();
  }

  @Override
  public int layers() {
    return whole.layers();
  }

  @Override
  public int batchSize() {
    return whole.batchSize();
  }

  @Override
  public long visited() {
    return whole.visited();
  }

  @Override
  public SubgraphSampler withBatchSize(int size) {
    return new SubgraphParts(whole.withBatchSize(size), parts);
  }

  @Override
  public List<BlockBound> blocks(Degrees degrees, int size) {
    return BlockBound.ofPart(degrees, layers(), visited(), parts);
  }

  /// The layers' blocks share the memory of the first, except for the vertices of their sources;
  /// the subgraph's vertices exist while a part is extracted.
  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    SamplingMemory first =
        SamplingMemory.ofSubgraph(degrees.vertices(), blocks.getFirst(), visited());
    long sources = blocks.stream().mapToLong(BlockBound::sources).sum();
    return new SamplingMemory(
        whole.memory(degrees, blocks).kept(),
        first.perThread(),
        first.perBatch() + Integer.BYTES * (visited() + sources),
        first.inWork());
  }

  @Override
  public Sampling draft(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return inParts(whole.draft(a, training, seed, workers));
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return inParts(whole.sampling(a, training, seed, workers));
  }

  /// All samplers of subgraphs draw this way.
  private Sampling inParts(Sampling sampling) {
    return ((SubgraphSampling) sampling).inParts(parts);
  }

  /// Returns those of the whole subgraph, an upper bound for a part.
  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int size) {
    return whole.inputProbabilities(a, training, size);
  }
}
