package dev.gossamer.gnn.inference;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Evaluation with sampled neighbours, the same in each evaluation: batches of labelled vertices,
/// dealt to the ranks like those of an epoch.
public final class SampledInference implements Inference {
  /// Default number of vertices of a batch.
  public static final int BATCH_SIZE = 512;

  /// What takes the place of an epoch's number in the draws: no epoch has it.
  private static final long EPOCH = -1;

  private final RankShare share;
  private final BulkSampler sampler;
  private final BlockStack blocks;
  private final Workers workers;
  private final int turns;
  private final int batchSize;
  private final int[] vertices;
  private final DenseMatrix logits;
  private final FetchedRows rows = new FetchedRows();

  /// Allocates the memory. Collective.
  ///
  /// @param arena shared, owner of the logits
  /// @param share this rank's part of graph and features
  /// @param sampler that draws neighbours
  /// @param blocks passes of the network; borrowed
  /// @param asked vertices whose logits are computed, over all ranks
  /// @param batchSize vertices of a batch
  /// @param workers threads; borrowed
  public SampledInference(
      Arena arena,
      RankShare share,
      BulkSampler sampler,
      BlockStack blocks,
      int[] asked,
      int batchSize,
      Workers workers) {
    this.share = share;
    this.sampler = sampler;
    this.blocks = blocks;
    this.workers = workers;
    this.batchSize = batchSize;
    int batches = Math.ceilDiv(asked.length, batchSize);
    turns = Math.ceilDiv(batches, share.ranks());
    int[] mine = new int[asked.length];
    int count = 0;
    for (int turn = 0; turn < turns; turn++) {
      int from = Math.min(asked.length, number(turn) * batchSize);
      int size = Math.min(asked.length - from, batchSize);
      System.arraycopy(asked, from, mine, count, size);
      count += size;
    }
    vertices = Arrays.copyOf(mine, count);
    logits = DenseMatrix.allocate(arena, count, blocks.outputs());
  }

  /// Number of this rank's batch in a turn, whose draws depend on it.
  private int number(int turn) {
    return turn * share.ranks() + share.rank();
  }

  @Override
  public int[] vertices() {
    return vertices;
  }

  @Override
  public Team team() {
    return share.everybody();
  }

  @Override
  public DenseMatrix logits(DenseState state, Progress progress) {
    for (int turn = 0; turn < turns; turn++) {
      int from = Math.min(vertices.length, turn * batchSize);
      int to = Math.min(vertices.length, from + batchSize);
      List<int[]> bulk = from < to ? List.of(Arrays.copyOfRange(vertices, from, to)) : List.of();
      try (Arena arena = Arena.ofShared()) {
        List<SampledBatch> drawn = sampler.sample(arena, EPOCH, number(turn), bulk);
        @Nullable SampledBatch batch = drawn.isEmpty() ? null : drawn.getFirst();
        share.allFeatures().fetch(batch == null ? new int[0] : batch.inputs(), rows, workers);
        if (batch != null) {
          logits.rows(from, to).copyFrom(blocks.logits(batch, rows.features(), state));
        }
      }
      progress.at(LABEL, to, vertices.length);
    }
    return logits;
  }

  @Override
  public @Nullable DenseMatrix hidden() {
    return null;
  }

  @Override
  public void close() {
    rows.close();
  }
}
