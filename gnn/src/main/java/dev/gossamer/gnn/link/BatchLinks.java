package dev.gossamer.gnn.link;

import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Links;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Training edges in batches: the vertices of a batch are the ends of its edges and of the pairs
/// that these are compared with, each once, and the pairs are a matrix over the outputs of these
/// vertices, so that a batch needs no other rank. Each edge has the pairs that it has on the whole
/// graph. Immutable.
public final class BatchLinks {
  private final TrainingPairs pairs;
  private final Placement placement;

  /// Begins with no batch.
  ///
  /// @param comparison the edges, and the pairs that they are compared with
  /// @param placement of the vertices, whose numbers those of batches are
  /// @param seed of the pairs
  public BatchLinks(LinkComparison comparison, Placement placement, long seed) {
    pairs = new TrainingPairs(comparison, seed);
    this.placement = placement;
  }

  /// {@return the number of training edges}
  public int edges() {
    return links().count();
  }

  private Links links() {
    return pairs.comparison().task().parts().train();
  }

  /// {@return vertices of a batch, at most}
  ///
  /// @param edges of the batch
  public int mostVertices(int edges) {
    LinkTask task = pairs.comparison().task();
    long ends = (2L + task.negatives()) * edges;
    return (int) Math.min(task.parts().all().rows(), ends);
  }

  /// {@return a batch, with its pairs} Cost: as many draws as pairs, and a sort.
  ///
  /// @param epoch from 0 on, decides which pairs are drawn
  /// @param edges numbers of the training edges; borrowed
  public Batch batch(int epoch, int... edges) {
    return new Batch(epoch, edges);
  }

  /// The pairs of some training edges.
  public final class Batch {
    private final int[] edges;
    private final int[] sources;
    private final int[] targets;
    private final int[] vertices;

    private Batch(int epoch, int... edges) {
      this.edges = edges;
      sources = new int[Math.multiplyExact(edges.length, pairs.each())];
      targets = new int[sources.length];
      Philox philox = pairs.ofEpoch(epoch);
      int[] count = {0};
      for (int edge : edges) {
        pairs.add(
            philox,
            edge,
            (source, target, _, _) -> {
              sources[count[0]] = placement.newId(source);
              targets[count[0]++] = placement.newId(target);
            });
      }
      vertices =
          IntStream.concat(Arrays.stream(sources), Arrays.stream(targets))
              .sorted()
              .distinct()
              .toArray();
    }

    /// {@return the ends of the pairs, by the numbers of the placement, ascending} Borrowed.
    public int[] vertices() {
      return vertices;
    }

    /// Computes the batch's part of the mean loss of a step, replaces the outputs by its gradient,
    /// and writes the batch's part of the gradients of the decoder's parameters. Local.
    ///
    /// @param decoder of the scores
    /// @param outputs of [#vertices], overwritten
    /// @param edgesOfStep edges of all batches of the step
    /// @param state with the decoder's parameters and their gradients
    /// @param kernels threads and products; borrowed
    /// @return the batch's part of the mean over the pairs of the step
    public double lossAndGradient(
        LinkDecoder decoder,
        DenseMatrix outputs,
        long edgesOfStep,
        DenseState state,
        Kernels kernels) {
      List<PairList> lists = Stream.generate(PairList::new).limit(decoder.groups()).toList();
      for (int p = 0; p < sources.length; p++) {
        int source = Arrays.binarySearch(vertices, sources[p]);
        int target = Arrays.binarySearch(vertices, targets[p]);
        int type = links().type(edges[p / pairs.each()]);
        boolean edge = p % pairs.each() == 0;
        lists.get(decoder.group(type, false)).add(source, target, edge);
        lists.get(decoder.group(type, true)).add(target, source, edge);
      }
      try (RankPairs all =
          new RankPairs(
              ThreadRanks.alone(),
              RowDistribution.even(vertices.length, 1),
              decoder,
              lists.stream().map(PairList::sorted).toList(),
              outputs.cols(),
              kernels)) {
        return all.lossAndGradient(outputs, edgesOfStep * pairs.each(), state);
      }
    }
  }
}
