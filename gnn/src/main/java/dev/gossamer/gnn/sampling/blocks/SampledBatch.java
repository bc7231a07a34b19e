package dev.gossamer.gnn.sampling.blocks;

import java.util.List;

/// A minibatch with all that its training needs of the graph. Its matrices live as long as the
/// arena that was given to `BulkSampler.sample`.
public final class SampledBatch {
  private final int number;
  private final int[] seeds;
  private final float[] lossWeights;
  private final List<SampledBlock> blocks;

  /// A batch of what was drawn for it.
  ///
  /// @param number of the batch in its epoch
  /// @param seeds the destinations of the last block; kept
  /// @param lossWeights one for each seed; kept
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

  /// {@return the vertices whose outputs the last block gives: the destinations of its rows}
  /// Borrowed.
  public int[] seeds() {
    return seeds;
  }

  /// {@return the weight of each seed's loss: their weighted sum estimates the mean loss of the
  /// training vertices} `1 / seeds` for a batch of training vertices; in a subgraph (GraphSAINT,
  /// equation 2, over the number of training vertices), 0 for a seed that is no training vertex. Of
  /// parts of a subgraph, the sums of all parts together do. Borrowed.
  public float[] lossWeights() {
    return lossWeights;
  }

  /// {@return one block a layer, in the order of a forward pass: the sources of one are the
  /// destinations of the one before} The layers of a whole subgraph share one block.
  public List<SampledBlock> blocks() {
    return blocks;
  }

  /// {@return the vertices whose features the first layer reads} Borrowed.
  public int[] inputs() {
    return blocks.getFirst().sources();
  }
}
