package dev.gossamer.gnn.historical;

import dev.gossamer.gnn.sampling.SampledBatch;
import dev.gossamer.gnn.sampling.SampledBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Which rows of a batch go to which rank: MB's Map and Sample (Algorithm 2, lines 15 to 20).
///
/// A row of layer 0 is a row of this rank's features, so that it need not be in the batch when it
/// leaves; a row of another layer is one of the layer's input.
final class PushPlan {
  private final HaloPartition partition;
  private final HaloDirectory directory;
  private final int[] degrees;
  private final int limit;
  private final long seed;
  private final PushSelection[][] selections;
  private final int[][][] rows;
  private final int[][] sources;

  /// @param degrees of the solid vertices
  /// @param limit `nc`
  PushPlan(
      int layers,
      int ranks,
      HaloPartition partition,
      HaloDirectory directory,
      int[] degrees,
      int limit,
      long seed) {
    this.partition = partition;
    this.directory = directory;
    this.degrees = degrees;
    this.limit = limit;
    this.seed = seed;
    selections = new PushSelection[layers][ranks];
    for (PushSelection[] layer : selections) {
      Arrays.setAll(layer, peer -> new PushSelection());
    }
    rows = new int[layers][ranks][0];
    sources = new int[layers][0];
  }

  /// Plans for a batch. Cost: what its solid vertices have of halo copies, whatever the number of
  /// ranks.
  ///
  /// @param batch none if this rank has none in this turn
  void map(@Nullable SampledBatch batch, long epoch, int turn) {
    for (int l = 0; l < rows.length; l++) {
      for (PushSelection selection : selections[l]) {
        selection.clear();
      }
      if (batch != null) {
        map(l, batch.blocks().get(l));
      }
      for (int peer = 0; peer < rows[l].length; peer++) {
        int layer = l;
        selections[l][peer].limit(
            limit,
            row -> degrees[partition.partitionId(vertex(layer, row))],
            new PushSelection.Place(seed, epoch, turn, l, peer));
        rows[l][peer] = selections[l][peer].rows();
      }
    }
  }

  private void map(int l, SampledBlock block) {
    sources[l] = block.sources();
    for (int i = 0; i < block.computed(); i++) {
      if (!partition.isSolid(sources[l][i])) {
        continue;
      }
      int solid = partition.partitionId(sources[l][i]);
      int end = directory.end(solid);
      for (int place = directory.begin(solid); place < end; place++) {
        selections[l][directory.rank(place)].add(l == 0 ? solid : i);
      }
    }
  }

  /// Rows of a layer that go to a rank. Borrowed.
  int[] rows(int layer, int peer) {
    return rows[layer][peer];
  }

  /// The vertex of a row.
  int vertex(int layer, int row) {
    return layer == 0 ? partition.originalId(row) : sources[layer][row];
  }
}
