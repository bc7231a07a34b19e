package dev.gossamer.gnn.sampling;

import dev.gossamer.gnn.sampling.Draws.Purpose;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/// The vertices of GraphSAINT's subgraphs. They depend on the number of a batch, never on others.
interface SubgraphDraw {
  /// The distinct vertices of some batches, ascending.
  ///
  /// @param purpose keeps batches and estimates apart
  List<int[]> draw(Purpose purpose, long epoch, BatchNumbers numbers, int count);

  /// Vertices on random walks: `Q` has a row for each walk, with its last vertex, so `P = Q A` has
  /// the neighbours, NORM makes them alike, and SAMPLE takes one. A walk stays where there are
  /// none.
  ///
  /// An edge is a walk of one step: from a root that is uniform among the vertices with neighbours
  /// it is `{u, v}` with probability proportional to `1 / deg(u) + 1 / deg(v)`.
  final class Walks implements SubgraphDraw {
    private final AdjacencyRows a;
    private final int[] candidates;
    private final int roots;
    private final int length;
    private final long seed;

    /// @param candidates the vertices where a walk may begin; borrowed
    /// @param roots walks a batch
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
      int[][] visited = new int[length + 1][Math.multiplyExact(walks, count)];
      for (int w = 0; w < visited[0].length; w++) {
        draws.at(w % walks, numbers.of(w / walks));
        visited[0][w] = candidates[draws.below(candidates.length)];
      }
      for (int step = 1; step <= length; step++) {
        try (Arena working = Arena.ofShared()) {
          int[] last = visited[step - 1];
          SelectedRows rows =
              NeighbourRows.of(a, working, last, 1, draws, places(last.length, numbers, step));
          advance(rows, draws, numbers, step, visited);
        }
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

    /// A walk draws its steps by its number, its batch and the step.
    private NeighbourPlaces places(int walks, BatchNumbers numbers, int step) {
      int[] first = new int[walks];
      int[] second = new int[walks];
      for (int w = 0; w < walks; w++) {
        first[w] = w % roots;
        second[w] = numbers.of(w / roots);
      }
      return new NeighbourPlaces(first, second, step);
    }

    private void advance(
        SelectedRows p, Draws draws, BatchNumbers numbers, int step, int[][] visited) {
      int[] before = visited[step - 1];
      for (int w = 0; w < before.length; w++) {
        draws.at(w % roots, numbers.of(w / roots), step);
        int degree = (int) (p.end(w) - p.begin(w));
        visited[step][w] =
            degree == 0 ? before[w] : p.matrix().column(p.begin(w) + draws.below(degree));
      }
    }
  }
}
