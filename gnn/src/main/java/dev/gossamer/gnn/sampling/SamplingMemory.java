package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.BlockMaker;
import dev.gossamer.gnn.sampling.blocks.Relabelling;
import java.util.List;
import java.util.function.ToLongFunction;

/// Upper bounds of the bytes that a sampler takes, from sizes and degrees alone, before there is
/// one. Rows that are fetched from other ranks come on top.
///
/// @param kept whatever is drawn: probabilities, counts
/// @param perThread that each thread keeps
/// @param perBatch of each batch of a bulk
/// @param inWork of each batch of those that are drawn at the same time, while a layer is drawn
public record SamplingMemory(long kept, long perThread, long perBatch, long inWork) {
  /// What a layer-by-layer sampler takes.
  ///
  /// @param vertices of the graph
  /// @param blocks of the largest batch
  /// @param block bytes of one of them
  /// @param working bytes while one of them is drawn
  static SamplingMemory ofLayers(
      int vertices,
      List<BlockBound> blocks,
      ToLongFunction<BlockBound> block,
      ToLongFunction<BlockBound> working) {
    long stacked = Integer.BYTES * largest(blocks, BlockBound::targets);
    long matrices = blocks.stream().mapToLong(block).sum();
    return new SamplingMemory(0, numbers(vertices), matrices + stacked, largest(blocks, working));
  }

  /// What a sampler of subgraphs takes: one block, the quotients of its entries, and the drawn
  /// vertices.
  ///
  /// @param vertices of the graph
  /// @param visited vertices that are drawn for a batch, those drawn twice included
  static SamplingMemory ofSubgraph(int vertices, BlockBound block, long visited) {
    long drawn = Integer.BYTES * (2 * visited + block.targets());
    long maker = BlockMaker.bytes(block.entries(), true);
    return new SamplingMemory(0, numbers(vertices) + maker, block.weightedBytes() + drawn, 0);
  }

  /// {@return bytes of what is there while it is computed how probable each vertex is an input}
  ///
  /// @param vertices of the graph
  public static long ofProbabilities(long vertices) {
    return 4 * vertices * Double.BYTES;
  }

  /// The numbers of vertices, and the bits of those that are extracted and taken.
  private static long numbers(int vertices) {
    return Relabelling.bytes(vertices) + vertices / 4;
  }

  /// The same with the arrays of who makes blocks with weights.
  SamplingMemory withMakers(List<BlockBound> blocks) {
    return withPerThread(BlockMaker.bytes(largest(blocks, BlockBound::entries), true));
  }

  private static long largest(List<BlockBound> blocks, ToLongFunction<BlockBound> bytes) {
    return blocks.stream().mapToLong(bytes).max().orElse(0);
  }

  /// The same with more that is kept.
  SamplingMemory withKept(long bytes) {
    return new SamplingMemory(kept + bytes, perThread, perBatch, inWork);
  }

  /// The same with more that each thread keeps.
  SamplingMemory withPerThread(long bytes) {
    return new SamplingMemory(kept, perThread + bytes, perBatch, inWork);
  }

  /// {@return bytes of a sampler that is between bulks}
  ///
  /// @param threads that draw
  public long bytesKept(int threads) {
    return kept + threads * perThread;
  }

  /// {@return bytes of bulks, and of what is there while one of them is drawn}
  ///
  /// @param bulks that are there at the same time
  /// @param k batches of each
  /// @param threads that draw
  public long bytesOfBulks(int bulks, int k, int threads) {
    return (long) bulks * k * perBatch + Math.min(k, LayerSampling.groupSize(threads)) * inWork;
  }
}
