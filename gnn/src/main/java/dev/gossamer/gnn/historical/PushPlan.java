package dev.gossamer.gnn.historical;

import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which rows of a batch are pushed to which rank: MB's Map and Sample (Algorithm 2, lines 15 to
/// 20). A row is pushed to the ranks that cache its vertex, but only if their copy would expire
/// before the next batch that, on average, computes the vertex. Layers count from 1; [HaloFeatures]
/// provides the inputs of the first.
final class PushPlan {
  static final int NEVER = -1;

  private final HaloPartition partition;
  private final List<HaloDirectory> directories;
  private final int[] degrees;
  private final List<int[]> waits;
  private final HistoricalSettings settings;
  private final int life;
  private final long seed;
  private final PushSelection[][] selections;
  private final int[][][] rows;
  private final int[][] sources;

  /// The batch that each copy's row was last made in, by layer and place in the directory.
  private final int[][] madeIn;

  /// @param directories of each layer but the first
  /// @param degrees of the solid vertices
  /// @param waits batches from one that computes a solid vertex to the next, on average, by layer
  ///   and vertex
  /// @param life `ls`
  PushPlan(
      int ranks,
      HaloPartition partition,
      List<HaloDirectory> directories,
      int[] degrees,
      List<int[]> waits,
      HistoricalSettings settings,
      int life,
      long seed) {
    this.partition = partition;
    this.directories = directories;
    this.degrees = degrees;
    this.waits = waits;
    this.settings = settings;
    this.life = life;
    this.seed = seed;
    int layers = directories.size();
    selections = new PushSelection[layers][ranks];
    for (PushSelection[] layer : selections) {
      Arrays.setAll(layer, peer -> new PushSelection());
    }
    rows = new int[layers][ranks][0];
    sources = new int[layers][0];
    madeIn = new int[layers][];
    for (int e = 0; e < layers; e++) {
      madeIn[e] = new int[directories.get(e).copies()];
      Arrays.fill(madeIn[e], NEVER);
    }
  }

  /// Plans for a batch. Cost: the number of halo copies of its solid vertices, independent of the
  /// number of ranks.
  ///
  /// @param batch null if this rank has none in this turn
  /// @param turn number of this rank's earlier batches in the run
  void map(@Nullable SampledBatch batch, int turn) {
    for (int e = 0; e < rows.length; e++) {
      for (PushSelection selection : selections[e]) {
        selection.clear();
      }
      if (batch != null) {
        map(e, batch.blocks().get(e + 1), turn);
      }
      for (int peer = 0; peer < rows[e].length; peer++) {
        int layer = e;
        selections[e][peer].limit(
            settings.pushLimit(),
            row -> degrees[partition.partitionId(vertex(layer, row))],
            new PushSelection.Place(seed, turn, e + 1, peer));
        rows[e][peer] = selections[e][peer].rows();
        for (int row : rows[e][peer]) {
          int solid = partition.partitionId(vertex(e, row));
          madeIn[e][directories.get(e).place(solid, peer)] = turn;
        }
      }
    }
  }

  private void map(int e, SampledBlock block, int turn) {
    HaloDirectory directory = directories.get(e);
    sources[e] = block.sources();
    for (int i = 0; i < block.computed(); i++) {
      if (!partition.isSolid(sources[e][i])) {
        continue;
      }
      int solid = partition.partitionId(sources[e][i]);
      int end = directory.end(solid);
      for (int place = directory.begin(solid); place < end; place++) {
        if (willHaveDied(madeIn[e][place], turn, waits.get(e)[solid])) {
          selections[e][directory.rank(place)].add(i);
        }
      }
    }
  }

  /// Whether a copy is too old before the row of the next batch that has the vertex could come.
  private boolean willHaveDied(int made, int turn, int wait) {
    return made == NEVER || (long) turn + settings.delay() + wait - 1 - made > life;
  }

  /// Returns the rows of the input of a layer that are pushed to a rank. Borrowed.
  int[] rows(int e, int peer) {
    return rows[e][peer];
  }

  /// Returns the vertex of a row.
  int vertex(int e, int row) {
    return sources[e][row];
  }

  /// Returns the batch that last computed each copy. Borrowed; may be overwritten.
  int[] madeIn(int e) {
    return madeIn[e];
  }
}
