package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// A method of sampling the neighbourhood of a minibatch, with its sizes and its inclusion
/// probabilities. A value; [BulkSampler] draws.
///
/// A sampler is one file that implements this interface, and an entry in [Samplers]. Built-in
/// samplers either draw layer by layer, from the batch outwards, and differ only in how `Q` is
/// built, in NORM and in EXTRACT (MBS, section 4); or they draw one subgraph for all layers (H.
/// Zeng et al., *GraphSAINT*, ICLR 2020). Guarantees of their weights:
///
/// | sampler | `E` of the weighted sum over the sampled sources of a vertex is |
/// |---|---|
/// | `sage` | the mean over all its neighbours, exactly |
/// | `ladies`, `fastgcn` | its row of `Â H`, exactly, given the layers before |
/// | `saint-node`, `saint-edge` | its row of `Â H`, exactly, given that it is in the subgraph |
/// | `saint-walk` | the same, up to the error of estimated probabilities |
/// | `none` | 0: there are no sources, and the network must not sum them |
///
/// Where a `Boundary` drops sources, the weights of the others are scaled up.
public interface Sampler {
  /// {@return its name in [Samplers] and reports}
  String name();

  /// {@return fanouts or layer sizes, from the batch outwards, for reports; empty for subgraphs}
  List<Integer> sizes();

  /// {@return the given numbers by component, as in [SamplerRequest#with]}
  default Map<String, List<Integer>> options() {
    return Map.of();
  }

  /// {@return layers of the network that the batches are for, at least 1}
  default int layers() {
    return sizes().size();
  }

  /// {@return a sampler for the outermost layers only} A subgraph is the same for any number of
  /// layers.
  ///
  /// @param hops layers, from the batch outwards, at least 1
  default Sampler outermost(int hops) {
    return this;
  }

  /// {@return whether a batch is one subgraph for all layers, whose seeds are all its vertices}
  default boolean drawsSubgraphs() {
    return false;
  }

  /// {@return whether batches have neighbours at all; if not, the network must not look at them}
  default boolean drawsNeighbours() {
    return true;
  }

  /// {@return whether blocks are means over neighbours that are drawn uniformly, regardless of the
  /// weights of edges; then the network must take means, too}
  default boolean takesMeans() {
    return false;
  }

  /// {@return whether the squares of the weights of all edges that a rank holds are kept}
  default boolean keepsSquares() {
    return false;
  }

  /// {@return the default batch size}
  default int usualBatchSize() {
    return Samplers.DEFAULT_BATCH_SIZE;
  }

  /// {@return a copy for another batch size}
  ///
  /// @param batchSize training vertices of a batch; for subgraphs, the number of draws
  default Sampler withBatchSize(int batchSize) {
    return this;
  }

  /// {@return a sampler for the batches of a step, each drawn independently} Sizes are divided by
  /// the square root of the number of batches. This lies between two cases: if neighbourhoods
  /// overlap, that of a part is hardly smaller than that of the whole; if they do not, it is
  /// smaller by the number of parts. Subgraphs that shrank in proportion would soon have no edges.
  ///
  /// @param stepSize training vertices of a step; for subgraphs, the number of draws
  /// @param batches of the step
  default Sampler ofStep(int stepSize, int batches) {
    return withBatchSize((int) Math.ceil(stepSize / Math.sqrt(batches)));
  }

  /// {@return a sampler for the batches of a step, shared by all ranks} A subgraph is drawn once
  /// for the step, and divided ([SubgraphParts]).
  ///
  /// @param stepSize training vertices of a step; for subgraphs, the number of draws
  /// @param batches of the step
  default Sampler ofSharedStep(int stepSize, int batches) {
    return ofStep(stepSize, batches);
  }

  /// {@return batches per epoch, where each training vertex is in one}
  ///
  /// @param vertices of the graph
  /// @param training training vertices
  /// @param batchSize training vertices of a batch; subgraphs have their own size
  default int batches(int vertices, int training, int batchSize) {
    return Math.ceilDiv(training, batchSize);
  }

  /// Returns upper bounds of the sizes of a batch's blocks.
  ///
  /// @param degrees of `Â`
  /// @param batchSize training vertices of a batch; subgraphs have their own size
  /// @return one for each layer, in the order of a forward pass
  List<BlockBound> blocks(Degrees degrees, int batchSize);

