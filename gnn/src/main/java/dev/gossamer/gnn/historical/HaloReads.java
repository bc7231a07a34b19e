package dev.gossamer.gnn.historical;

import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import java.util.Arrays;

/// How often the batches of a rank are expected to read vertices. This decides which halo vertices
/// are cached, and predicts when a solid vertex will be computed again.
///
/// A batch reads at layer `l` the inputs of its outermost layers down to `l`, so that
/// [Sampler#inputProbabilities] of these, on the rows of the rank's own vertices, gives the
/// expectation. It includes what the layers above read, and so is an upper bound; a subgraph reads
/// the same in every layer.
public final class HaloReads {
  private final Sampler sampler;
  private final AdjacencyRows own;
  private final int[] training;
  private final int turns;

  /// Creates the expectation; arguments are borrowed.
  ///
  /// @param sampler that draws the batches
  /// @param own rows of this rank's vertices
  /// @param training vertices of its batches
  /// @param turns batches per epoch
  public HaloReads(Sampler sampler, AdjacencyRows own, int[] training, int turns) {
    this.sampler = sampler;
    this.own = own;
    this.training = training;
    this.turns = turns;
  }

  /// Batches per epoch.
  int turns() {
    return turns;
  }

  /// {@return for each vertex of the graph, the probability that it is a source of a layer of a
  /// batch}
  ///
  /// @param l number of the layer, from 0
  public double[] perBatch(int l) {
    if (turns == 0 || (training.length == 0 && !sampler.drawsSubgraphs())) {
      return new double[own.vertices()];
    }
    int batch = Math.ceilDiv(training.length, turns);
    return sampler.outermost(sampler.layers() - l).inputProbabilities(own, training, batch);
  }

  /// Returns the halo vertices to cache: those that a batch reads at least `least` times; if more
  /// than fit, those that are read most often.
  ///
  /// @param halos ascending; borrowed
  /// @param perBatch how often a batch reads each vertex
  /// @param lines maximum number
  /// @return ascending
  int[] worthKeeping(int[] halos, double[] perBatch, double least, int lines) {
    long[] order = new long[halos.length];
    int count = 0;
    for (int v : halos) {
      if (perBatch[v] > 0 && perBatch[v] >= least) {
        // Positive floats are ordered as their bits are; the complement puts the largest first.
        order[count++] = (long) ~Float.floatToIntBits((float) perBatch[v]) << Integer.SIZE | v;
      }
    }
    Arrays.sort(order, 0, count);
    int[] kept =
        Arrays.stream(order, 0, Math.min(count, lines)).mapToInt(key -> (int) key).toArray();
    Arrays.sort(kept);
    return kept;
  }
}
