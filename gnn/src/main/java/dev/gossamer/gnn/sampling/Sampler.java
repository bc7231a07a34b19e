package dev.gossamer.gnn.sampling;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// How the neighbourhood of a minibatch is cut down, with all that depends on it: what is drawn,
/// how large it gets, and how probable each vertex is. A value; [BulkSampler] draws.
///
/// A sampler is one file that implements this, and its entry in [Samplers]. Those here either draw
/// layer by layer, from the batch outwards, and differ only in how `Q` is built, in NORM and in
/// EXTRACT (MBS, section 4); or draw one subgraph for all layers (H. Zeng et al., *GraphSAINT*,
/// ICLR 2020). What each promises of its weights:
///
/// | sampler | `E` of the weighted sum over the sampled sources of a vertex is |
/// |---|---|
/// | `sage` | the mean over all its neighbours, exactly |
/// | `ladies`, `fastgcn` | its row of `Â H`, exactly, given the layers before |
/// | `saint-node`, `saint-edge` | its row of `Â H`, exactly, given that it is in the subgraph |
/// | `saint-walk` | the same, up to the error of estimated probabilities |
///
/// Where a `Boundary` drops sources, the others weigh as much more.
public interface Sampler {
  /// {@return its name, as [Samplers] and reports have it}
  String name();

  /// {@return numbers of the layers, from the batch outwards, as reports list them: fanouts or
  /// layer sizes; empty if layers have none, as those of a subgraph}
  List<Integer> sizes();

  /// {@return the numbers that were asked for, by component, as [SamplerRequest#with] takes them}
  default Map<String, List<Integer>> options() {
    return Map.of();
  }

  /// {@return layers of the network that the batches are for, at least 1}
  default int layers() {
    return sizes().size();
  }

  /// {@return the same for the outermost layers alone} A subgraph is the same for any number of
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

  /// {@return whether blocks are means over neighbours that are drawn alike, whatever their edges
  /// weigh: then the network must take the mean too}
  default boolean takesMeans() {
    return false;
  }

  /// {@return the batch size that goes with this sampler unless another is asked for}
  default int usualBatchSize() {
    return Samplers.DEFAULT_BATCH_SIZE;
  }

  /// {@return the same for batches of another size; only subgraphs have a size of their own}
  ///
  /// @param batchSize training vertices of a batch; of a subgraph, what is drawn for it
  default Sampler withBatchSize(int batchSize) {
    return this;
  }

  /// {@return the same for the batches that a step is divided into, each of which is drawn for
  /// itself} What has a size shrinks by the square root of their number. Where neighbourhoods
  /// overlap, that of a part is hardly smaller than that of the whole, and where they do not, as
  /// many times as there are parts: this is between. And subgraphs that shrank as they grow in
  /// number would soon have no edges.
  ///
  /// @param stepSize training vertices of a step; of subgraphs, what is drawn for them
  /// @param batches of the step
  default Sampler ofStep(int stepSize, int batches) {
    return withBatchSize((int) Math.ceil(stepSize / Math.sqrt(batches)));
  }

  /// {@return the same for the batches that a step is divided into, whatever rank they are drawn
  /// on} A subgraph is drawn once for the step, and divided ([SubgraphParts]).
  ///
  /// @param stepSize training vertices of a step; of subgraphs, what is drawn for them
  /// @param batches of the step
  default Sampler ofSharedStep(int stepSize, int batches) {
    return ofStep(stepSize, batches);
  }

  /// {@return batches per epoch, each training vertex being in one}
  ///
  /// @param vertices of the graph
  /// @param training training vertices
  /// @param batchSize training vertices of a batch; subgraphs have their own size
  default int batches(int vertices, int training, int batchSize) {
    return Math.ceilDiv(training, batchSize);
  }

  /// The largest that the blocks of a batch can be: the only place that bounds a sampler.
  ///
  /// @param degrees of `Â`
  /// @param batchSize training vertices of a batch; subgraphs have their own size
  /// @return one for each layer, in the order of a forward pass
  List<BlockBound> blocks(Degrees degrees, int batchSize);

  /// {@return what drawing takes of memory, at most, from the size of blocks and what the sampler
  /// keeps}
  ///
  /// @param degrees of `Â`
  /// @param blocks the largest of a batch, one for each layer, in the order of a forward pass
  SamplingMemory memory(Degrees degrees, List<BlockBound> blocks);

  /// Binds the sampler as [#sampling] does, to see how large blocks get ([DrawnBlocks]): their
  /// weights may be wrong, so that what those alone need is not prepared.
  ///
  /// @param a `Â`, all rows of it
  /// @param training the training vertices
  /// @param seed of the draws
  /// @param workers that draw; borrowed
  /// @return what draws
  default Sampling draft(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return sampling(a, training, seed, workers);
  }

  /// Binds the sampler to a graph, and prepares what all batches share. Collective if the graph is
  /// spread over ranks. If only some rows can be selected ([AdjacencyRows#begin]), subgraphs are
  /// drawn in those: their halo, what is drawn of other vertices, is read and not computed.
  ///
  /// @param a `Â`
  /// @param training the training vertices: those that a loss is taken of
  /// @param seed of the run
  /// @param workers that draw; borrowed
  /// @return what draws
  /// @throws dev.gossamer.base.InvalidInputException if the sampler needs edges and the graph has
  ///   none
  Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers);

  /// How probable it is that one batch reads the features of a vertex: what a cache of features
  /// goes by. No batch is drawn; a pass over the graph per layer gives all (T. Kaler et al.,
  /// *Communication-Efficient Graph Neural Networks with Probabilistic Neighborhood Expansion
  /// Analysis and Caching*, MLSys 2023, section 3: vertex inclusion probabilities). Memory: a few
  /// numbers of 8 bytes a vertex. Collective if the graph is spread over ranks, with the same
  /// arguments on all of them.
  ///
  /// @param a `Â`, from which the batches are drawn
  /// @param training the vertices from which batches are made, distinct
  /// @param batchSize training vertices of a batch; subgraphs have their own size
  /// @return `n` numbers in `0..1`
  /// @throws dev.gossamer.base.InvalidInputException if the sampler needs edges and the graph has
  ///   none
  double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize);

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

  /// {@return [SaintNodeSampler] that draws `nodes` vertices for a batch}
  ///
  /// @param layers of the network
  /// @param nodes vertices drawn for a batch
  static Sampler saintNode(int layers, int nodes) {
    return new SaintNodeSampler(layers, nodes);
  }

  /// {@return [SaintEdgeSampler] that draws `edges` edges for a batch}
  ///
  /// @param layers of the network
  /// @param edges edges drawn for a batch
  static Sampler saintEdge(int layers, int edges) {
    return new SaintEdgeSampler(layers, edges);
  }

  /// {@return [SaintWalkSampler] of `walks` walks for a batch, whose vertices occur
  /// [Samplers#DEFAULT_OCCURRENCES] times in the subgraphs that are counted}
  ///
  /// @param layers of the network
  /// @param walks walks per batch
  /// @param walkLength steps of a walk
  static SaintWalkSampler saintWalk(int layers, int walks, int walkLength) {
    return new SaintWalkSampler(layers, walks, walkLength, Samplers.DEFAULT_OCCURRENCES);
  }
}
