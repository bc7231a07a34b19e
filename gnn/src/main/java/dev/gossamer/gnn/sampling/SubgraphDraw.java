package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.InverseTransform;
import dev.gossamer.gnn.sampling.matrices.NeighbourPlaces;
import dev.gossamer.gnn.sampling.matrices.NeighbourRows;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Draws the vertices of GraphSAINT's subgraphs, which depend only on the number of their batch.
interface SubgraphDraw {
  /// Returns the distinct vertices of batches, ascending.
  ///
  /// @param purpose separates batches and estimates
  List<int[]> draw(Purpose purpose, long epoch, BatchNumbers numbers, int count);

  /// Vertices on random walks: `Q` has a row for each walk, with its last vertex, so that `P = Q A`
  /// has the neighbours; NORM makes them uniform, and SAMPLE draws one. A walk stops at vertices
  /// without neighbours and at remote vertices.
  ///
  /// An edge is a walk of one step: from a uniform root among the vertices with neighbours it is
  /// `{u, v}` with probability proportional to `1 / deg(u) + 1 / deg(v)`.
  final class Walks implements SubgraphDraw {
    private final AdjacencyRows a;
    private final int[] candidates;
    private final int roots;
    private final int length;
    private final long seed;

    /// @param candidates the vertices where a walk may start; borrowed
    /// @param roots walks per batch
    /// @param length steps of a walk
    Walks(AdjacencyRows a, int[] candidates, int roots, int length, long seed) {
      this.a = a;
      this.candidates = candidates;
      this.roots = roots;
      this.length = length;
      this.seed = seed;
    }

    @Override
    public List<int[]> draw(Purpose purpose, long epoch, BatchNumbers numbers, int count) {
      Draws draws = new Draws(seed, purpose, 0, epoch);
      int walks = candidates.length == 0 ? 0 : roots;
      int[][] visited = new int[length + 1][];
      visited[0] = new int[Math.multiplyExact(walks, count)];
      for (int w = 0; w < visited[0].length; w++) {
        draws.at(w % walks, numbers.of(w / walks));
        visited[0][w] = candidates[draws.below(candidates.length)];
      }
      for (int step = 1; step <= length; step++) {
        visited[step] = advanced(draws, numbers, step, visited[step - 1]);
      }
      List<int[]> batches = new ArrayList<>();
      for (int b = 0; b < count; b++) {
        int[] vertices = new int[(length + 1) * walks];
        for (int step = 0; step <= length; step++) {
          System.arraycopy(visited[step], b * walks, vertices, step * walks, walks);
        }
        batches.add(InverseTransform.distinct(vertices));
      }
      return batches;
    }

    /// Where walks are after a step. A walk draws it by its number, its batch and the step.
    private int[] advanced(Draws draws, BatchNumbers numbers, int step, int[] before) {
      int[] degrees = a.rowLengths();
      int[] moving =
          IntStream.range(0, before.length).filter(w -> degrees[before[w]] > 0).toArray();
      int[] from = new int[moving.length];
      int[] first = new int[moving.length];
      int[] second = new int[moving.length];
      for (int k = 0; k < moving.length; k++) {
        from[k] = before[moving[k]];
        first[k] = moving[k] % roots;
        second[k] = numbers.of(moving[k] / roots);
      }
      int[] after = before.clone();
      try (Arena working = Arena.ofShared()) {
        SelectedRows p =
            NeighbourRows.of(a, working, from, 1, draws, new NeighbourPlaces(first, second, step));
        for (int k = 0; k < moving.length; k++) {
          draws.at(first[k], second[k], step);
          int degree = (int) (p.end(k) - p.begin(k));
          after[moving[k]] = p.matrix().column(p.begin(k) + draws.below(degree));
        }
      }
      return after;
    }
  }
}
