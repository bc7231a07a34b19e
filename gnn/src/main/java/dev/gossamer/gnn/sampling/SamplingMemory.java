package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;

/// Upper bounds of what a bulk takes, from sizes and degrees alone.
final class SamplingMemory {
  private final Sampler sampler;
  private final int threads;
  private final int n;
  private final long entries;
  private final int largest;

  SamplingMemory(Sampler sampler, int[] degrees, int threads) {
    this.sampler = sampler;
    this.threads = threads;
    n = degrees.length;
    entries = Arrays.stream(degrees).asLongStream().sum();
    largest = Arrays.stream(degrees).max().orElse(0);
  }

  long bytes(int k, int batchSize) {
    return switch (sampler) {
      case Sampler.Sage sage -> {
        long bytes = 0;
        long stacked = 0;
        long working = 0;
        long rows = Math.min(n, batchSize);
        for (int s : sage.fanouts()) {
          long drawn = rows * Math.min(s, largest);
          long sources = Math.min(n, rows + drawn);
          bytes += block(rows, sources, drawn, false);
          stacked = Math.max(stacked, Integer.BYTES * rows);
          // Q, and the drawn columns with their row pointers.
          working = Math.max(working, Integer.BYTES * (2 * rows + drawn + 1));
          rows = sources;
        }
        yield k * (bytes + stacked) + grouped(k) * working + shared(false);
      }
      case Sampler.Ladies ladies -> layerWise(ladies.sizes(), k, batchSize, true);
      case Sampler.FastGcn fastGcn ->
          importance() + layerWise(fastGcn.sizes(), k, batchSize, false);
      case Sampler.SaintNode node -> 2 * importance() + subgraph(k, node.draws());
      case Sampler.SaintEdge edge -> importance() + subgraph(k, 2L * edge.draws());
      case Sampler.SaintWalk walk -> subgraph(k, (walk.length() + 1L) * walk.roots());
    };
  }

  private long layerWise(Iterable<Integer> sizes, int k, int batchSize, boolean products) {
    long bytes = 0;
    long stacked = 0;
    long working = 0;
    long rows = Math.min(n, batchSize);
    for (int s : sizes) {
      long drawn = Math.min(s, n);
      long sources = Math.min(n, rows + drawn);
      long found = Math.min(entries, rows * Math.min(largest, drawn));
      bytes += block(rows, sources, found, true);
      stacked = Math.max(stacked, Integer.BYTES * rows);
      // A row of P, twice while it is made, and Q.
      long p = products ? Math.min(n, rows * largest) : 0;
      working = Math.max(working, 2 * CsrMatrix.bytes(1, p, true) + 2 * rows * Integer.BYTES);
      rows = sources;
    }
    return k * (bytes + stacked) + grouped(k) * working + shared(products);
  }

  /// Batches whose `P` and draws are there at the same time.
  private long grouped(int k) {
    return Math.min(k, LayerSampling.groupSize(threads));
  }

  private long subgraph(int k, long visited) {
    long vertices = Math.min(n, visited);
    long found = Math.min(entries, vertices * Math.min(largest, vertices));
    long working = Integer.BYTES * (2 * visited + vertices);
    return k * (block(vertices, vertices, found, true) + found * Float.BYTES + working)
        + shared(false);
  }

  /// A block with its scales and the vertices of its sources.
  private static long block(long rows, long sources, long drawn, boolean columnScales) {
    return CsrMatrix.bytes(rows, drawn, false)
        + rows * Float.BYTES
        + sources * (columnScales ? Integer.BYTES + Float.BYTES : Integer.BYTES);
  }

  /// One number for each vertex and its prefix sum, or two numbers.
  private long importance() {
    return 2L * n * Double.BYTES;
  }

  /// What each thread keeps: numbers of vertices, bits of those that are extracted and taken, and,
  /// for products, a dense row with its bitmap and one distribution.
  private long shared(boolean products) {
    long perThread = Relabelling.bytes(n) + n / 4;
    if (products) {
      perThread += n * (Float.BYTES + 1L) + n * (Integer.BYTES + 2L * Double.BYTES);
    }
    return threads * perThread;
  }
}