  /// {@return an upper bound of the memory of drawing, from the sizes of blocks and of the sampler}
  ///
  /// @param degrees of `Â`
  /// @param blocks the largest of a batch, one for each layer, in the order of a forward pass
  SamplingMemory memory(Degrees degrees, List<BlockBound> blocks);

  /// Binds the sampler as [#sampling] does, but only to estimate sizes of blocks ([DrawnBlocks]):
  /// weights may be wrong, so that their preparation is skipped.
  ///
  /// @param a all rows of `Â`
  /// @param training the training vertices
  /// @param seed of the draws
  /// @param workers that draw; borrowed
  /// @return the bound sampler
  default Sampling draft(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return sampling(a, training, seed, workers);
  }

  /// Binds the sampler to a graph, and prepares what all batches share. Collective if the graph is
  /// distributed. If only some rows can be selected ([AdjacencyRows#begin]), subgraphs are drawn in
  /// those: their halo, the drawn vertices outside, is read but not computed.
  ///
  /// @param a `Â`
  /// @param training the training vertices
  /// @param seed of the run
  /// @param workers that draw; borrowed
  /// @return the bound sampler
  /// @throws dev.gossamer.base.InvalidInputException if the sampler needs edges and the graph has
  ///   none
  Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers);

  /// Returns the probability that a batch reads the features of each vertex, which decides what a
  /// feature cache holds. No batch is drawn; the cost is one pass over the graph per layer (T.
  /// Kaler et al., *Communication-Efficient Graph Neural Networks with Probabilistic Neighborhood
  /// Expansion Analysis and Caching*, MLSys 2023, section 3: vertex inclusion probabilities).
  /// Memory: a few numbers of 8 bytes per vertex. Collective if the graph is distributed, with the
  /// same arguments on all ranks.
  ///
  /// @param a `Â`, from which the batches are drawn
  /// @param training the vertices from which batches are made, distinct
  /// @param batchSize training vertices of a batch; subgraphs have their own size
  /// @return `n` numbers in `0..1`
  /// @throws dev.gossamer.base.InvalidInputException if the sampler needs edges and the graph has
  ///   none
  double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize);

  /// {@return [NoNeighbours], for networks that do not look at the graph}
  ///
  /// @param layers of the network
  static Sampler none(int layers) {
    return new NoNeighbours(layers);
  }

  /// {@return [SageSampler]: `sage(15, 10, 5)`}
  ///
  /// @param fanouts neighbours per vertex, from the batch outwards
  static Sampler sage(int... fanouts) {
    return new SageSampler(Arrays.stream(fanouts).boxed().toList());
  }

  /// {@return [LadiesSampler]: `ladies(512, 512, 512)`}
  ///
  /// @param layerSizes vertices per layer, from the batch outwards
  static Sampler ladies(int... layerSizes) {
    return new LadiesSampler(Arrays.stream(layerSizes).boxed().toList());
  }

  /// {@return [FastGcnSampler]: `fastGcn(400, 400)`}
  ///
  /// @param layerSizes vertices per layer, from the batch outwards
  static Sampler fastGcn(int... layerSizes) {
    return new FastGcnSampler(Arrays.stream(layerSizes).boxed().toList());
  }

  /// {@return [SaintNodeSampler] that draws `nodes` vertices per batch}
  ///
  /// @param layers of the network
  /// @param nodes vertices drawn for a batch
  static Sampler saintNode(int layers, int nodes) {
    return new SaintNodeSampler(layers, nodes);
  }

  /// {@return [SaintEdgeSampler] that draws `edges` edges per batch}
  ///
  /// @param layers of the network
  /// @param edges edges drawn for a batch
  static Sampler saintEdge(int layers, int edges) {
    return new SaintEdgeSampler(layers, edges);
  }

  /// {@return [SaintWalkSampler] of `walks` walks per batch with [Samplers#DEFAULT_OCCURRENCES]}
  ///
  /// @param layers of the network
  /// @param walks walks per batch
  /// @param walkLength steps of a walk
  static SaintWalkSampler saintWalk(int layers, int walks, int walkLength) {
    return new SaintWalkSampler(layers, walks, walkLength, Samplers.DEFAULT_OCCURRENCES);
  }
}
