package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.BlockMaker;
import dev.gossamer.gnn.sampling.blocks.Relabelling;
import java.util.List;
import java.util.function.ToLongFunction;

/// Upper bounds of the bytes of a sampler, from sizes and degrees. Fetched remote rows are not
/// included.
///
/// @param kept independently of draws: probabilities, counts
/// @param perThread kept by each thread
/// @param perBatch of each batch of a bulk
/// @param inWork temporary memory of each batch that is being drawn
public record SamplingMemory(long kept, long perThread, long perBatch, long inWork) {
  /// Returns the memory of a layer-by-layer sampler.
  ///
  /// @param vertices of the graph
  /// @param blocks of the largest batch
  /// @param block bytes of a block
  /// @param working temporary bytes of a block
  static SamplingMemory ofLayers(
      int vertices,
      List<BlockBound> blocks,
      ToLongFunction<BlockBound> block,
      ToLongFunction<BlockBound> working) {
    long stacked = Integer.BYTES * largest(blocks, BlockBound::targets);
    long matrices = blocks.stream().mapToLong(block).sum();
    return new SamplingMemory(0, numbers(vertices), matrices + stacked, largest(blocks, working));
  }

  /// Returns the memory of a subgraph sampler: one block, the quotients of its entries, and the
  /// drawn vertices.
  ///
  /// @param vertices of the graph
  /// @param visited vertices drawn for a batch, including repeated ones
  static SamplingMemory ofSubgraph(int vertices, BlockBound block, long visited) {
    long drawn = Integer.BYTES * (2 * visited + block.targets());
    long maker = BlockMaker.bytes(block.entries(), true);
    return new SamplingMemory(0, numbers(vertices) + maker, block.weightedBytes() + drawn, 0);
  }

  /// {@return bytes needed to compute [Sampler#inputProbabilities]}
  ///
  /// @param vertices of the graph
  public static long ofProbabilities(long vertices) {
    return 4 * vertices * Double.BYTES;
  }

  /// The numbers of vertices, and the bits of those that are extracted and taken.
  private static long numbers(int vertices) {
    return Relabelling.bytes(vertices) + vertices / 4;
  }

  /// Returns a copy including the arrays of weighted blocks.
  SamplingMemory withMakers(List<BlockBound> blocks) {
    return withPerThread(BlockMaker.bytes(largest(blocks, BlockBound::entries), true));
  }

  private static long largest(List<BlockBound> blocks, ToLongFunction<BlockBound> bytes) {
    return blocks.stream().mapToLong(bytes).max().orElse(0);
  }

  /// Returns a copy with additional kept bytes.
  SamplingMemory withKept(long bytes) {
    return new SamplingMemory(kept + bytes, perThread, perBatch, inWork);
  }

  /// Returns a copy with additional bytes kept by each thread.
  SamplingMemory withPerThread(long bytes) {
    return new SamplingMemory(kept, perThread + bytes, perBatch, inWork);
  }

  /// {@return bytes of a sampler between bulks}
  ///
  /// @param threads that draw
  public long bytesKept(int threads) {
    return kept + threads * perThread;
  }

  /// {@return bytes of bulks and of temporary memory while one is drawn}
  ///
  /// @param bulks that exist at the same time
  /// @param k batches of each
  /// @param threads that draw
  public long bytesOfBulks(int bulks, int k, int threads) {
    return (long) bulks * k * perBatch + Math.min(k, LayerSampling.groupSize(threads)) * inWork;
  }
}
