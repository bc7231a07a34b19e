package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Draws minibatches in bulk (MBS): `k` of them at a time, by products of sparse matrices.
///
/// A batch is known by seed, epoch and its number: the same for any number of threads, for any `k`,
/// and whoever draws it. One bulk at a time.
public final class BulkSampler {
  private final Sampler sampler;
  private final Sampling sampling;
  private final SamplingMemory memory;

  /// Prepares what all batches share: for [Sampler.FastGcn] and [Sampler.SaintNode] the column
  /// norms, for [Sampler.SaintEdge] the probabilities of vertices, for [Sampler.SaintWalk] the
  /// estimates.
  ///
  /// @param a `Â`; for GraphSAGE only its pattern counts, and self loops are neighbours like others
  /// @param training the training vertices: those that a loss is taken of
  /// @param seed of the run
  /// @throws InvalidInputException if the sampler needs edges and the graph has none
  public BulkSampler(Sampler sampler, AdjacencyRows a, int[] training, long seed, Workers workers) {
    this.sampler = sampler;
    memory = new SamplingMemory(sampler, a.rowLengths(), workers.threads());
    sampling =
        switch (sampler) {
          case Sampler.Sage sage ->
              new LayerSampling<>(new LayerRule.Neighbours(), sage.fanouts(), a, seed, workers);
          case Sampler.Ladies ladies ->
              new LayerSampling<>(new LayerRule.Dependencies(), ladies.sizes(), a, seed, workers);
          case Sampler.FastGcn fastGcn ->
              new LayerSampling<>(
                  new LayerRule.Importance(importance(sampler, a)),
                  fastGcn.sizes(),
                  a,
                  seed,
                  workers);
          case Sampler.SaintNode node -> {
            WeightedRow importance = importance(sampler, a);
            SubgraphDraw draw = new SubgraphDraw.Nodes(importance, node.draws(), seed);
            SubgraphProbabilities exact =
                SubgraphProbabilities.Independent.ofNodes(importance, node.draws());
            yield new SubgraphSampling(node.layers(), draw, exact, a, training, workers);
          }
          case Sampler.SaintEdge edge -> {
            int[] candidates = withNeighbours(sampler, a);
            SubgraphDraw draw = new SubgraphDraw.Walks(a, candidates, edge.draws(), 1, seed);
            SubgraphProbabilities exact =
                SubgraphProbabilities.Independent.ofEdges(a, candidates, edge.draws());
            yield new SubgraphSampling(edge.layers(), draw, exact, a, training, workers);
          }
          case Sampler.SaintWalk walk -> {
            int[] all = IntStream.range(0, a.vertices()).toArray();
            SubgraphDraw draw = new SubgraphDraw.Walks(a, all, walk.roots(), walk.length(), seed);
            SubgraphProbabilities counted =
                new SubgraphProbabilities.Counted(a, draw, walk.estimates());
            yield new SubgraphSampling(walk.layers(), draw, counted, a, training, workers);
          }
        };
  }

  /// What is drawn.
  public Sampler sampler() {
    return sampler;
  }

  /// Draws a bulk. Collective if the graph is spread over ranks.
  ///
  /// @param arena shared, owner of the matrices of all batches
  /// @param epoch of the run
  /// @param first number of the first batch in its epoch
  /// @param batches the vertices of each batch, distinct; for subgraphs only their number counts;
  ///   none if others have more bulks
  /// @return one for each, in order
  public List<SampledBatch> sample(Arena arena, long epoch, int first, List<int[]> batches) {
    return sample(arena, epoch, first, 1, batches);
  }

  /// The same for every `stride`-th batch of the epoch.
  public List<SampledBatch> sample(
      Arena arena, long epoch, int first, int stride, List<int[]> batches) {
    return sample(arena, epoch, first, stride, batches, null);
  }

  /// The same for batches that end at a boundary, which only [Sampler.Sage] can cut.
  ///
  /// @throws IllegalArgumentException if the sampler is another
  public List<SampledBatch> sample(
      Arena arena,
      long epoch,
      int first,
      int stride,
      List<int[]> batches,
      @Nullable Boundary boundary) {
    return sampling.sample(arena, epoch, new BatchNumbers(first, stride), batches, boundary);
  }

  /// Bytes that a bulk takes at most, with what this sampler keeps between bulks: the sampled
  /// matrices, the vertices' numbers, and what is there while a layer is drawn. Rows that are
  /// fetched from other ranks, and the counts of [Sampler.SaintWalk], come on top.
  ///
  /// @param k batches
  /// @param batchSize vertices of a batch
  public long bytes(int k, int batchSize) {
    return memory.bytes(k, batchSize);
  }

  /// What [#bytes(int, int)] will say, before there is a sampler.
  ///
  /// @param degrees entries of each row of `Â`
  public static long bytes(Sampler sampler, int[] degrees, int threads, int k, int batchSize) {
    return new SamplingMemory(sampler, degrees, threads).bytes(k, batchSize);
  }

  /// The largest bulk that fits, for a bulk that is chosen automatically.
  ///
  /// @param batches of an epoch: no bulk is larger
  /// @param limit bytes that it may take
  /// @return 0 if not even one batch fits
  public int largestBulk(int batches, int batchSize, long limit) {
    int fits = 0;
    for (int low = 1, high = batches; low <= high; ) {
      int middle = (low + high) >>> 1;
      if (bytes(middle, batchSize) <= limit) {
        fits = middle;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return fits;
  }

  /// The squared column norms of a graph that has edges.
  static WeightedRow importance(Sampler sampler, AdjacencyRows a) {
    WeightedRow importance = LayerRule.columnNorms(a);
    if (importance.positive() == 0) {
      throw noEdges(sampler, a);
    }
    return importance;
  }

  /// The vertices with neighbours of a graph that has edges.
  static int[] withNeighbours(Sampler sampler, AdjacencyRows a) {
    int[] lengths = a.rowLengths();
    int[] candidates = IntStream.range(0, lengths.length).filter(v -> lengths[v] > 0).toArray();
    if (candidates.length == 0) {
      throw noEdges(sampler, a);
    }
    return candidates;
  }

  private static InvalidInputException noEdges(Sampler sampler, AdjacencyRows a) {
    return new InvalidInputException(
        "sampler: %s needs a graph with edges, found %d vertices and no edge; use sage"
            .formatted(sampler, a.vertices()));
  }
}
