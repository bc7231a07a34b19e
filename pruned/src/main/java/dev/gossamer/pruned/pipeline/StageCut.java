package dev.gossamer.pruned.pipeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The division of a chain of blocks into stages.
///
/// @param starts first block of each stage, followed by the number of blocks
public record StageCut(List<Integer> starts) {
  /// Copies the collections.
  public StageCut {
    starts = List.copyOf(starts);
  }

  /// {@return the division that minimises the cost of the costliest stage; ties prefer longer first
  /// stages} Every stage has at least one block. Cost: `O(stages blocks^2)`.
  ///
  /// @param costs of the blocks, at least 0
  /// @param stages at least 1
  /// @throws IllegalArgumentException if there are fewer blocks than stages
  public static StageCut balanced(double[] costs, int stages) {
    int n = costs.length;
    if (stages < 1 || stages > n) {
      throw new IllegalArgumentException(
          "stages: expected 1..%d, as the network has %d blocks to cut between, found %d"
              .formatted(n, n, stages));
    }
    double[] before = new double[n + 1];
    for (int i = 0; i < n; i++) {
      before[i + 1] = before[i] + costs[i];
    }
    // best[s][i]: the costliest of s stages that hold the blocks from i on.
    double[][] best = new double[stages + 1][n + 1];
    int[][] end = new int[stages + 1][n + 1];
    for (double[] row : best) {
      Arrays.fill(row, Double.POSITIVE_INFINITY);
    }
    best[0][n] = 0;
    for (int s = 1; s <= stages; s++) {
      for (int i = 0; i < n; i++) {
        for (int j = i + 1; j <= n; j++) {
          double most = Math.max(before[j] - before[i], best[s - 1][j]);
          if (most <= best[s][i]) {
            best[s][i] = most;
            end[s][i] = j;
          }
        }
      }
    }
    List<Integer> starts = new ArrayList<>();
    int at = 0;
    for (int s = stages; s > 0; s--) {
      starts.add(at);
      at = end[s][at];
    }
    starts.add(n);
    return new StageCut(starts);
  }

  /// {@return the number of stages}
  public int stages() {
    return starts.size() - 1;
  }

  /// {@return the first block of a stage}
  ///
  /// @param stage from 0
  public int begin(int stage) {
    return starts.get(stage);
  }

  /// {@return the block after the last of a stage}
  ///
  /// @param stage from 0
  public int end(int stage) {
    return starts.get(stage + 1);
  }
}
