package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.BlockBound;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Degrees;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `none`: no vertex has neighbours, for networks that do not look at the graph. A batch is its own
/// vertices and nothing else, in one block without entries for all layers.
///
/// @param layers of the network
public record NoNeighbours(int layers) implements Sampler {
  static final String NAME = "none";

  /// Checks the number.
  ///
  /// @throws InvalidSettingException if there is no layer
  public NoNeighbours {
    InvalidSettingException.requireAtLeast("layers", layers, 1);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<Integer> sizes() {
    return List.of();
  }

  @Override
  public boolean drawsNeighbours() {
    return false;
  }

  @Override
  public Sampler outermost(int hops) {
    return new NoNeighbours(hops);
  }

  @Override
  public List<BlockBound> blocks(Degrees degrees, int batchSize) {
    long rows = Math.min(degrees.vertices(), batchSize);
    return Collections.nCopies(layers, new BlockBound(rows, rows, 0));
  }

  @Override
  public SamplingMemory memory(Degrees degrees, List<BlockBound> blocks) {
    return new SamplingMemory(0, 0, blocks.getFirst().bytes(), 0);
  }

  @Override
  public Sampling sampling(AdjacencyRows a, int[] training, long seed, Workers workers) {
    return this::batches;
  }

  private List<SampledBatch> batches(
      Arena arena,
      long epoch,
      BatchNumbers numbers,
      List<int[]> batches,
      @Nullable Boundary boundary) {
    List<SampledBatch> result = new ArrayList<>();
    for (int b = 0; b < batches.size(); b++) {
      int[] seeds = batches.get(b);
      float[] lossWeights = new float[seeds.length];
      Arrays.fill(lossWeights, 1f / seeds.length);
      List<SampledBlock> blocks = Collections.nCopies(layers, block(arena, seeds));
      result.add(new SampledBatch(numbers.of(b), seeds, lossWeights, blocks));
    }
    return result;
  }

  private static SampledBlock block(Arena arena, int[] seeds) {
    MemorySegment pointers = arena.allocate((seeds.length + 1L) * Long.BYTES, Long.BYTES);
    MemorySegment none = arena.allocate(0, Integer.BYTES);
    return new SampledBlock(
        CsrMatrix.wrap(seeds.length, seeds.length, pointers, none, null), seeds);
  }

  @Override
  public double[] inputProbabilities(AdjacencyRows a, int[] training, int batchSize) {
    return InputProbabilities.ofBatch(a, training, batchSize);
  }
}
