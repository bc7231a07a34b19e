package dev.gossamer.gnn.sampling.blocks;

import java.util.List;

/// A minibatch with all that its training needs of the graph. Its matrices live as long as the
/// arena that was given to `BulkSampler.sample`.
public final class SampledBatch {
  private final int number;
  private final int[] seeds;
  private final float[] lossWeights;
  private final List<SampledBlock> blocks;

  /// Creates a batch.
  ///
  /// @param number of the batch in its epoch
  /// @param seeds the destinations of the last block; not copied
  /// @param lossWeights one for each seed; not copied
  /// @param blocks one for each layer, in the order of a forward pass
  public SampledBatch(int number, int[] seeds, float[] lossWeights, List<SampledBlock> blocks) {
    this.number = number;
    this.seeds = seeds;
    this.lossWeights = lossWeights;
    this.blocks = List.copyOf(blocks);
  }

  /// {@return number of the batch in its epoch; of a part of a step's subgraph, that of the step}
  public int number() {
    return number;
  }

  /// {@return the vertices whose outputs the last block computes: its destinations} Borrowed.
  public int[] seeds() {
    return seeds;
  }

  /// {@return the weight of each seed's loss: their weighted sum estimates the mean loss of the
  /// training vertices} `1 / seeds` for a batch of training vertices; in a subgraph (GraphSAINT,
  /// equation 2, over the number of training vertices), 0 for a seed that is no training vertex.
  /// For parts of a subgraph, this holds for the sum over all parts. Borrowed.
  public float[] lossWeights() {
    return lossWeights;
  }

  /// {@return one block per layer, in the order of a forward pass: the sources of a block are the
  /// destinations of the previous one} The layers of a whole subgraph share one block.
  public List<SampledBlock> blocks() {
    return blocks;
  }

  /// {@return the vertices whose features the first layer reads} Borrowed.
  public int[] inputs() {
    return blocks.getFirst().sources();
  }
}
